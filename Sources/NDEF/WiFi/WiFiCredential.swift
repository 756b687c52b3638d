/// What a device needs to join a Wi-Fi network (Wi-Fi Simple Configuration 2.0, "Credential").
public struct WiFiCredential: Sendable, Hashable {
    /// The name of the network, 0 to 32 bytes; mostly text, see ``ssidText``.
    public internal(set) var ssid: [UInt8]
    /// The key or passphrase, 0 to 64 bytes; empty for none. Mostly text, see ``keyText``.
    public internal(set) var key: [UInt8]
    /// How the network knows its members; nil where the tag does not say.
    public internal(set) var authentication: WiFiAuthentication?
    /// How the network encrypts; nil where the tag does not say.
    public internal(set) var encryption: WiFiEncryption?
    /// The address of the member that it is meant for, 6 bytes, all FF for any; nil where the tag does not say.
    public internal(set) var macAddress: [UInt8]?
    /// The number of the network, always 1 today; nil where the tag does not say.
    public internal(set) var networkIndex: UInt8?
    /// Whether the network gives out the key by itself (802.1X); nil where the tag does not say.
    public internal(set) var keyProvidedAutomatically: Bool?
    /// The attributes without a field here, vendor extensions among them. Also those that come again or are not of the form
    /// of their type.
    public internal(set) var otherAttributes: [WiFiAttribute]

    /// A credential to be written. What is nil is as usual: authentication and encryption are those of WPA2 with AES if
    /// there is a key, and of an open network if there is none; the address stands for any member; the index is 1.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `WSC_SSID_LENGTH` for more than 32 bytes, `WSC_KEY_LENGTH` for more than 64,
    ///   `WSC_MAC_LENGTH` for an address that has not 6, `WSC_ATTR_TOO_LONG` where all together has more than 65,535, and
    ///   `WSC_ATTR_MISPLACED` where one of the other attributes belongs in a field.
    public init(
        ssid: [UInt8],
        key: [UInt8] = [],
        authentication: WiFiAuthentication? = nil,
        encryption: WiFiEncryption? = nil,
        macAddress: [UInt8]? = nil,
        networkIndex: UInt8? = nil,
        keyProvidedAutomatically: Bool? = nil,
        otherAttributes: [WiFiAttribute] = []
    ) throws(NDEFPayloadError) {
        self.ssid = ssid
        self.key = key
        self.authentication = authentication ?? (key.isEmpty ? .open : .wpa2Personal)
        self.encryption = encryption ?? (key.isEmpty ? WiFiEncryption.none : .aes)
        self.macAddress = macAddress ?? Self.anyMember
        self.networkIndex = networkIndex ?? 1
        self.keyProvidedAutomatically = keyProvidedAutomatically
        self.otherAttributes = otherAttributes
        try check()
    }

    /// A credential for a network as most homes have: WPA2 with AES, or open if there is no key.
    ///
    /// - Parameters:
    ///   - ssid: the name of the network, 1 to 32 bytes in UTF-8.
    ///   - key: a passphrase of 8 to 63 bytes in UTF-8, or a key of 64 hexadecimal digits; nil for an open network.
    /// - Throws: ``NDEFPayloadError`` with code `WSC_SSID_LENGTH` or `WSC_PASSPHRASE_LENGTH`.
    public init(ssid: String, key: String? = nil) throws(NDEFPayloadError) {
        guard !ssid.isEmpty else { throw .ssidLength(0) }
        if let key { try Self.check(passphrase: Array(key.utf8)) }
        try self.init(ssid: Array(ssid.utf8), key: key.map { Array($0.utf8) } ?? [])
    }

    private static let anyMember = [UInt8](repeating: 0xFF, count: 6)

    /// The name of the network as text; nil where it is not UTF-8.
    public var ssidText: String? { String(utf8: ssid[...]) }

    /// The key as text; nil where it is not UTF-8.
    public var keyText: String? { String(utf8: key[...]) }
}

// MARK: - Limits

extension WiFiCredential {
    /// Checks everything that encoding relies on.
    func check() throws(NDEFPayloadError) {
        try checkLengths()
        guard macAddress?.count ?? 6 == 6 else {
            throw NDEFPayloadError(.wifiAddressLength, "a MAC address has 6 bytes")
        }
        _ = try WiFiAttribute(type: WiFiAttribute.Kind.credential, data: WiFiAttribute.encodeRow(attributes))
        var warnings: [NDEFWarning.Code] = []
        guard try WiFiCredential(attributes: attributes, warnings: &warnings) == self else { throw .misplacedAttribute }
    }

    func checkLengths() throws(NDEFPayloadError) {
        guard ssid.count <= 32 else { throw .ssidLength(ssid.count) }
        guard key.count <= 64 else {
            let reason = "a network key has at most 64 bytes, not \(key.count)"
            throw NDEFPayloadError(.wifiKeyLength, reason)
        }
    }

    /// Checks a WPA passphrase (IEEE 802.11) or a key in hexadecimal digits.
    static func check(passphrase: [UInt8]) throws(NDEFPayloadError) {
        let isKey = passphrase.count == 64 && [UInt8](hexadecimal: String(decoding: passphrase, as: UTF8.self)) != nil
        guard isKey || (8...63).contains(passphrase.count) else {
            let reason = "a passphrase has 8 to 63 characters, or is a key of 64 hexadecimal digits"
            throw NDEFPayloadError(.wifiPassphraseLength, reason)
        }
    }
}

extension NDEFWarning.Code {
    /// A Wi-Fi credential does not name its network.
    public static let wifiSSIDMissing = Self("WSC_SSID_MISSING", "a credential does not name its network")
}

extension NDEFPayloadError.Code {
    /// A network name has more than 32 bytes, or none where one is needed.
    public static let wifiSSIDLength = Self(rawValue: "WSC_SSID_LENGTH")
    /// A network key has more than 64 bytes.
    public static let wifiKeyLength = Self(rawValue: "WSC_KEY_LENGTH")
    /// A passphrase has not 8 to 63 characters and is not a key of 64 hexadecimal digits.
    public static let wifiPassphraseLength = Self(rawValue: "WSC_PASSPHRASE_LENGTH")
    /// A MAC address has not 6 bytes.
    public static let wifiAddressLength = Self(rawValue: "WSC_MAC_LENGTH")
}

extension NDEFPayloadError {
    fileprivate static func ssidLength(_ count: Int) -> Self {
        Self(.wifiSSIDLength, "a network name has 1 to 32 bytes, not \(count)")
    }

    static let misplacedAttribute = Self(
        .wifiAttributeMisplaced, "one of the other attributes has its own field, which is empty")
}

extension WiFiCredential {
    private typealias Kind = WiFiAttribute.Kind

    /// The types of the attributes that have a field.
    static let attributeTypes: Set<UInt16> = [
        Kind.networkIndex, Kind.ssid, Kind.authentication, Kind.encryption, Kind.networkKey, Kind.macAddress,
        Kind.keyProvidedAutomatically,
    ]

    /// The credential that these attributes make.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `WSC_SSID_LENGTH` or `WSC_KEY_LENGTH`.
    init(attributes: [WiFiAttribute], warnings: inout [NDEFWarning.Code]) throws(NDEFPayloadError) {
        var row = WiFiAttributeRow(attributes)
        let ssid = row.take(Kind.ssid, warnings: &warnings) { $0 }
        if ssid == nil { warnings.appendOnce(.wifiSSIDMissing) }
        self.ssid = ssid ?? []
        key = row.take(Kind.networkKey, warnings: &warnings) { $0 } ?? []
        authentication = row.take(Kind.authentication, warnings: &warnings, WiFiAuthentication.reading)
        encryption = row.take(Kind.encryption, warnings: &warnings, WiFiEncryption.reading)
        macAddress = row.take(Kind.macAddress, warnings: &warnings) { $0.count == 6 ? $0 : nil }
        networkIndex = row.take(Kind.networkIndex, warnings: &warnings) { $0.count == 1 ? $0.first : nil }
        keyProvidedAutomatically = row.take(Kind.keyProvidedAutomatically, warnings: &warnings) { data in
            data == [0] ? false : data == [1] ? true : nil
        }
        otherAttributes = row.rest
        try checkLengths()
    }

    /// The attributes in the order of the standard's table. Name and key are always there, if need be empty.
    var attributes: [WiFiAttribute] {
        let fields = [
            networkIndex.map { WiFiAttribute(Kind.networkIndex, checked: [$0]) },
            WiFiAttribute(Kind.ssid, checked: ssid),
            authentication.map { WiFiAttribute(Kind.authentication, checked: $0.rawValue.bigEndianBytes) },
            encryption.map { WiFiAttribute(Kind.encryption, checked: $0.rawValue.bigEndianBytes) },
            WiFiAttribute(Kind.networkKey, checked: key),
            macAddress.map { WiFiAttribute(Kind.macAddress, checked: $0) },
            keyProvidedAutomatically.map { WiFiAttribute(Kind.keyProvidedAutomatically, checked: [$0 ? 1 : 0]) },
        ]
        return fields.compactMap { $0 } + otherAttributes
    }
}

extension WiFiCredential: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case networkIndex, ssid, ssidBytes, authentication, encryption, key, keyBytes, macAddress
        case keyProvidedAutomatically, otherAttributes
    }

    /// Writes `ssid` and `key` as text, or `ssidBytes` and `keyBytes` where they are not text; `authentication`, `encryption`,
    /// `macAddress` and `networkIndex` (null where the tag does not say); and `keyProvidedAutomatically` and
    /// `otherAttributes` if there are any.
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

extension WiFiCredential: JSONDescribed {
    package static var jsonSummary: String { "A Wi-Fi network." }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .networkIndex:
                .written(
                    .integer(0...0xFF), usual: .integer(1), null: "The tag does not say.", "The index; always 1 today.")
            case .ssid:
                .optional(.text, "The name of the network, if it is UTF-8; at most 32 bytes.")
            case .ssidBytes:
                .optional(.bytes(0...32), "The name of the network, if it is not UTF-8.")
            case .authentication:
                .written(
                    .words(WiFiAuthentication.names.map(\.name), numbers: 0...0xFFFF), null: "The tag does not say.",
                    "How the network knows its members. A missing one is `wpa2Personal` with a key, and `open` without."
                )
            case .encryption:
                .written(
                    .words(WiFiEncryption.names.map(\.name), numbers: 0...0xFFFF), null: "The tag does not say.",
                    "How the network encrypts. A missing one is `aes` with a key, and `none` without.")
            case .key:
                .optional(.text, "The key or passphrase, if it is UTF-8; at most 64 bytes, empty for none.")
            case .keyBytes:
                .optional(.bytes(0...64), "The key, if it is not UTF-8.")
            case .macAddress:
                .written(
                    .bytes(6...6), usual: .text("FFFFFFFFFFFF"), null: "The tag does not say.",
                    "The address of the device; all `FF` for any device.")
            case .keyProvidedAutomatically:
                .optional(.boolean, "Whether the network gives the key by itself.")
            case .otherAttributes:
                .optional(.list(.object(WiFiAttribute.self)), "The attributes without a field.")
            }
        }
    }
}
