extension WiFiCredential: Codable {
    private enum CodingKeys: String, CodingKey {
        case networkIndex, ssid, ssidBytes, authentication, encryption, key, keyBytes, macAddress
        case keyProvidedAutomatically, otherAttributes
    }

    /// Writes `ssid` and `key` as text, or `ssidBytes` and `keyBytes` where they are no text; `authentication`, `encryption`,
    /// `macAddress` and `networkIndex` (null where the tag does not say); and `keyProvidedAutomatically` and
    /// `otherAttributes` where there are any.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(networkIndex, forKey: .networkIndex)
        try container.encode(ssid, textForKey: .ssid, orBytesForKey: .ssidBytes)
        try container.encode(authentication, forKey: .authentication)
        try container.encode(encryption, forKey: .encryption)
        try container.encode(key, textForKey: .key, orBytesForKey: .keyBytes)
        try container.encode(macAddress?.hexadecimal, forKey: .macAddress)
        try container.encodeIfPresent(keyProvidedAutomatically, forKey: .keyProvidedAutomatically)
        try container.encodeIfNotEmpty(otherAttributes, forKey: .otherAttributes)
    }

    /// Reads the fields that are written. Where `authentication`, `encryption`, `macAddress` or `networkIndex` is missing it
    /// is as usual for such a network; where it is null there is none. A `key` without `authentication` has to be a
    /// passphrase of 8 to 63 characters or 64 hexadecimal digits.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let ssid =
            try container.decodeBytesIfPresent(textForKey: .ssid, orBytesForKey: .ssidBytes)
            ?? Array(container.decode(String.self, forKey: .ssid).utf8)
        let key = try container.decodeBytesIfPresent(textForKey: .key, orBytesForKey: .keyBytes) ?? []
        let isUsual = !container.contains(.authentication) && !key.isEmpty
        try container.accepting(.ssid) { () throws(NDEFPayloadError) in _ = try WiFiCredential(ssid: ssid) }
        self = try container.accepting(.key) { () throws(NDEFPayloadError) in
            if isUsual { try Self.check(passphrase: key) }
            return try WiFiCredential(ssid: ssid, key: key)
        }
        try readOptionalFields(from: container)
    }

    private mutating func readOptionalFields(from container: KeyedDecodingContainer<CodingKeys>) throws {
        authentication = try container.decode(forKey: .authentication, orUsual: authentication)
        encryption = try container.decode(forKey: .encryption, orUsual: encryption)
        networkIndex = try container.decode(forKey: .networkIndex, orUsual: networkIndex)
        if container.contains(.macAddress) {
            macAddress = try container.decodeHexadecimalIfPresent(forKey: .macAddress)
            try container.accepting(.macAddress, check)
        }
        keyProvidedAutomatically = try container.decodeIfPresent(Bool.self, forKey: .keyProvidedAutomatically)
        otherAttributes = try container.decodeIfPresent([WiFiAttribute].self, forKey: .otherAttributes) ?? []
        try container.accepting(.otherAttributes, check)
    }
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

extension WiFiVersion: Codable {
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
