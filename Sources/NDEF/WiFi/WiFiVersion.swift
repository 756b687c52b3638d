/// A version of Wi-Fi Simple Configuration.
public struct WiFiVersion: RawRepresentable, Sendable, Hashable {
    /// The major number in the high half, the minor in the low half: 0x20 is 2.0.
    public let rawValue: UInt8

    /// The version of that byte.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// 1.0, which every device says in the first version field.
    public static let v1_0 = Self(rawValue: 0x10)
    /// 2.0.
    public static let v2_0 = Self(rawValue: 0x20)

    /// The version of that name, such as `2.0`; nil where it is no such name.
    init?(name: String) {
        guard
            let version = (UInt8.min...UInt8.max).lazy.map(Self.init(rawValue:)).first(where: { $0.description == name }
            )
        else { return nil }
        self = version
    }
}

extension WiFiVersion: CustomStringConvertible {
    /// Such as `2.0`.
    public var description: String { "\(rawValue >> 4).\(rawValue & 0x0F)" }
}

extension WiFiVersion: Codable {
    /// A regular expression for the names.
    static let pattern = #"^([0-9]|1[0-5])\.([0-9]|1[0-5])$"#

    /// Writes the name, such as `2.0`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    /// Reads the name, such as `2.0`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let version = WiFiVersion(name: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "a version is two numbers up to 15 with a point between, such as 2.0")
        }
        self = version
    }
}

/// The vendor extension of the Wi-Fi Alliance itself: its identifier, and elements of an identifier, a length and data of
/// one, one and so many bytes (Wi-Fi Simple Configuration 2.0, "WFA Vendor Extension").
enum WFAExtension {
    private static let vendor: [UInt8] = [0x00, 0x37, 0x2A]
    private static let version2: UInt8 = 0x00

    /// The attribute that names this version.
    static func attribute(_ version: WiFiVersion) -> WiFiAttribute {
        WiFiAttribute(WiFiAttribute.Kind.vendorExtension, checked: vendor + [version2, 1, version.rawValue])
    }

    static func isWFA(_ data: [UInt8]) -> Bool { data.starts(with: vendor) }

    /// The version in the data of this extension, and the data without it, nil where nothing else is left; no version where
    /// it names none. Nil where the elements run past the end.
    static func takingVersion2(from data: [UInt8]) -> (version: WiFiVersion?, others: [UInt8]?)? {
        var reader = ByteReader(data.dropFirst(vendor.count))
        var version: WiFiVersion?
        var others = vendor
        while !reader.isAtEnd {
            guard let identifier = reader.uint8(), let length = reader.uint8(),
                let element = reader.bytes(Int(length))
            else { return nil }
            if version == nil, identifier == version2, element.count == 1, let value = element.first {
                version = WiFiVersion(rawValue: value)
            } else {
                others += [identifier, length] + element
            }
        }
        return (version, others.count > vendor.count ? others : nil)
    }
}
