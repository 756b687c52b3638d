/// The keys of an authentication and the algorithms that use them: AES (NT4H2421Gx, §9.1) or LRP (§9.2).
enum NTAG424Cipher: Sendable, Hashable {
    /// CBC with a vector for each command, and CMAC.
    case aes(encryption: AES128, authentication: AES128)
    /// LRICB with EncCtr, the number of blocks so far, and CMAC of LRP.
    case lrp(encryption: NTAG424LRP, authentication: NTAG424LRP, blocks: UInt32)

    /// From which side data comes; it is part of the vector.
    enum Direction {
        case command
        case response

        fileprivate var label: [UInt8] { self == .command ? [0xA5, 0x5A] : [0x5A, 0xA5] }
    }

    /// The keys of an authentication with AES (§9.1.7).
    static func aes(key: [UInt8], randomA: [UInt8], randomB: [UInt8]) -> NTAG424Cipher {
        let base = AES128(key: key)
        let context = context(randomA, randomB)
        func derived(_ label: [UInt8]) -> AES128 {
            AES128(key: base.authenticationCode(label + [0x00, 0x01, 0x00, 0x80] + context))
        }
        return .aes(encryption: derived([0xA5, 0x5A]), authentication: derived([0x5A, 0xA5]))
    }

    /// The keys of an authentication with LRP (§9.2.7).
    static func lrp(key: [UInt8], randomA: [UInt8], randomB: [UInt8]) -> NTAG424Cipher {
        let vector = [0x00, 0x01, 0x00, 0x80] + context(randomA, randomB) + [0x96, 0x69]
        return lrp(master: NTAG424LRP(key: key).authenticationCode(vector))
    }

    /// The keys of LRP below a master key.
    static func lrp(master: [UInt8], blocks: UInt32 = 0) -> NTAG424Cipher {
        .lrp(
            encryption: NTAG424LRP(key: master, updatedKey: 1), authentication: NTAG424LRP(key: master), blocks: blocks)
    }

    /// What the random numbers of both sides come to.
    private static func context(_ randomA: [UInt8], _ randomB: [UInt8]) -> [UInt8] {
        let mixed = xor(Array(randomA[2..<8]), Array(randomB[0..<6]))
        return Array(randomA[0..<2]) + mixed + Array(randomB[6..<16]) + Array(randomA[8..<16])
    }

    /// The CMAC, 16 bytes.
    func wholeCode(_ message: [UInt8]) -> [UInt8] {
        switch self {
        case .aes(_, let authentication): authentication.authenticationCode(message)
        case .lrp(_, let authentication, _): authentication.authenticationCode(message)
        }
    }

    /// The CMAC of which every second byte is left, beginning with the second.
    func code(_ message: [UInt8]) -> [UInt8] { Self.truncated(wholeCode(message)) }

    /// Every second byte of a CMAC, beginning with the second.
    static func truncated(_ code: [UInt8]) -> [UInt8] {
        code.enumerated().filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
    }

    /// Encrypts whole blocks.
    ///
    /// - Parameter position: TI and CmdCtr, the place in the transaction.
    mutating func encrypt(_ bytes: [UInt8], _ direction: Direction, position: [UInt8]) -> [UInt8] {
        switch self {
        case .aes(let encryption, _):
            return encryption.encryptCBC(bytes, vector: Self.vector(encryption, direction, position))
        case .lrp(let encryption, let authentication, let blocks):
            self = .lrp(
                encryption: encryption, authentication: authentication, blocks: blocks &+ Self.blockCount(bytes))
            return encryption.encrypt(bytes, counter: Self.counter(blocks))
        }
    }

    /// Decrypts whole blocks.
    mutating func decrypt(_ bytes: [UInt8], _ direction: Direction, position: [UInt8]) -> [UInt8] {
        switch self {
        case .aes(let encryption, _):
            return encryption.decryptCBC(bytes, vector: Self.vector(encryption, direction, position))
        case .lrp(let encryption, let authentication, let blocks):
            self = .lrp(
                encryption: encryption, authentication: authentication, blocks: blocks &+ Self.blockCount(bytes))
            return encryption.decrypt(bytes, counter: Self.counter(blocks))
        }
    }

    private static func vector(_ cipher: AES128, _ direction: Direction, _ position: [UInt8]) -> [UInt8] {
        cipher.encrypt(direction.label + position + [UInt8](repeating: 0, count: 8))
    }

    private static func blockCount(_ bytes: [UInt8]) -> UInt32 {
        UInt32(truncatingIfNeeded: bytes.count / AES128.blockSize)
    }

    /// Most significant byte first.
    private static func counter(_ blocks: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: blocks >> UInt32($0)) }
    }
}
