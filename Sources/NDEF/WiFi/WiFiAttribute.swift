/// One attribute of Wi-Fi Simple Configuration: a type and its data (Wi-Fi Simple Configuration 2.0, "Data Element
/// Definitions").
public struct WiFiAttribute: Sendable, Hashable {
    /// What the data is, such as 0x1045 for an SSID.
    public let type: UInt16
    /// The data; at most 65,535 bytes.
    public let data: [UInt8]

    /// An attribute of this type.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `WSC_ATTR_TOO_LONG` for more than 65,535 bytes.
    public init(type: UInt16, data: [UInt8]) throws(NDEFPayloadError) {
        guard data.count <= Int(UInt16.max) else {
            let reason = "an attribute of \(data.count) bytes is longer than the 65535 bytes that can be encoded"
            throw NDEFPayloadError(.wifiAttributeTooLong, reason)
        }
        self.type = type
        self.data = data
    }

    /// An attribute whose data is known to be short enough.
    init(_ type: UInt16, checked data: [UInt8]) {
        self.type = type
        self.data = data
    }

    /// The types that are taken apart.
    enum Kind {
        static let authentication: UInt16 = 0x1003
        static let credential: UInt16 = 0x100E
        static let encryption: UInt16 = 0x100F
        static let macAddress: UInt16 = 0x1020
        static let networkIndex: UInt16 = 0x1026
        static let networkKey: UInt16 = 0x1027
        static let oobDevicePassword: UInt16 = 0x102C
        static let ssid: UInt16 = 0x1045
        static let vendorExtension: UInt16 = 0x1049
        static let version: UInt16 = 0x104A
        static let keyProvidedAutomatically: UInt16 = 0x1061
    }
}

extension WiFiAttribute {
    /// The attributes in these bytes: each a type and a length of two bytes, and the data.
    static func decodeRow(_ bytes: ArraySlice<UInt8>) throws(NDEFPayloadError) -> [WiFiAttribute] {
        var reader = ByteReader(bytes)
        var attributes: [WiFiAttribute] = []
        while !reader.isAtEnd {
            let left = reader.remaining
            guard let type = reader.uint16(), let length = reader.uint16() else {
                let reason = "only \(counted(left, "byte")) left for the type and length of an attribute"
                throw NDEFPayloadError(.wifiAttributeTruncated, reason)
            }
            guard let data = reader.bytes(Int(length)) else {
                let reason =
                    "attribute \(type.bigEndianBytes.hexadecimal) of \(counted(Int(length), "byte")) runs past the end"
                    + " (\(counted(reader.remaining, "byte")) left)"
                throw NDEFPayloadError(.wifiAttributeOverrun, reason)
            }
            attributes.append(WiFiAttribute(type, checked: Array(data)))
        }
        return attributes
    }

    /// The bytes of these attributes.
    static func encodeRow(_ attributes: [WiFiAttribute]) -> [UInt8] {
        attributes.flatMap { attribute in
            let length = UInt16(truncatingIfNeeded: attribute.data.count)
            return attribute.type.bigEndianBytes + length.bigEndianBytes + attribute.data
        }
    }
}

/// Attributes from which fields are taken until only the others are left.
struct WiFiAttributeRow {
    private(set) var rest: [WiFiAttribute]

    init(_ attributes: [WiFiAttribute]) { rest = attributes }

    func contains(_ type: UInt16) -> Bool { rest.contains { $0.type == type } }

    /// Takes the first attribute of that type that can be read. One that cannot, and one that comes again, stay.
    mutating func take<Value>(
        _ type: UInt16, warnings: inout [NDEFWarning.Code], _ read: ([UInt8]) -> Value?
    ) -> Value? {
        var taken: (index: Int, value: Value)?
        for (index, attribute) in rest.enumerated() where attribute.type == type {
            if taken != nil {
                warnings.appendOnce(.wifiAttributeRepeated)
            } else if let value = read(attribute.data) {
                taken = (index, value)
            } else {
                warnings.appendOnce(.wifiAttributeForm)
            }
        }
        if let taken { rest.remove(at: taken.index) }
        return taken?.value
    }

    /// Takes all attributes of these types.
    mutating func takeAll(_ types: Set<UInt16>) -> [WiFiAttribute] {
        let taken = rest.filter { types.contains($0.type) }
        rest.removeAll { types.contains($0.type) }
        return taken
    }

    /// Takes the version out of the first extension of the Wi-Fi Alliance that names one; what else that one holds stays.
    mutating func takeVersion2(warnings: inout [NDEFWarning.Code]) -> WiFiVersion? {
        for (index, attribute) in rest.enumerated()
        where attribute.type == WiFiAttribute.Kind.vendorExtension && WFAExtension.isWFA(attribute.data) {
            guard let (version, others) = WFAExtension.takingVersion2(from: attribute.data) else {
                warnings.appendOnce(.wifiAttributeForm)
                continue
            }
            guard let version else { continue }
            rest.replaceSubrange(
                index...index, with: others.map { [WiFiAttribute(attribute.type, checked: $0)] } ?? [])
            return version
        }
        return nil
    }
}

extension [NDEFWarning.Code] {
    /// Adds a code that is not there yet.
    mutating func appendOnce(_ code: NDEFWarning.Code) {
        if !contains(code) { append(code) }
    }
}

extension NDEFWarning.Code {
    /// A Wi-Fi attribute is repeated; the first one counts, the others are kept unchanged.
    public static let wifiAttributeRepeated = Self(
        "WSC_ATTR_REPEATED", "an attribute is repeated; the first one counts")
    /// A Wi-Fi attribute does not have the format of its type; it is kept unchanged.
    public static let wifiAttributeForm = Self("WSC_ATTR_FORM", "an attribute does not have the format of its type")
}

extension NDEFPayloadError.Code {
    /// The type and length of a Wi-Fi attribute run past the end.
    public static let wifiAttributeTruncated = Self(rawValue: "WSC_TRUNCATED_ATTR")
    /// The data of a Wi-Fi attribute runs past the end.
    public static let wifiAttributeOverrun = Self(rawValue: "WSC_ATTR_OVERRUN")
    /// The data of a Wi-Fi attribute to be encoded is longer than 65,535 bytes.
    public static let wifiAttributeTooLong = Self(rawValue: "WSC_ATTR_TOO_LONG")
    /// One of the other Wi-Fi attributes to be encoded belongs in a field.
    public static let wifiAttributeMisplaced = Self(rawValue: "WSC_ATTR_MISPLACED")
}

extension WiFiAttribute: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case type, data
    }

    /// Writes `type`, in four hexadecimal digits, and `data`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(hexadecimal: type.bigEndianBytes, forKey: .type)
        try container.encode(hexadecimal: data, forKey: .data)
    }

    /// Reads `type`, and `data` (empty where missing).
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        var digits = ByteReader(try container.decodeHexadecimal(forKey: .type))
        guard let type = digits.uint16(), digits.isAtEnd else {
            throw container.rejection(forKey: .type, "a type has four hexadecimal digits")
        }
        let data = try container.decodeHexadecimalIfPresent(forKey: .data) ?? []
        self = try container.accepting(.data) { () throws(NDEFPayloadError) in
            try WiFiAttribute(type: type, data: data)
        }
    }
}

extension WiFiAttribute: JSONDescribed {
    package static var jsonSummary: String { "An attribute without a field." }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .type:
                .required(.bytes(2...2), "The type.")
            case .data:
                .written(.bytes, usual: .text(""), "The value.")
            }
        }
    }
}
