@testable import NDEF

extension URIRecord {
    var vectorForm: VectorValue {
        .object(schemeFields.merging(["kind": "uri", "uri": .string(uri)]) { first, _ in first })
    }

    /// What the URI leads to, in the words of the vectors: `tel`, `sms`, `mailto` or `geo`; empty for other URIs. Also for
    /// the URI of a Smart Poster.
    var schemeFields: [String: VectorValue] {
        switch target {
        case .telephone(let telephone): ["tel": .string(telephone.number)]
        case .message(let message):
            [
                "sms": .fields([
                    "number": .string(message.recipients.joined(separator: ",")), "body_raw": rawBody,
                ])
            ]
        case .mail(let mail): ["mailto": mail.vectorForm]
        case .location(let location): ["geo": ["lat": .number(location.latitude), "lon": .number(location.longitude)]]
        case nil: [:]
        }
    }

    /// The body of a message as it is in the URI; `body` has it percent-decoded.
    private var rawBody: VectorValue? {
        guard case .message(let message)? = target, message.body != nil else { return nil }
        return uri.split(separator: "?body=").last.map { .string(String($0)) }
    }
}

extension MailURI {
    fileprivate var vectorForm: VectorValue {
        .fields([
            "to": .string(to.joined(separator: ",")), "subject": subject.map { .string($0) },
            "body": body.map { .string($0) },
        ])
    }
}

extension SmartPosterRecord {
    var vectorForm: VectorValue {
        let fields: [String: VectorValue] = [
            "kind": "smartposter", "uri": .string(uri.uri),
            "titles": .array(titles.map(\.vectorForm).map { $0.without("kind") }),
            "action": action?.vectorForm ?? .null,
            "size": size.map { .number(Double($0)) } ?? .null,
            "type": type.map(VectorValue.string) ?? .null,
            "icons": .array(icons.map { ["mime": .string($0.type), "data": .hexadecimal($0.data)] }),
            "other": .array(other.filter { !$0.isLeftOutOfVectors }.map(\.rawVectorForm)),
        ]
        return .object(fields.merging(uri.schemeFields) { own, _ in own })
    }
}

extension SmartPosterAction {
    /// The vectors call the first action `exec`.
    fileprivate var vectorForm: VectorValue {
        switch self {
        case .execute: "exec"
        case .save: "save"
        case .edit: "edit"
        }
    }
}

extension NDEFRecord {
    /// The vectors drop repeated and unreadable records of the known types; they are kept here.
    fileprivate var isLeftOutOfVectors: Bool {
        typeNameFormat == .nfcWellKnown && ["T", "act", "s", "t"].contains(String(decoding: type, as: UTF8.self))
    }

    fileprivate var rawVectorForm: VectorValue {
        [
            "tnf": .number(Double(typeNameFormat.rawValue)), "type": .hexadecimal(type), "id": .hexadecimal(identifier),
            "payload": .hexadecimal(payload),
        ]
    }
}

extension ActionRecord {
    var vectorForm: VectorValue { ["kind": "action", "action": action.vectorForm] }
}

extension SizeRecord {
    var vectorForm: VectorValue { ["kind": "size", "size": .number(Double(size))] }
}

extension TypeRecord {
    var vectorForm: VectorValue { ["kind": "type", "type": .string(type)] }
}

extension VectorValue {
    /// An object without this key.
    fileprivate func without(_ key: String) -> VectorValue {
        guard case .object(let fields) = self else { return self }
        return .object(fields.filter { $0.key != key })
    }

    static func hexadecimal(_ bytes: [UInt8]) -> VectorValue { .string(bytes.hexadecimal.lowercased()) }
}

extension HandoverRecord {
    var vectorForm: VectorValue {
        .fields([
            "kind": .string("handover_\(Form.name)"),
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

extension BluetoothEasyPairingRecord {
    var vectorForm: VectorValue {
        let own: [String: VectorValue] = [
            "kind": "bluetooth_ep", "oob_length": .number(Double(payload.count)),
            "address": .string(address.description),
        ]
        return .object(own.merging(data.vectorFields) { $1 })
    }
}

extension BluetoothLowEnergyRecord {
    var vectorForm: VectorValue {
        .object(data.vectorFields.merging(["kind": "bluetooth_le"]) { $1 })
    }
}

extension BluetoothData {
    fileprivate var vectorFields: [String: VectorValue] {
        let short = serviceClassUUIDs.filter { $0.bytes.count == 2 }
        let fields: [String: VectorValue?] = [
            "eir": .array(
                structures.map { .array([.number(Double($0.type)), .string($0.data.hexadecimal.lowercased())]) }),
            "class_of_device": classOfDevice.map {
                .string(Array($0.bigEndianBytes.dropFirst()).hexadecimal.lowercased())
            },
            "uuid16": short.isEmpty ? nil : .array(short.map { .string($0.description.lowercased()) }),
            "name": (name ?? shortenedName).map { .string($0) },
            "name_complete": name != nil ? .bool(true) : shortenedName.map { _ in .bool(false) },
        ]
        return fields.compactMapValues { $0 }
    }
}

extension WiFiConfigurationRecord {
    var vectorForm: VectorValue {
        .fields([
            "kind": "wifi_wsc", "credentials": .array(credentials.map(\.vectorForm)),
            "attributes": .array(otherAttributes.map(\.vectorForm)),
            "version": version.map { .string($0.description) },
            "version2": version2.map { .string($0.description) },
        ])
    }
}

extension WiFiCredential {
    fileprivate var vectorForm: VectorValue {
        .fields([
            "ssid": ssidText.map { .string($0) }, "ssid_hex": .string(ssid.hexadecimal.lowercased()),
            "key": key.isEmpty ? nil : keyText.map { .string($0) },
            "key_hex": key.isEmpty ? nil : .string(key.hexadecimal.lowercased()),
            "auth": authentication.map { .string(Self.authenticationNames[$0] ?? "unknown") },
            "auth_value": authentication.map { .number(Double($0.rawValue)) },
            "enc": encryption.map { .string(Self.encryptionNames[$0] ?? "unknown") },
            "enc_value": encryption.map { .number(Double($0.rawValue)) },
            "network_index": networkIndex.map { .number(Double($0)) },
            "mac": macAddress.map { .string($0.map { [$0].hexadecimal }.joined(separator: ":")) },
        ])
    }

    private static let authenticationNames: [WiFiAuthentication: String] = [
        .open: "open", .wpa2Personal: "wpa2_psk", .wpaWPA2Personal: "wpa_wpa2_psk",
    ]

    private static let encryptionNames: [WiFiEncryption: String] = [.aes: "aes", .aesTKIP: "aes_tkip"]
}

extension WiFiAttribute {
    fileprivate var vectorForm: VectorValue {
        ["type": .number(Double(type)), "data": .string(data.hexadecimal.lowercased())]
    }
}

extension VCardRecord {
    var vectorForm: VectorValue {
        let contact = self.contact
        let addresses = all("ADR").map { $0.vectorForm(value: .array($0.components.map { .string($0) })) }
        return .fields([
            "kind": "vcard", "version": version.map { .string($0) },
            "fn": contact.formattedName.map { .string($0) },
            "n": all("N").first.map { .array($0.components.map { .string($0) }) },
            "tel": .array(all("TEL").map { $0.vectorForm(value: .string($0.text)) }),
            "email": .array(contact.mails.map { .string($0.value) }),
            "adr": addresses.isEmpty ? nil : .array(addresses),
            "org": contact.organisation.isEmpty ? nil : .string(contact.organisation.joined(separator: ";")),
            "title": contact.title.map { .string($0) }, "url": contact.urls.first.map { .string($0) },
            "note": contact.note.map { .string($0) },
        ])
    }

    private func all(_ name: String) -> [VCardProperty] { properties.filter { $0.name == name } }
}

extension VCardProperty {
    fileprivate func vectorForm(value: VectorValue) -> VectorValue {
        let parameters = self.parameters.map { parameter in
            VectorValue.string(parameter.name.map { "\($0)=\(parameter.value)" } ?? parameter.value)
        }
        return ["value": value, "params": .array(parameters)]
    }
}

extension DeviceInformationRecord {
    var vectorForm: VectorValue {
        .fields([
            "kind": "device_info", "vendor": .string(vendorName), "model": .string(modelName),
            "name": uniqueName.map(VectorValue.string),
            "uuid": uuidString.map(VectorValue.string),
            "version": firmwareVersion.map(VectorValue.string),
            "other": .array(other.map { .array([.number(Double($0.type)), .hexadecimal($0.data)]) }),
        ])
    }
}

extension SignatureRecord {
    /// The vectors have null for a record without a signature.
    var vectorForm: VectorValue {
        var fields: [String: VectorValue?] = [
            "kind": "signature", "version": .string(version == .v1 ? "1.0" : "2.0"),
            "signature_type": signatureType == .noSignature ? .null : signatureTypeName.map(VectorValue.string),
            "hash_type": hashTypeName.map(VectorValue.string),
            "certificate_format": certificateFormatName.map(VectorValue.string),
            "certificates": .array(certificates.map(VectorValue.hexadecimal)),
            "certificate_uri": nextCertificateURI.map(VectorValue.string),
        ]
        switch signature {
        case .embedded(let bytes): fields["signature"] = .hexadecimal(bytes)
        case .uri(let uri): fields["signature_uri"] = .string(uri)
        }
        return .fields(fields)
    }
}

extension GenericControlRecord {
    /// The vectors show the raw payloads of the records inside.
    var vectorForm: VectorValue {
        var inner = [("t", message(target))]
        switch action {
        case .code(let code): inner.append(("a", [1, code]))
        case .records(let records): inner.append(("a", [0] + message(records)))
        case nil: break
        }
        if !data.isEmpty { inner.append(("d", message(data))) }
        inner += other.map { (String(decoding: $0.type, as: UTF8.self), $0.payload) }
        return [
            "kind": "generic_control", "config": .number(Double(configuration)),
            "subrecords": .array(inner.map { ["type": .string($0.0), "payload": .hexadecimal($0.1)] }),
        ]
    }

    private func message(_ records: [NDEFRecord]) -> [UInt8] {
        (try? NDEFMessage(records: records).encoded()) ?? []
    }
}

extension AndroidApplicationRecord {
    var vectorForm: VectorValue { ["kind": "aar", "package": .string(package)] }
}
