#if Cryptography
    import Cryptography
#endif

/// What the signature of a TigerTag shows.
public enum TigerTagSignature: String, Sendable, Hashable, CaseIterable {
    /// TigerTag signed this UID with this product. Other fields, such as temperatures, are not signed.
    case valid
    /// The signature is of another UID or product, or of another signer.
    case invalid
    /// There is no signature: its pages are zero.
    case unsigned
    /// No public key is known for this kind of tag.
    case noKey
    /// The UID, which is signed, is not known, or does not have 7 bytes.
    case noIdentifier
    /// The pages of the signature were not read.
    case notRead
    /// This program was built without the package trait `Cryptography`.
    case notSupported
}

extension TigerTag {
    /// The keys that TigerTag publishes, by the mark of the kind of tag: uncompressed points of P-256, from id_version.json in the
    /// TigerTag RFID Guide and in the PyPI package tigertag.
    public static var publishedKeys: [UInt32: [UInt8]] { TigerTagTables.publicKeys }

    /// Checks the signature without the network: ECDSA with P-256 and SHA-256 over the 7 bytes of the UID and the first 8 of the fields.
    ///
    /// A copy of the fields on a tag with another UID does not pass; one on a chip whose UID can be written does.
    ///
    /// - Parameter keys: uncompressed points of P-256 by the mark of the kind of tag.
    public func signature(keys: [UInt32: [UInt8]] = publishedKeys) -> TigerTagSignature {
        guard let signatureBytes else { return .notRead }
        guard signatureBytes.contains(where: { $0 != 0 }) else { return .unsigned }
        guard let key = keys[version.number] else { return .noKey }
        guard let identifier, identifier.count == 7 else { return .noIdentifier }
        #if Cryptography
            return P256Signature.isValid(signatureBytes, of: identifier + signedFields, point: key) ? .valid : .invalid
        #else
            return .notSupported
        #endif
    }
}
