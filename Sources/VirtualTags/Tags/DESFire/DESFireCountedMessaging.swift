/// A transaction of EV2: its identifier TI, and how many commands were carried out in it.
struct DESFireTransaction: Sendable, Hashable {
    /// Four bytes.
    let identifier: [UInt8]
    /// CmdCtr.
    var counter = 0
}

/// The messages of MIFARE DESFire EV2: a counter and an identifier of the transaction in every code and every initial vector.
struct DESFireCountedMessaging: DESFireMessaging, Hashable {
    private static let codeSize = 8
    private let encryption: DESFireCipher
    private let authentication: DESFireCipher
    private var state: DESFireTransaction

    init(key: [UInt8], randomA: [UInt8], randomB: [UInt8], transaction: DESFireTransaction) {
        let keys = Self.sessionKeys(key: key, randomA: randomA, randomB: randomB)
        self.init(encryption: keys.encryption, authentication: keys.authentication, transaction: transaction)
    }

    /// Messages with known session keys of 16 bytes.
    init(encryption: [UInt8], authentication: [UInt8], transaction: DESFireTransaction) {
        self.encryption = DESFireCipher(aes: encryption)
        self.authentication = DESFireCipher(aes: authentication)
        state = transaction
    }

    /// Both session keys, 16 bytes each.
    static func sessionKeys(
        key: [UInt8], randomA: [UInt8], randomB: [UInt8]
    ) -> (encryption: [UInt8], authentication: [UInt8]) {
        let mixed = xor(Array(randomA[2..<8]), Array(randomB[0..<6]))
        let context = [0x00, 0x01, 0x00, 0x80] + randomA[0..<2] + mixed + randomB[6..<16] + randomA[8..<16]
        let cipher = DESFireCipher(aes: key)
        return (
            cipher.authenticationCode([0xA5, 0x5A] + context, vector: cipher.zero),
            cipher.authenticationCode([0x5A, 0xA5] + context, vector: cipher.zero)
        )
    }

    var transaction: DESFireTransaction? { state }

    func size(of count: Int, _ protection: DESFireProtection, inner: Bool) -> Int {
        switch protection {
        case .plain: count
        case .ordinary, .authenticated: count + Self.codeSize
        case .full where count > 0: encryption.paddedSize(count + (inner ? 4 : 0) + 1) + Self.codeSize
        case .full: Self.codeSize
        }
    }

    mutating func open(
        _ command: DESFireProtectedCommand, count: Int, _ protection: DESFireProtection, inner: Bool
    ) throws(NativeStatus) -> DESFireOpened {
        guard state.counter < 0xFFFF else { throw .integrityError }
        guard protection != .plain else { return (command.body, []) }
        let body = Array(command.body.dropLast(Self.codeSize))
        let message = prefixed(command.instruction, state.counter) + command.header + body
        guard Array(command.body.suffix(Self.codeSize)) == code(message) else { throw .integrityError }
        guard protection == .full, count > 0 else { return (body, []) }
        let plain = encryption.decryptCBC(body, vector: vector([0xA5, 0x5A], state.counter))
        let size = count + (inner ? 4 : 0)
        guard encryption.marked(Array(plain.prefix(size))) == plain else { throw .integrityError }
        return (Array(plain.prefix(count)), Array(plain.prefix(size).dropFirst(count)))
    }

    mutating func seal(
        _ data: [UInt8], _ protection: DESFireProtection, status: NativeStatus, isOpenEnded: Bool
    ) -> [UInt8] {
        state.counter += 1
        guard protection != .plain else { return data }
        let isEncrypted = protection == .full && !data.isEmpty
        let body =
            isEncrypted
            ? encryption.encryptCBC(encryption.marked(data), vector: vector([0x5A, 0xA5], state.counter)) : data
        return body + code(prefixed(status.rawValue, state.counter) + body)
    }

    func checksum(_ bytes: [UInt8]) -> [UInt8] { DESFireChecksum.long(bytes) }

    private func prefixed(_ first: UInt8, _ counter: Int) -> [UInt8] {
        [first] + NativeNumber.bytes(counter, count: 2) + state.identifier
    }

    /// Every second byte of the CMAC, beginning with the second.
    private func code(_ message: [UInt8]) -> [UInt8] {
        DESFireTransactionCode.truncated(authentication.authenticationCode(message, vector: authentication.zero))
    }

    /// The initial vector of a command, A55A, or an answer, 5AA5.
    func vector(_ label: [UInt8], _ counter: Int) -> [UInt8] {
        encryption.encrypt(
            label + state.identifier + NativeNumber.bytes(counter, count: 2) + [UInt8](repeating: 0, count: 8))
    }
}
