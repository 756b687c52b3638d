/// A signature of the records before it: well-known type `Sig` (NFC Forum Signature RTD 2.0; version 1.0 is read and
/// written as well).
///
/// The payload is the version, a byte of signature type and URI flag, the hash type (not in 1.0), the signature or its
/// URI, a byte of URI flag, certificate format and count, the certificates, and a URI for more of them. Lengths take
/// two bytes, the high one first. Nothing is verified here.
public struct SignatureRecord: NDEFTypedPayload {
    /// How the signature was made.
    public let signatureType: SignatureType
    /// The hash that was signed; nil in version 1.0, which does not tell.
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
