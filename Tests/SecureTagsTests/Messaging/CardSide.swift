import Cryptography
import TestSupport

@testable import SecureTags

/// The card's side of a session of EV2 or LRP: it answers with the same keys.
struct CardSide<Cipher: MessageCipher> {
    private let identifier: [UInt8]
    private var counter: UInt16
    private var cipher: Cipher
    private let encrypt: (inout Cipher, SecretBytes, [UInt8], UInt16) throws -> [UInt8]

    init(
        identifier: [UInt8], counter: UInt16 = 0, cipher: Cipher,
        encrypt: @escaping (inout Cipher, SecretBytes, [UInt8], UInt16) throws -> [UInt8]
    ) {
        self.identifier = identifier
        self.counter = counter
        self.cipher = cipher
        self.encrypt = encrypt
    }

    /// The answer to the next command.
    mutating func answer(_ data: [UInt8], mode: CommunicationMode, status: UInt8 = 0) throws -> [UInt8] {
        counter += 1
        var data = data
        if mode == .full, !data.isEmpty {
            data = try encrypt(&cipher, SecretBytes(padding: data, to: 16), identifier, counter)
        }
        guard mode != .plain else { return data }
        let code = try cipher.code(
            SecretBytes([status] + [UInt8](littleEndian: Int(counter), count: 2) + identifier + data))
        return data + code.everyOtherByte
    }
}

extension CardSide<EV2Cipher> {
    /// A session of known keys, and the card's side of it.
    static func session(counter: UInt16 = 0) throws -> (EV2Session, CardSide) {
        let (encryption, code) = (
            SecretBytes(hex("101112131415161718191A1B1C1D1E1F")), SecretBytes(hex("202122232425262728292A2B2C2D2E2F"))
        )
        let cipher = EV2Cipher(encryptionKey: encryption, codeKey: code)
        let identifier: [UInt8] = [0xC0, 0xC1, 0xC2, 0xC3]
        let card = CardSide(identifier: identifier, counter: counter, cipher: cipher) {
            cipher, data, identifier, counter in
            let vector = try cipher.vector(.answer, identifier: identifier, counter: counter)
            return try BlockCipher.aes128(encryption).encryptCBC(data, vector: vector)
        }
        return (EV2Session(identifier: identifier, counter: counter, cipher: cipher), card)
    }
}

extension CardSide<LRPCipher> {
    /// A session of a known master key, and the card's side of it.
    static func session() throws -> (LRPSession, CardSide) {
        let master = SecretBytes(hex("303132333435363738393A3B3C3D3E3F"))
        let identifier: [UInt8] = [0xC0, 0xC1, 0xC2, 0xC3]
        let card = CardSide(identifier: identifier, cipher: try LRPCipher(master: master, blockCounter: 1)) {
            cipher, data, identifier, counter in
            try cipher.encrypt(data, identifier: identifier, counter: counter)
        }
        let session = LRPSession(identifier: identifier, cipher: try LRPCipher(master: master, blockCounter: 1))
        return (session, card)
    }
}
