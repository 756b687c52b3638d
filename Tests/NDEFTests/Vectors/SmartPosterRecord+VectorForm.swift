import NDEF

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
