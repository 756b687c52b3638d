/// What device the message comes from: well-known type `Di` (NFC Forum Device Information RTD 1.0).
///
/// The payload is a row of elements: a byte for the type, a byte for the length, and the value. Texts are in UTF-8 and
/// take at most 255 bytes each.
public struct DeviceInformationRecord: NDEFTypedPayload {
    /// Who made the device (element 00).
    public let vendorName: String
    /// The name of the model (element 01).
    public let modelName: String
    /// The name of this one device (element 02).
    public let uniqueName: String?
    /// The UUID of this one device (element 03; RFC 4122): 16 bytes. See ``uuidString``.
    public let uuid: [UInt8]?
    /// The version of the firmware (element 04).
    public let firmwareVersion: String?
    /// Elements of other types, such as the vendor's own (FF), and repeated ones.
    public let other: [Element]

    /// One element in its raw form.
    public struct Element: Sendable, Hashable {
        /// The value of the element.
        public let type: UInt8
        /// The value; at most 255 bytes can be encoded.
        public let data: [UInt8]

        /// An element of these fields. Nothing is checked before it becomes part of a record.
        public init(type: UInt8, data: [UInt8]) {
            self.type = type
            self.data = data
        }
    }

    /// Device information to be written.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `DI_TOO_LONG` where a value is longer than 255 bytes; `DI_UUID_LEN`; or
    ///   `DI_OTHER` where one of the others would be read as one of the fields.
    public init(
        vendorName: String,
        modelName: String,
        uniqueName: String? = nil,
        uuid: [UInt8]? = nil,
        firmwareVersion: String? = nil,
        other: [Element] = []
    ) throws(NDEFPayloadError) {
        self.vendorName = vendorName
        self.modelName = modelName
        self.uniqueName = uniqueName
        self.uuid = uuid
        self.firmwareVersion = firmwareVersion
        self.other = other
        if let uuid { try Self.check(uuid: uuid) }
        for element in elements { try Self.check(length: element.data.count) }
        // An element of a field that is not set would be read as that field.
        let free = Set(ElementType.allCases.map(\.rawValue)).subtracting(fields.map(\.type))
        guard !other.contains(where: { free.contains($0.type) }) else { throw .deviceInformationOther }
    }

    static func check(length: Int) throws(NDEFPayloadError) {
        guard length <= 0xFF else {
            let reason = "a value of \(length) bytes is longer than the 255 bytes that can be encoded"
            throw NDEFPayloadError(.deviceInformationTooLong, reason)
        }
    }

    static func check(uuid: [UInt8]) throws(NDEFPayloadError) {
        guard uuid.count == 16 else {
            let reason = "the UUID has \(counted(uuid.count, "byte")) instead of 16"
            throw NDEFPayloadError(.deviceInformationUUIDLength, reason)
        }
    }

    /// Well-known type `Di`.
    public static let recordTypes = [NDEFRecordType.wellKnown("Di")]
    /// `deviceInformation`.
    public static let kind = "deviceInformation"
}

// MARK: - For people

extension DeviceInformationRecord {
    /// The UUID as people write it (RFC 4122, §3), such as `6361ae18-d5b0-11ea-9d08-40a3ccfd0957`.
    public var uuidString: String? {
        guard let uuid else { return nil }
        var reader = ByteReader(uuid)
        let groups = [4, 2, 2, 2, 6].compactMap { reader.bytes($0) }
        return groups.map { Array($0).hexadecimal.lowercased() }.joined(separator: "-")
    }

    /// Such as `Device "ABC Company" "Reader 1", name "Front door", firmware "1.0.0"`.
    public var description: String {
        var parts = ["Device \"\(vendorName.escaped)\" \"\(modelName.escaped)\""]
        if let uniqueName { parts.append("name \"\(uniqueName.escaped)\"") }
        if let uuidString { parts.append("UUID \(uuidString)") }
        if let firmwareVersion { parts.append("firmware \"\(firmwareVersion.escaped)\"") }
        if !other.isEmpty { parts.append(counted(other.count, "other element")) }
        return parts.joined(separator: ", ")
    }
}

extension NDEFWarning.Code {
    /// An element of a device information payload is repeated.
    public static let deviceInformationRepeated = Self("DI_REPEATED", "an element is repeated; the first one counts")
    /// The name of the vendor or of the model in a device information payload has no characters.
    public static let deviceInformationNameEmpty = Self(
        "DI_NAME_EMPTY", "the name of the vendor or of the model is empty")
}

extension NDEFPayloadError.Code {
    /// An element of a device information payload runs past its end.
    public static let deviceInformationShort = Self(rawValue: "DI_SHORT")
    /// A device information payload does not name the vendor or the model.
    public static let deviceInformationMandatoryMissing = Self(rawValue: "DI_MANDATORY_MISSING")
    /// A name or a version of a device information payload is not well-formed UTF-8.
    public static let deviceInformationNotUTF8 = Self(rawValue: "DI_NOT_UTF8")
    /// The UUID of a device is not 16 bytes long.
    public static let deviceInformationUUIDLength = Self(rawValue: "DI_UUID_LEN")
    /// A value of device information to be encoded is longer than 255 bytes.
    public static let deviceInformationTooLong = Self(rawValue: "DI_TOO_LONG")
    /// One of the other elements of device information to be encoded belongs in a field.
    public static let deviceInformationOther = Self(rawValue: "DI_OTHER")
}

extension NDEFPayloadError {
    fileprivate static let deviceInformationOther = Self(
        .deviceInformationOther, "one of the other elements would be read as a name, a UUID or a version")
}

extension DeviceInformationRecord {
    /// The elements that are fields.
    enum ElementType: UInt8, CaseIterable {
        case vendorName = 0
        case modelName = 1
        case uniqueName = 2
        case uuid = 3
        case firmwareVersion = 4
    }

    /// Decodes a payload. Names without characters and repeated elements are tolerated with a warning; of the latter the
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

extension DeviceInformationRecord {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case vendorName, modelName, uniqueName, uuid, firmwareVersion, other
    }

    /// Writes `vendorName` and `modelName`, and, if there are any, `uniqueName`, `uuid` (with hyphens),
    /// `firmwareVersion` and `other`, a list of objects of `type` (a number) and `data`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(vendorName, forKey: .vendorName)
        try container.encode(modelName, forKey: .modelName)
        try container.encodeIfPresent(uniqueName, forKey: .uniqueName)
        try container.encodeIfPresent(uuidString, forKey: .uuid)
        try container.encodeIfPresent(firmwareVersion, forKey: .firmwareVersion)
        if !other.isEmpty { try container.encode(other, forKey: .other) }
    }

    /// Reads `vendorName` and `modelName`, and any of `uniqueName`, `uuid` (32 hexadecimal digits of either case,
    /// hyphens between them ignored), `firmwareVersion` and `other`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let vendorName = try container.decode(String.self, forKey: .vendorName)
        let modelName = try container.decode(String.self, forKey: .modelName)
        let uniqueName = try container.decodeIfPresent(String.self, forKey: .uniqueName)
        let uuid = try Self.uuid(in: container)
        let firmwareVersion = try container.decodeIfPresent(String.self, forKey: .firmwareVersion)
        let other = try container.decodeIfPresent([Element].self, forKey: .other) ?? []
        // Checked one by one first, so that an error names the field.
        let texts: [(CodingKeys, String?)] = [
            (.vendorName, vendorName), (.modelName, modelName), (.uniqueName, uniqueName),
            (.firmwareVersion, firmwareVersion),
        ]
        for (key, text) in texts {
            try container.accepting(key) { () throws(NDEFPayloadError) in try Self.check(length: text?.utf8.count ?? 0)
            }
        }
        self = try container.accepting(.other) { () throws(NDEFPayloadError) in
            try DeviceInformationRecord(
                vendorName: vendorName, modelName: modelName, uniqueName: uniqueName, uuid: uuid,
                firmwareVersion: firmwareVersion, other: other)
        }
    }

    private static func uuid(in container: KeyedDecodingContainer<CodingKeys>) throws -> [UInt8]? {
        guard let text = try container.decodeIfPresent(String.self, forKey: .uuid) else { return nil }
        let digits = String(decoding: text.utf8.filter { $0 != UInt8(ascii: "-") }, as: UTF8.self)
        guard let uuid = [UInt8](hexadecimal: digits) else {
            throw container.rejection(forKey: .uuid, "not an even number of hexadecimal digits and hyphens")
        }
        try container.accepting(.uuid) { () throws(NDEFPayloadError) in try check(uuid: uuid) }
        return uuid
    }
}

extension DeviceInformationRecord: JSONDescribed {
    package static var jsonSummary: String {
        "What device the message comes from (well-known type `Di`). Texts take at most 255 bytes in UTF-8."
    }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .vendorName:
                .required(.text, "Who made the device.")
            case .modelName:
                .required(.text, "The name of the model.")
            case .uniqueName:
                .optional(.text, "The name of this one device.")
            case .uuid:
                .optional(
                    .pattern("^-*([0-9A-Fa-f]-*){32}$"),
                    "The UUID of this one device: 32 hexadecimal digits, written in lower case with hyphens.")
            case .firmwareVersion:
                .optional(.text, "The version of the firmware.")
            case .other:
                .optional(.list(.object(Element.self)), "The elements of other types, and repeated ones.")
            }
        }
    }
}

extension DeviceInformationRecord.Element: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case type, data
    }

    /// Writes `type` as a number, and `data`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(type, forKey: .type)
        try container.encode(hexadecimal: data, forKey: .data)
    }

    /// Reads `type`, and `data` (empty where missing).
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            type: try container.decodeInteger(UInt8.self, forKey: .type),
            data: try container.decodeHexadecimalIfPresent(forKey: .data) ?? [])
    }
}

extension DeviceInformationRecord.Element: JSONDescribed {
    /// `DeviceInformationElement`.
    package static let jsonName = "DeviceInformationElement"
    package static var jsonSummary: String { "An element of device information." }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .type:
                .required(.integer(0...0xFF), "The type.")
            case .data:
                .written(.bytes(0...0xFF), usual: .text(""), "The value.")
            }
        }
    }
}
