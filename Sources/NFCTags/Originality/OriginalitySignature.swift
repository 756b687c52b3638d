/// The check of NXP's originality signature: an ECDSA signature of the UID, which NXP stores in each chip and READ_SIG
/// reads. The check needs no secret.
///
/// It shows that NXP issued this UID. A chip to which a UID was copied together with its signature passes as well.
enum OriginalitySignature {
    /// Whether NXP signed a UID.
    ///
    /// - Parameters:
    ///   - signature: the answer to READ_SIG.
    ///   - identifier: the UID.
    ///   - version: the answer to GET_VERSION, which names the product.
    /// - Returns: unknown where no public key is known for the product.
    static func check(_ signature: [UInt8], of identifier: [UInt8], version: Type2Version) -> TagOriginality {
        guard let key = version.product?.originalityKey else { return .unknown }
        if SECP128R1.isValid(signature, of: identifier, key: key) { return .genuine }
        // A later revision may be signed with another key.
        return version.isFirstRevision ? .notGenuine : .unknown
    }
}

extension Type2Product {
    /// NXP's public key for the signatures of this product; nil where none is published for it.
    ///
    /// NTAG210, NTAG212 and NTAG I2C have a signature as well, but no source was found that gives their key.
    var originalityKey: SECP128R1.Point? {
        switch self {
        case .ntag213, .ntag215, .ntag216:
            // NXP AN11350, NTAG21x originality signature validation.
            .init(
                x: 0x494E_1A38_6D3D_3CFE_3DC1_0E5D_E68A_499B, y: 0x1C20_2DB5_B132_393E_89ED_19FE_5BE8_BC61)
        case .mf0ul11, .mf0ul21:
            // NXP AN11341, MIFARE Ultralight EV1 originality signature validation.
            .init(
                x: 0x9093_3BDC_D6E9_9B4E_255E_3DA5_5389_A827, y: 0x564E_1171_8E01_7292_FAF2_3226_A966_14B8)
        default: nil
        }
    }
}
