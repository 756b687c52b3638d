/// How a Wi-Fi network knows its members (Wi-Fi Simple Configuration 2.0, "Authentication Type"). A bit a way; the values
/// without a name are kept.
public struct WiFiAuthentication: RawRepresentable, Sendable, Hashable {
    /// The value on the tag.
    public let rawValue: UInt16

    /// The way of that value.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// None.
    public static let open = Self(rawValue: 0x0001)
    /// WPA with a pre-shared key.
    public static let wpaPersonal = Self(rawValue: 0x0002)
    /// A shared WEP key; deprecated.
    public static let shared = Self(rawValue: 0x0004)
    /// WPA with 802.1X.
    public static let wpaEnterprise = Self(rawValue: 0x0008)
    /// WPA2 with 802.1X.
    public static let wpa2Enterprise = Self(rawValue: 0x0010)
    /// WPA or WPA2 with 802.1X.
    public static let wpaWPA2Enterprise = Self(rawValue: 0x0018)
    /// WPA2 with a pre-shared key; the usual one.
    public static let wpa2Personal = Self(rawValue: 0x0020)
    /// WPA or WPA2 with a pre-shared key.
    public static let wpaWPA2Personal = Self(rawValue: 0x0022)
    /// WPA3 with a password (SAE); a bit that Wi-Fi EasyMesh uses.
    public static let wpa3Personal = Self(rawValue: 0x0040)
    /// WPA2 with a pre-shared key or WPA3 with the same password.
    public static let wpa2WPA3Personal = Self(rawValue: 0x0060)
}

/// How a Wi-Fi network encrypts (Wi-Fi Simple Configuration 2.0, "Encryption Type"). A bit a way; the values without a name
/// are kept.
public struct WiFiEncryption: RawRepresentable, Sendable, Hashable {
    /// The value on the tag.
    public let rawValue: UInt16

    /// The way of that value.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Not at all.
    public static let none = Self(rawValue: 0x0001)
    /// WEP; deprecated.
    public static let wep = Self(rawValue: 0x0002)
    /// TKIP; deprecated.
    public static let tkip = Self(rawValue: 0x0004)
    /// AES; the usual one.
    public static let aes = Self(rawValue: 0x0008)
    /// AES or TKIP.
    public static let aesTKIP = Self(rawValue: 0x000C)
}

/// A value of two bytes, some of which have names.
protocol WiFiNamedValue: RawRepresentable where RawValue == UInt16 {
    static var names: [(value: Self, name: String)] { get }
    init(rawValue: UInt16)
}

extension WiFiNamedValue {
    var name: String? { Self.names.first { $0.value.rawValue == rawValue }?.name }

    /// The value in two bytes, highest first; nil where they are not two.
    static func reading(_ data: [UInt8]) -> Self? {
        var reader = ByteReader(data)
        guard let value = reader.uint16(), reader.isAtEnd else { return nil }
        return Self(rawValue: value)
    }

    /// The name, or the digits of the value.
    var line: String { name ?? rawValue.bigEndianBytes.hexadecimal }
}

extension WiFiAuthentication: WiFiNamedValue {
    static let names: [(value: WiFiAuthentication, name: String)] = [
        (.open, "open"), (.wpaPersonal, "wpaPersonal"), (.shared, "shared"), (.wpaEnterprise, "wpaEnterprise"),
        (.wpa2Enterprise, "wpa2Enterprise"), (.wpaWPA2Enterprise, "wpaWPA2Enterprise"),
        (.wpa2Personal, "wpa2Personal"), (.wpaWPA2Personal, "wpaWPA2Personal"), (.wpa3Personal, "wpa3Personal"),
        (.wpa2WPA3Personal, "wpa2WPA3Personal"),
    ]
}

extension WiFiEncryption: WiFiNamedValue {
    static let names: [(value: WiFiEncryption, name: String)] = [
        (.none, "none"), (.wep, "wep"), (.tkip, "tkip"), (.aes, "aes"), (.aesTKIP, "aesTKIP"),
    ]
}

extension WiFiAuthentication: Codable {
    /// Writes the name, such as `wpa2Personal`, or the number where it has none.
    public func encode(to encoder: any Encoder) throws { try encodeNamed(to: encoder) }

    /// Reads the name or the number.
    public init(from decoder: any Decoder) throws { self = try Self.decodingNamed(from: decoder) }
}

extension WiFiEncryption: Codable {
    /// Writes the name, such as `aes`, or the number where it has none.
    public func encode(to encoder: any Encoder) throws { try encodeNamed(to: encoder) }

    /// Reads the name or the number.
    public init(from decoder: any Decoder) throws { self = try Self.decodingNamed(from: decoder) }
}

extension WiFiNamedValue {
    fileprivate func encodeNamed(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let name { try container.encode(name) } else { try container.encode(rawValue) }
    }

    fileprivate static func decodingNamed(from decoder: any Decoder) throws -> Self {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(UInt16.self) { return Self(rawValue: number) }
        let name = try container.decode(String.self)
        guard let value = names.first(where: { $0.name == name })?.value else {
            let names = self.names.map(\.name).joined(separator: ", ")
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "there is no such name, only \(names); a number is taken as well")
        }
        return value
    }
}
