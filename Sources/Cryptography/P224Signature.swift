import CCrypto

/// Signatures of the curve P-224 (SEC 2: secp224r1) over messages that are not hashed.
package enum P224Signature {
    package static let (pointLength, signatureLength) = (57, 56)

    /// Whether bytes, r ‖ s, are a signature of a message.
    ///
    /// - Parameters:
    ///   - message: up to 28 bytes, taken as a number.
    ///   - point: 57 bytes, uncompressed.
    package static func isValid(_ signature: [UInt8], of message: [UInt8], point: [UInt8]) -> Bool {
        guard signature.count == signatureLength, point.count == pointLength else { return false }
        return ccrypto_ecdsa_verify_raw(
            CryptographyLibrary.context, "secp224r1", point, point.count, message, message.count, signature,
            signature.count) == 1
    }
}
