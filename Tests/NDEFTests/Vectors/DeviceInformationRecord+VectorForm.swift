import NDEF

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
