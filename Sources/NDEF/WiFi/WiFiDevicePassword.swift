/// The password by which a device proves that it was close by (Wi-Fi Simple Configuration 2.0, "Out-of-Band Device
/// Password").
public struct WiFiDevicePassword: Sendable, Hashable {
    /// The first 20 bytes of the SHA-256 hash of the device's public key.
    public let publicKeyHash: [UInt8]
    /// Which password it is; 7 stands for a connection handover, which needs none.
    public let passwordID: UInt16
    /// The password, 0 to 32 bytes.
    public let password: [UInt8]

    /// A device password.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `WSC_PASSWORD_LENGTH` where the hash has not 20 bytes or the password more
    ///   than 32.
    public init(publicKeyHash: [UInt8], passwordID: UInt16, password: [UInt8] = []) throws(NDEFPayloadError) {
        guard publicKeyHash.count == Self.hashLength, password.count <= Self.passwordLimit else {
            let reason = "a device password has a hash of 20 bytes and at most 32 bytes of password"
            throw NDEFPayloadError(.wifiPasswordLength, reason)
        }
        self.publicKeyHash = publicKeyHash
        self.passwordID = passwordID
        self.password = password
    }

    private static let hashLength = 20
    private static let passwordLimit = 32

    /// The device password in the data of an attribute, or nil if it is invalid.
    init?(data: [UInt8]) {
        var reader = ByteReader(data)
        guard let hash = reader.bytes(Self.hashLength), let identifier = reader.uint16(),
            reader.remaining <= Self.passwordLimit
        else { return nil }
        publicKeyHash = Array(hash)
        passwordID = identifier
        password = Array(reader.rest)
    }

    var attribute: WiFiAttribute {
        WiFiAttribute(
            WiFiAttribute.Kind.oobDevicePassword, checked: publicKeyHash + passwordID.bigEndianBytes + password)
    }
}

extension NDEFPayloadError.Code {
    /// The key hash of a device password has not 20 bytes, or the password more than 32.
    public static let wifiPasswordLength = Self(rawValue: "WSC_PASSWORD_LENGTH")
}

extension WiFiDevicePassword: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
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

extension WiFiDevicePassword: JSONDescribed {
    package static var jsonSummary: String { "The password of a device." }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .publicKeyHash:
                .required(.bytes(20...20), "The beginning of the hash of its public key.")
            case .passwordID:
                .required(.integer(0...0xFFFF), "Which password it is; 7 stands for a handover, which needs none.")
            case .password:
                .written(.bytes(0...32), usual: .text(""), "The password.")
            }
        }
    }
}
