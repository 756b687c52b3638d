/// A signature of the records before it: well-known type `Sig` (NFC Forum Signature RTD 2.0; version 1.0 is read and
/// written as well).
///
/// The payload is the version, a byte of signature type and URI flag, the hash type (not in 1.0), the signature or its
/// URI, a byte of URI flag, certificate format and count, the certificates, and a URI for more of them. Lengths take
/// two bytes, the high one first. Nothing is verified here.
public struct SignatureRecord: NDEFTypedPayload {
    /// How the signature was made.
    public let signatureType: SignatureType
    /// The hash that was signed; nil in version 1.0, which has no such field.
    public let hashType: HashType?
    /// The signature, or where it is.
    public let signature: Signature
    /// The form of the certificates.
    public let certificateFormat: CertificateFormat
    /// The certificates, the signer's first and each one signed by the next; at most 15.
    public let certificates: [[UInt8]]
    /// Where the certificate is that follows the last one.
    public let nextCertificateURI: String?

    /// The edition of the standard: 2.0 with a hash type, 1.0 without.
    public var version: Version { hashType == nil ? .v1 : .v2 }

    /// A signature to be written; a record without arguments marks where signed records start.
    ///
    /// - Parameter hashType: nil for a record of version 1.0.
    /// - Throws: ``NDEFPayloadError`` with code `SIG_URI_CONTROL_CHARS`; `SIG_TOO_LONG` where the signature, a
    ///   certificate or a URI is longer than 65,535 bytes; or `SIG_CERT_COUNT` with more than 15 certificates.
    public init(
        signatureType: SignatureType = .noSignature,
        hashType: HashType? = .sha256,
        signature: Signature = .embedded([]),
        certificateFormat: CertificateFormat = .x509,
        certificates: [[UInt8]] = [],
        nextCertificateURI: String? = nil
    ) throws(NDEFPayloadError) {
        try Self.check(signature)
        try Self.check(certificates: certificates)
        if let nextCertificateURI { try Self.check(uri: nextCertificateURI) }
        self.signatureType = signatureType
        self.hashType = hashType
        self.signature = signature
        self.certificateFormat = certificateFormat
        self.certificates = certificates
        self.nextCertificateURI = nextCertificateURI
    }

    /// Well-known type `Sig`.
    public static let recordTypes = [NDEFRecordType.wellKnown("Sig")]
    /// `signature`.
    public static let kind = "signature"

    /// Such as `Signature 2.0 ECDSA-P256 SHA-256, 64 bytes, 2 X.509 certificates`.
    public var description: String {
        var parts = [title]
        switch signature {
        case .embedded(let bytes): parts.append(counted(bytes.count, "byte"))
        case .uri(let uri): parts.append("at \(uri.escaped)")
        }
        let format = certificateFormatName ?? "\(certificateFormat.rawValue) (reserved)"
        if !certificates.isEmpty { parts.append(counted(certificates.count, "\(format) certificate")) }
        if let nextCertificateURI { parts.append("next certificate \(nextCertificateURI.escaped)") }
        return parts.joined(separator: ", ")
    }

    private var title: String {
        let type = signatureTypeName ?? "\(signatureType.rawValue) (reserved)"
        guard let hashType else { return "Signature 1.0 \(type)" }
        return "Signature 2.0 \(type) \(hashTypeName ?? "\(hashType.rawValue) (reserved)")"
    }
}

// MARK: - What cannot be encoded

extension SignatureRecord {
    static func check(_ signature: Signature) throws(NDEFPayloadError) {
        switch signature {
        case .embedded(let bytes): try check(length: bytes.count)
        case .uri(let uri): try check(uri: uri)
        }
    }

    static func check(certificates: [[UInt8]]) throws(NDEFPayloadError) {
        guard certificates.count <= 0x0F else {
            let reason = "there are \(certificates.count) certificates, but at most 15 can be encoded"
            throw NDEFPayloadError(.signatureCertificateCount, reason)
        }
        for certificate in certificates { try check(length: certificate.count) }
    }

    static func check(uri: String) throws(NDEFPayloadError) {
        guard uri.utf8.allSatisfy({ $0 >= 0x20 }) else {
            throw NDEFPayloadError(.signatureURIControlCharacters, "a URI contains control characters")
        }
        try check(length: uri.utf8.count)
    }

    private static func check(length: Int) throws(NDEFPayloadError) {
        guard length <= 0xFFFF else {
            let reason = "a field of \(length) bytes is longer than the 65535 bytes that can be encoded"
            throw NDEFPayloadError(.signatureTooLong, reason)
        }
    }
}

extension NDEFWarning.Code {
    /// The signature type, the hash type or the certificate format of a signature payload is reserved.
    public static let signatureReserved = Self(
        "SIG_RFU", "the signature type, the hash type or the certificate format is reserved")
}

extension NDEFPayloadError.Code {
    /// A signature payload is of another version than 1.0 and 2.0.
    public static let signatureVersion = Self(rawValue: "SIG_VERSION")
    /// A signature payload ends before its last field does.
    public static let signatureShort = Self(rawValue: "SIG_SHORT")
    /// Bytes follow the last field of a signature payload.
    public static let signatureTrailingData = Self(rawValue: "SIG_TRAILING_DATA")
    /// The URI of a signature or of a certificate is not well-formed UTF-8.
    public static let signatureURINotUTF8 = Self(rawValue: "SIG_URI_NOT_UTF8")
    /// The URI of a signature or of a certificate contains characters below U+0020.
    public static let signatureURIControlCharacters = Self(rawValue: "SIG_URI_CONTROL_CHARS")
    /// A signature, a certificate or a URI to be encoded is longer than 65,535 bytes.
    public static let signatureTooLong = Self(rawValue: "SIG_TOO_LONG")
    /// There are more than 15 certificates to be encoded.
    public static let signatureCertificateCount = Self(rawValue: "SIG_CERT_COUNT")
}

extension SignatureRecord {
    /// The bit of the byte before a signature, or before the certificates, that says that there is a URI.
    private static let uriFlag: UInt8 = 0x80

    /// Decodes a payload. Reserved signature types, hash types and certificate formats are tolerated with a warning.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `SIG_SHORT`, `SIG_VERSION`, `SIG_TRAILING_DATA`, `SIG_URI_NOT_UTF8` or
    ///   `SIG_URI_CONTROL_CHARS`.
    public init(payload: [UInt8], warnings: inout [NDEFWarning.Code]) throws(NDEFPayloadError) {
        var reader = ByteReader(payload)
        let versionByte = try reader.signatureByte()
        guard let version = Version(rawValue: versionByte) else {
            let reason = "version \([versionByte].hexadecimal) is not known, only 01 and 20"
            throw NDEFPayloadError(.signatureVersion, reason)
        }
        let flags = try reader.signatureByte()
        // In version 1.0, the record that marks where signed records start may end here.
        if version == .v1, flags == 0, reader.isAtEnd {
            try self.init(hashType: nil)
            return
        }
        try self.init(version: version, flags: flags, &reader)
        guard reader.isAtEnd else {
            let reason = "\(counted(reader.remaining, "byte")) more after the last field of the signature"
            throw NDEFPayloadError(.signatureTrailingData, reason)
        }
        if hasReservedValues { warnings.append(.signatureReserved) }
    }

    private init(version: Version, flags: UInt8, _ reader: inout ByteReader) throws(NDEFPayloadError) {
        let hash: HashType? = version == .v1 ? nil : HashType(rawValue: try reader.signatureByte())
        let signature = try reader.signature(isURI: flags & Self.uriFlag != 0)
        let chain = try reader.signatureByte()
        var certificates: [[UInt8]] = []
        for _ in 0..<(chain & 0x0F) { certificates.append(Array(try reader.signatureField())) }
        try self.init(
            signatureType: SignatureType(lowBitsOf: flags), hashType: hash, signature: signature,
            certificateFormat: CertificateFormat(lowBitsOf: chain >> 4), certificates: certificates,
            nextCertificateURI: chain & Self.uriFlag != 0 ? try reader.signatureURI() : nil)
    }

    private var hasReservedValues: Bool {
        signatureTypeName == nil || certificateFormatName == nil || hashType != nil && hashTypeName == nil
    }

    /// The fields in their order; two bytes for a record of version 1.0 that says nothing.
    public var payload: [UInt8] {
        if version == .v1, isMarker { return [version.rawValue, 0] }
        var bytes = [version.rawValue]
        switch signature {
        case .embedded(let signature):
            bytes += [signatureType.rawValue] + hashBytes + Self.field(signature)
        case .uri(let uri):
            bytes += [signatureType.rawValue | Self.uriFlag] + hashBytes + Self.field(Array(uri.utf8))
        }
        let flag = nextCertificateURI == nil ? 0 : Self.uriFlag
        bytes.append(flag | certificateFormat.rawValue << 4 | UInt8(truncatingIfNeeded: certificates.count))
        for certificate in certificates { bytes += Self.field(certificate) }
        return bytes + (nextCertificateURI.map { Self.field(Array($0.utf8)) } ?? [])
    }

    /// Whether nothing is said but that signed records start behind this one.
    private var isMarker: Bool {
        signatureType == .noSignature && signature == .embedded([])
            && certificateFormat == .x509 && certificates.isEmpty && nextCertificateURI == nil
    }

    private var hashBytes: [UInt8] { hashType.map { [$0.rawValue] } ?? [] }

    /// A field with its length in front; the initialiser checked that the length fits.
    private static func field(_ bytes: [UInt8]) -> [UInt8] {
        UInt16(truncatingIfNeeded: bytes.count).bigEndianBytes + bytes
    }
}

extension ByteReader {
    fileprivate mutating func signatureByte() throws(NDEFPayloadError) -> UInt8 {
        guard let byte = uint8() else { throw .signatureShort }
        return byte
    }

    /// A field with its length in front.
    fileprivate mutating func signatureField() throws(NDEFPayloadError) -> ArraySlice<UInt8> {
        guard let length = uint16(), let field = bytes(Int(length)) else { throw .signatureShort }
        return field
    }

    fileprivate mutating func signatureURI() throws(NDEFPayloadError) -> String {
        guard let uri = String(utf8: try signatureField()) else {
            throw NDEFPayloadError(.signatureURINotUTF8, "a URI is not UTF-8")
        }
        return uri
    }

    fileprivate mutating func signature(isURI: Bool) throws(NDEFPayloadError) -> SignatureRecord.Signature {
        isURI ? .uri(try signatureURI()) : .embedded(Array(try signatureField()))
    }
}

extension NDEFPayloadError {
    fileprivate static let signatureShort = Self(.signatureShort, "the payload ends before the last field does")
}

extension SignatureRecord {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case version, signatureType, hashType, signature, signatureURI, certificateFormat, certificates
        case nextCertificateURI
    }

    /// Writes `version` (`2.0` or `1.0`), `signatureType`, `hashType` (not in 1.0), `signature` or `signatureURI`,
    /// `certificateFormat`, `certificates`, and `nextCertificateURI` if there is one. Signature type, hash type and
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

extension SignatureRecord: JSONDescribed {
    package static var jsonSummary: String {
        "A signature of the records before it, which is not verified (well-known type `Sig`)."
    }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .version:
                .written(
                    .words(JSONForm.words(Version.names), numbers: 1...0x20), usual: .text("2.0"),
                    "The edition of the standard.")
            case .signatureType:
                .required(
                    .words(
                        JSONForm.words(SignatureType.names(in: .v2))
                            + JSONForm.words(SignatureType.names(in: .v1)).dropFirst(),
                        numbers: 0...0x7F),
                    "How the signature was made. Version 1.0 has `none`, `RSASSA-PSS-SHA-1`, `RSASSA-PKCS1-v1_5-SHA-1`, `DSA` and `ECDSA`, version 2.0 the others."
                )
            case .hashType:
                .optional(
                    .words(JSONForm.words(HashType.names), numbers: 0...0xFF),
                    "The hash that was signed; in version 2.0 only, where a missing one is `SHA-256`.")
            case .signature:
                .optional(
                    .bytes(0...0xFFFF), "The signature; no bytes if it is missing and there is no `signatureURI`.")
            case .signatureURI:
                .optional(.text, "Where the signature can be fetched, instead of `signature`.")
            case .certificateFormat:
                .written(
                    .words(
                        JSONForm.words(CertificateFormat.names(in: .v2))
                            + JSONForm.words(CertificateFormat.names(in: .v1)).dropFirst(), numbers: 0...7),
                    usual: .text("X.509"), "The form of the certificates. Version 1.0 has `X9.68` instead of `M2M`.")
            case .certificates:
                .written(
                    .list(.bytes(0...0xFFFF)), usual: .emptyList, "The certificates, the signer's first; at most 15.")
            case .nextCertificateURI:
                .optional(.text, "Where the certificate is that follows the last one.")
            }
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
