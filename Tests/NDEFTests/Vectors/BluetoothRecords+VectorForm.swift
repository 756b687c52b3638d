@testable import NDEF

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
