extension WiFiConfigurationRecord {
    private enum CodingKeys: String, CodingKey {
        case credentials, oobDevicePassword, version, version2, otherAttributes
    }

    /// Writes `credentials` and `version2` (null for none), and `oobDevicePassword`, `version` and `otherAttributes` where
    /// there are any. Versions are written as `2.0`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(credentials, forKey: .credentials)
        try container.encodeIfPresent(oobDevicePassword, forKey: .oobDevicePassword)
        try container.encodeIfPresent(version, forKey: .version)
        try container.encode(version2, forKey: .version2)
        try container.encodeIfNotEmpty(otherAttributes, forKey: .otherAttributes)
    }

    /// Reads `credentials`, `oobDevicePassword`, `version`, `version2` (`2.0` where missing, none where null) and
    /// `otherAttributes`, each where it is there.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let credentials = try container.decodeIfPresent([WiFiCredential].self, forKey: .credentials) ?? []
        let password = try container.decodeIfPresent(WiFiDevicePassword.self, forKey: .oobDevicePassword)
        let version = try container.decodeIfPresent(WiFiVersion.self, forKey: .version)
        let version2 = try container.decode(forKey: .version2, orUsual: WiFiVersion.v2_0)
        let others = try container.decodeIfPresent([WiFiAttribute].self, forKey: .otherAttributes) ?? []
        self = try container.accepting(.otherAttributes) { () throws(NDEFPayloadError) in
            try WiFiConfigurationRecord(
                credentials: credentials, oobDevicePassword: password, version: version, version2: version2,
                otherAttributes: others)
        }
    }
}

extension WiFiDevicePassword: Codable {
    private enum CodingKeys: String, CodingKey {
        case publicKeyHash, passwordID, password
    }

    /// Writes `publicKeyHash`, `passwordID` and `password`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(hexadecimal: publicKeyHash, forKey: .publicKeyHash)
        try container.encode(passwordID, forKey: .passwordID)
        try container.encode(hexadecimal: password, forKey: .password)
    }

    /// Reads `publicKeyHash` and `passwordID`, and `password` (empty where missing).
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let hash = try container.decodeHexadecimal(forKey: .publicKeyHash)
        let identifier = try container.decode(UInt16.self, forKey: .passwordID)
        let password = try container.decodeHexadecimalIfPresent(forKey: .password) ?? []
        self = try container.accepting(hash.count == 20 ? .password : .publicKeyHash) { () throws(NDEFPayloadError) in
            try WiFiDevicePassword(publicKeyHash: hash, passwordID: identifier, password: password)
        }
    }
}

extension WiFiAttribute: Codable {
    private enum CodingKeys: String, CodingKey {
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
