/// The mutual authentication with an AES key (MF0AES(H)20 data sheet; NXP AN13452): each side proves that it knows the key
/// by a random number of the other one. AES-128 in CBC mode, each message with an IV of zeros.
struct AESKeyAuthentication {
    /// Bytes of a key.
    static let keySize = 16
    /// AUTHENTICATE with key 0, DataProtKey.
    static let request: [UInt8] = [0x1A, 0x00]

    private let cipher: AESCipher
    private let number: [UInt8]

    /// An authentication with its own random number.
    ///
    /// - Throws: ``TagError`` 1 if the key does not have 16 bytes.
    init(key: [UInt8], using generator: inout some RandomNumberGenerator) throws(TagError) {
        cipher = try AESCipher(key: key)
        number = (0..<Self.keySize).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// The second frame, `AF` and 32 bytes, where the tag answered the first one with `AF` and its encrypted random number.
    ///
    /// - Throws: ``TagError`` 102 for any other answer.
    func frame(answering challenge: [UInt8]) throws(TagError) -> [UInt8] {
        guard challenge.count == 1 + Self.keySize, challenge.first == 0xAF else {
            throw TagError(
                .tagResponseError, "the tag does not have an AES key that nfcd supports; MIFARE Ultralight AES has",
                response: challenge)
        }
        let tagNumber = try cipher.decrypt(Array(challenge.dropFirst()))
        return [0xAF] + (try cipher.encrypt(number + tagNumber.rotatedLeft))
    }

    /// Whether the answer to ``frame(answering:)``, `00` and 16 bytes, proves that the tag knows the key.
    func isProof(_ answer: [UInt8]) throws(TagError) -> Bool {
        guard answer.count == 1 + Self.keySize, answer.first == 0x00 else { return false }
        return try cipher.decrypt(Array(answer.dropFirst())) == number.rotatedLeft
    }
}

extension [UInt8] {
    /// The bytes, with the first one at the end.
    fileprivate var rotatedLeft: [UInt8] { Array(dropFirst()) + prefix(1) }
}
