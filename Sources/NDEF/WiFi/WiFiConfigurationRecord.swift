/// Wi-Fi networks to join, or the password of a device to be joined: media type `application/vnd.wfa.wsc` (Wi-Fi Simple
/// Configuration 2.0, NFC configuration token and password token).
///
/// The payload is a row of attributes: each a type and a length of two bytes, highest first, and its data.
public struct WiFiConfigurationRecord: NDEFTypedPayload {
    /// The networks.
    public let credentials: [WiFiCredential]
    /// The password of the device, where this is a password token.
    public let oobDevicePassword: WiFiDevicePassword?
    /// The version, 1.0 for all devices; nil where the tag does not say.
    public let version: WiFiVersion?
    /// The version from 2.0 on, which is in an extension; nil where the tag does not say.
    public let version2: WiFiVersion?
    /// The attributes without a field here. Also those that come again or are not of the form of their type.
    public let otherAttributes: [WiFiAttribute]

    /// A configuration to be written.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `WSC_ATTR_MISPLACED` where one of the other attributes belongs in a field.
    public init(
        credentials: [WiFiCredential],
        oobDevicePassword: WiFiDevicePassword? = nil,
        version: WiFiVersion? = nil,
        version2: WiFiVersion? = .v2_0,
        otherAttributes: [WiFiAttribute] = []
    ) throws(NDEFPayloadError) {
        self.credentials = credentials
        self.oobDevicePassword = oobDevicePassword
        self.version = version
        self.version2 = version2
        self.otherAttributes = otherAttributes
        guard try Self(payload: payload) == self else { throw .misplacedAttribute }
    }

    /// Media type `application/vnd.wfa.wsc`.
    public static let recordTypes = [NDEFRecordType.media("application/vnd.wfa.wsc")]
    /// `wifi`.
    public static let kind = "wifi"

    /// Decodes a payload. Forgiven with a warning are the attributes of one credential without the credential around them,
    /// the length of the row in front of it, and attributes that come again or are not of the form of their type.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `WSC_TRUNCATED_ATTR`, `WSC_ATTR_OVERRUN`, `WSC_SSID_LENGTH`,
    ///   `WSC_KEY_LENGTH` or `WSC_ATTR_TOO_LONG`.
    public init(payload: [UInt8], warnings: inout [NDEFWarning.Code]) throws(NDEFPayloadError) {
        var row = WiFiAttributeRow(try Self.attributes(in: payload, warnings: &warnings))
        let isPasswordToken = row.contains(Kind.oobDevicePassword)
        oobDevicePassword = row.take(Kind.oobDevicePassword, warnings: &warnings, WiFiDevicePassword.init(data:))
        version = row.take(Kind.version, warnings: &warnings) { data in
            data.count == 1 ? data.first.map(WiFiVersion.init(rawValue:)) : nil
        }
        version2 = row.takeVersion2(warnings: &warnings)
        credentials = try Self.takeCredentials(from: &row, isPasswordToken: isPasswordToken, warnings: &warnings)
        otherAttributes = row.rest
        if credentials.isEmpty, oobDevicePassword == nil { warnings.append(.wifiWithoutCredential) }
    }

    /// The version, a credential for each network, the password, the version from 2.0 on, and the others in their order.
    public var payload: [UInt8] {
        let version = self.version.map { WiFiAttribute(Kind.version, checked: [$0.rawValue]) }
        let credentials = self.credentials.map { credential in
            WiFiAttribute(Kind.credential, checked: WiFiAttribute.encodeRow(credential.attributes))
        }
        let tail = [oobDevicePassword?.attribute, version2.map(WFAExtension.attribute)].compactMap { $0 }
        return WiFiAttribute.encodeRow((version.map { [$0] } ?? []) + credentials + tail + otherAttributes)
    }

    /// Such as `Wi-Fi "Home" (wpa2Personal)`. The keys are not shown.
    public var description: String {
        guard credentials.isEmpty else { return "Wi-Fi \(credentials.map(\.line).joined(separator: ", "))" }
        return oobDevicePassword.map { "Wi-Fi device password \($0.passwordID)" } ?? "Wi-Fi"
    }
}

// MARK: - Decoding

extension WiFiConfigurationRecord {
    private typealias Kind = WiFiAttribute.Kind

    /// The attributes. Peer-to-peer writers put the length of all in two bytes in front, which is tolerated.
    private static func attributes(
        in payload: [UInt8], warnings: inout [NDEFWarning.Code]
    ) throws(NDEFPayloadError) -> [WiFiAttribute] {
        do throws(NDEFPayloadError) {
            return try WiFiAttribute.decodeRow(payload[...])
        } catch {
            var reader = ByteReader(payload)
            guard let length = reader.uint16(), Int(length) == reader.remaining,
                let attributes = try? WiFiAttribute.decodeRow(reader.rest)
            else { throw error }
            warnings.append(.wifiLengthInFront)
            return attributes
        }
    }

    /// The credentials; if there are none, what the record has instead of one. A password token may name its network
    /// without a credential.
    private static func takeCredentials(
        from row: inout WiFiAttributeRow, isPasswordToken: Bool, warnings: inout [NDEFWarning.Code]
    ) throws(NDEFPayloadError) -> [WiFiCredential] {
        var credentials: [WiFiCredential] = []
        for wrapped in row.takeAll([Kind.credential]) {
            let attributes = try WiFiAttribute.decodeRow(wrapped.data[...])
            credentials.append(try credential(attributes, warnings: &warnings))
        }
        if credentials.isEmpty, !isPasswordToken, row.contains(Kind.ssid) {
            warnings.append(.wifiCredentialUnwrapped)
            let attributes = row.takeAll(WiFiCredential.attributeTypes)
            credentials.append(try credential(attributes, warnings: &warnings))
        }
        return credentials
    }

    private static func credential(
        _ attributes: [WiFiAttribute], warnings: inout [NDEFWarning.Code]
    ) throws(NDEFPayloadError) -> WiFiCredential {
        let credential = try WiFiCredential(attributes: attributes, warnings: &warnings)
        // What is added for the canonical form must fit as well.
        try credential.check()
        return credential
    }
}

extension WiFiCredential {
    fileprivate var line: String {
        let name = ssidText.map { "\"\($0.escaped)\"" } ?? ssid.hexadecimal
        return authentication.map { "\(name) (\($0.line))" } ?? name
    }
}

extension NDEFRecord {
    /// A record by which devices join a network of WPA2 with AES, or an open one if there is no key.
    ///
    /// - Throws: ``NDEFPayloadError`` where the name has not 1 to 32 bytes, or the passphrase not 8 to 63 characters.
    public static func wifi(
        ssid: String, key: String? = nil, identifier: [UInt8] = []
    ) throws(NDEFPayloadError) -> NDEFRecord {
        let credential = try WiFiCredential(ssid: ssid, key: key)
        return NDEFRecord(try WiFiConfigurationRecord(credentials: [credential]), identifier: identifier)
    }
}

extension WiFiConfigurationRecord {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case credentials, oobDevicePassword, version, version2, otherAttributes
    }

    /// Writes `credentials` and `version2` (null for none), and `oobDevicePassword`, `version` and `otherAttributes` if
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

extension WiFiConfigurationRecord: JSONDescribed {
    package static var jsonSummary: String {
        "Wi-Fi networks to join, or the password of a device (media type `application/vnd.wfa.wsc`)."
    }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .credentials:
                .written(
                    .list(.object(WiFiCredential.self)), usual: .emptyList, "The networks; none in a password token.")
            case .oobDevicePassword:
                .optional(.object(WiFiDevicePassword.self), "The password of the device, in a password token only.")
            case .version:
                .optional(.pattern(WiFiVersion.pattern), "The first version field, such as `1.0`.")
            case .version2:
                .written(
                    .pattern(WiFiVersion.pattern), usual: .text("2.0"), null: "The tag does not say.",
                    "The version, such as `2.0`.")
            case .otherAttributes:
                .optional(.list(.object(WiFiAttribute.self)), "The attributes without a field.")
            }
        }
    }
}

extension NDEFWarning.Code {
    /// The attributes of a Wi-Fi credential are not wrapped in a credential.
    public static let wifiCredentialUnwrapped = Self(
        "WSC_UNWRAPPED", "the attributes of a network are not wrapped in a credential")
    /// A Wi-Fi payload starts with its own length in two bytes.
    public static let wifiLengthInFront = Self("WSC_LENGTH_PREFIX", "the attributes have their length in front of them")
    /// A Wi-Fi payload has neither a credential nor a device password.
    public static let wifiWithoutCredential = Self(
        "WSC_NO_CREDENTIAL", "there is neither a credential nor a device password")
}
