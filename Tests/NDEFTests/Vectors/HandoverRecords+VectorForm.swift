@testable import NDEF

extension HandoverRequestRecord {
    var vectorForm: VectorValue { content.vectorForm(kind: "handover_request") }
}

extension HandoverSelectRecord {
    var vectorForm: VectorValue { content.vectorForm(kind: "handover_select") }
}

extension HandoverMediationRecord {
    var vectorForm: VectorValue { content.vectorForm(kind: "handover_mediation") }
}

extension HandoverInitiateRecord {
    var vectorForm: VectorValue { content.vectorForm(kind: "handover_initiate") }
}

extension HandoverPayload {
    fileprivate func vectorForm(kind: String) -> VectorValue {
        .fields([
            "kind": .string(kind),
            "version": .string(version.description),
            "carriers": .array(carriers.map { .object($0.vectorFields) }),
            "other": .array(other.map { .object(["type": .string($0.type.hexadecimal.lowercased())]) }),
            "collision_resolution": collisionResolution.map { .number(Double($0.randomNumber)) },
            "error": error.map { .object($0.vectorFields) },
        ])
    }
}

extension HandoverCarrierRecord {
    var vectorForm: VectorValue {
        [
            "kind": "handover_carrier",
            "carrier_tnf": .number(Double(carrierTypeFormat.rawValue)),
            "carrier_type": .string(String(decoding: carrierType, as: UTF8.self)),
            "carrier_data": .string(carrierData.hexadecimal.lowercased()),
        ]
    }
}

extension AlternativeCarrierRecord {
    var vectorForm: VectorValue {
        .object(vectorFields.merging(["kind": "alternative_carrier"]) { $1 })
    }

    fileprivate var vectorFields: [String: VectorValue] {
        [
            "power": .string(powerState.name ?? ""),
            "carrier_ref": .string(String(decoding: carrierDataReference, as: UTF8.self)),
            "aux_refs": .array(auxiliaryDataReferences.map { .string(String(decoding: $0, as: UTF8.self)) }),
        ]
    }
}

extension CollisionResolutionRecord {
    var vectorForm: VectorValue {
        ["kind": "collision_resolution", "random": .number(Double(randomNumber))]
    }
}

extension HandoverErrorRecord {
    var vectorForm: VectorValue {
        .object(vectorFields.merging(["kind": "handover_error"]) { $1 })
    }

    fileprivate var vectorFields: [String: VectorValue] {
        ["reason": .number(Double(reason.rawValue)), "data": .number(Double(data))]
    }
}
