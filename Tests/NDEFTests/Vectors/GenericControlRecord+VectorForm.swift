import NDEF

extension GenericControlRecord {
    /// The vectors show the payloads of the records inside as they are.
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
