extension DeviceInformationRecord {
    /// The elements that are fields.
    enum ElementType: UInt8, CaseIterable {
        case vendorName = 0
        case modelName = 1
        case uniqueName = 2
        case uuid = 3
        case firmwareVersion = 4
    }

    /// Decodes a payload. Names without characters and repeated elements are forgiven with a warning; of the latter the
    /// first counts, and the rest go to ``other``.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `DI_SHORT`, `DI_MANDATORY_MISSING`, `DI_NOT_UTF8` or `DI_UUID_LEN`.
    public init(payload: [UInt8], warnings: inout [NDEFWarning.Code]) throws(NDEFPayloadError) {
        var values: [ElementType: [UInt8]] = [:]
        var other: [Element] = []
        var reader = ByteReader(payload)
        while !reader.isAtEnd {
            let element = try reader.deviceInformationElement()
            if let type = ElementType(rawValue: element.type), values[type] == nil {
                values[type] = element.data
            } else {
                if ElementType(rawValue: element.type) != nil { warnings.append(.deviceInformationRepeated) }
                other.append(element)
            }
        }
        guard let vendorName = try Self.text(values[.vendorName]), let modelName = try Self.text(values[.modelName])
        else {
            throw NDEFPayloadError(
                .deviceInformationMandatoryMissing, "the name of the vendor or of the model is missing")
        }
        if vendorName.isEmpty || modelName.isEmpty { warnings.append(.deviceInformationNameEmpty) }
        try self.init(
            vendorName: vendorName, modelName: modelName, uniqueName: Self.text(values[.uniqueName]),
            uuid: values[.uuid], firmwareVersion: Self.text(values[.firmwareVersion]), other: other)
    }

    private static func text(_ value: [UInt8]?) throws(NDEFPayloadError) -> String? {
        guard let value else { return nil }
        guard let text = String(utf8: value[...]) else {
            throw NDEFPayloadError(.deviceInformationNotUTF8, "a name or a version is not UTF-8")
        }
        return text
    }

    /// The elements of the fields in the order of their types.
    var fields: [Element] {
        let values: [(ElementType, [UInt8]?)] = [
            (.vendorName, Array(vendorName.utf8)), (.modelName, Array(modelName.utf8)),
            (.uniqueName, uniqueName.map { Array($0.utf8) }), (.uuid, uuid),
            (.firmwareVersion, firmwareVersion.map { Array($0.utf8) }),
        ]
        return values.compactMap { type, value in value.map { Element(type: type.rawValue, data: $0) } }
    }

    /// The elements of the payload.
    var elements: [Element] { fields + other }

    /// The fields in the order of their types, and the others.
    public var payload: [UInt8] {
        elements.flatMap { [$0.type, UInt8(truncatingIfNeeded: $0.data.count)] + $0.data }
    }
}

extension ByteReader {
    fileprivate mutating func deviceInformationElement() throws(NDEFPayloadError) -> DeviceInformationRecord.Element {
        guard let type = uint8(), let length = uint8(), let data = bytes(Int(length)) else {
            throw NDEFPayloadError(.deviceInformationShort, "the last element runs past the end of the payload")
        }
        return DeviceInformationRecord.Element(type: type, data: Array(data))
    }
}
