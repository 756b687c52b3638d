extension SignatureRecord {
    /// The bit of the byte before a signature, or before the certificates, that says that there is a URI.
    private static let uriFlag: UInt8 = 0x80

    /// Decodes a payload. Reserved signature types, hash types and certificate formats are forgiven with a warning.
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
