extension SignatureRecord {
    private enum CodingKeys: String, CodingKey {
        case version, signatureType, hashType, signature, signatureURI, certificateFormat, certificates
        case nextCertificateURI
    }

    /// Writes `version` (`2.0` or `1.0`), `signatureType`, `hashType` (not in 1.0), `signature` or `signatureURI`,
    /// `certificateFormat`, `certificates`, and `nextCertificateURI` where there is one. Signature type, hash type and
    /// certificate format are written by their names in the standard, reserved ones as numbers.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(NameOrNumber(version.rawValue, in: Version.names), forKey: .version)
        let type = NameOrNumber(signatureType.rawValue, in: SignatureType.names(in: version))
        try container.encode(type, forKey: .signatureType)
        try container.encodeIfPresent(
            hashType.map { NameOrNumber($0.rawValue, in: HashType.names) }, forKey: .hashType)
        switch signature {
        case .embedded(let bytes): try container.encode(hexadecimal: bytes, forKey: .signature)
        case .uri(let uri): try container.encode(uri, forKey: .signatureURI)
        }
        let format = NameOrNumber(certificateFormat.rawValue, in: CertificateFormat.names(in: version))
        try container.encode(format, forKey: .certificateFormat)
        try container.encode(certificates.map(\.hexadecimal), forKey: .certificates)
        try container.encodeIfPresent(nextCertificateURI, forKey: .nextCertificateURI)
    }

    /// Reads `signatureType`, and any of `version` (`2.0` where missing), `hashType` (`SHA-256` where missing; refused
    /// in 1.0), `signature` or `signatureURI` (no bytes where missing), `certificateFormat` (`X.509` where missing),
    /// `certificates` and `nextCertificateURI`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let version = try Self.version(in: container)
        let type = try Self.signatureType(in: container, version)
        let hash = try Self.hashType(in: container, version)
        let signature = try Self.signature(in: container)
        let format = try Self.certificateFormat(in: container, version)
        let certificates = try Self.certificates(in: container)
        let uri = try container.decodeIfPresent(String.self, forKey: .nextCertificateURI)
        self = try container.accepting(.nextCertificateURI) { () throws(NDEFPayloadError) in
            try SignatureRecord(
                signatureType: type, hashType: hash, signature: signature, certificateFormat: format,
                certificates: certificates, nextCertificateURI: uri)
        }
    }
}

// MARK: - Reading the fields

extension SignatureRecord {
    private typealias Fields = KeyedDecodingContainer<CodingKeys>

    private static func version(in fields: Fields) throws -> Version {
        guard let number = try fields.decodeNamedNumberIfPresent(forKey: .version, in: Version.names) else {
            return .v2
        }
        guard let version = Version(rawValue: number) else {
            throw fields.rejection(forKey: .version, "there is no such version, only 1.0 and 2.0")
        }
        return version
    }

    private static func signatureType(in fields: Fields, _ version: Version) throws -> SignatureType {
        let names = SignatureType.names(in: version)
        let key = CodingKeys.signatureType
        guard let number = try fields.decodeNamedNumberIfPresent(forKey: key, in: names) else {
            throw fields.rejection(forKey: key, "the signature type is missing")
        }
        guard let type = SignatureType(rawValue: number) else {
            throw fields.rejection(forKey: key, "the number is above 127")
        }
        return type
    }

    private static func hashType(in fields: Fields, _ version: Version) throws -> HashType? {
        let number = try fields.decodeNamedNumberIfPresent(forKey: .hashType, in: HashType.names)
        guard version == .v1 else { return number.map(HashType.init) ?? .sha256 }
        guard number == nil else { throw fields.rejection(forKey: .hashType, "version 1.0 has no hash type") }
        return nil
    }

    private static func signature(in fields: Fields) throws -> Signature {
        let bytes = try fields.decodeHexadecimalIfPresent(forKey: .signature)
        let uri = try fields.decodeIfPresent(String.self, forKey: .signatureURI)
        guard bytes == nil || uri == nil else {
            throw fields.rejection(forKey: .signatureURI, "there is a signature as well as its URI")
        }
        let signature = uri.map(Signature.uri) ?? .embedded(bytes ?? [])
        try fields.accepting(uri == nil ? .signature : .signatureURI) { () throws(NDEFPayloadError) in
            try check(signature)
        }
        return signature
    }

    private static func certificateFormat(in fields: Fields, _ version: Version) throws -> CertificateFormat {
        let names = CertificateFormat.names(in: version)
        let number = try fields.decodeNamedNumberIfPresent(forKey: .certificateFormat, in: names) ?? 0
        guard let format = CertificateFormat(rawValue: number) else {
            throw fields.rejection(forKey: .certificateFormat, "the number is above 7")
        }
        return format
    }

    private static func certificates(in fields: Fields) throws -> [[UInt8]] {
        let digits = try fields.decodeIfPresent([String].self, forKey: .certificates) ?? []
        let certificates = digits.compactMap { [UInt8](hexadecimal: $0) }
        guard certificates.count == digits.count else {
            throw fields.rejection(forKey: .certificates, "not an even number of hexadecimal digits")
        }
        try fields.accepting(.certificates) { () throws(NDEFPayloadError) in try check(certificates: certificates) }
        return certificates
    }
}
