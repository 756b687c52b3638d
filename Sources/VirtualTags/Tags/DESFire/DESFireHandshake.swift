/// How a host proves a key.
enum DESFireAuthentication: UInt8, Sendable, Hashable {
    /// Authenticate of MIFARE DESFire D40, with DES.
    case legacy = 0x0A
    /// AuthenticateISO, with DES and triple DES.
    case standard = 0x1A
    /// AuthenticateAES.
    case aes = 0xAA
    /// AuthenticateEV2First.
    case first = 0x71
    /// AuthenticateEV2NonFirst.
    case nonFirst = 0x77

    /// Whether it takes keys of a kind.
    func takes(_ kind: DESFireKeyKind) -> Bool {
        switch self {
        case .legacy: kind == .des
        case .standard: kind != .aes
        case .aes, .first, .nonFirst: kind == .aes
        }
    }

    /// The bytes of a random number.
    func nonceSize(_ kind: DESFireKeyKind) -> Int { self == .legacy ? 8 : kind.nonceSize }
}

/// An authentication of which the first part is done.
struct DESFireHandshake: Sendable, Hashable {
    private let method: DESFireAuthentication
    private let number: UInt8
    private let key: DESFireKey
    private let cipher: DESFireCipher
    private let randomB: [UInt8]
    /// The transaction that AuthenticateEV2NonFirst continues.
    private let continued: DESFireTransaction?

    init(
        _ method: DESFireAuthentication, number: UInt8, key: DESFireKey, randomB: [UInt8],
        continued: DESFireTransaction? = nil
    ) {
        self.method = method
        self.number = number
        self.key = key
        self.randomB = randomB
        self.continued = continued
        cipher = key.cipher
    }

    /// RndB, encrypted: the answer to the first part.
    var challenge: [UInt8] { cipher.encryptCBC(randomB, vector: cipher.zero) }

    /// Checks the second part, and gives the session and the answer.
    ///
    /// - Parameter transaction: the identifier TI of a transaction that begins, four bytes.
    /// - Throws: the status that refuses the command.
    func finished(
        _ token: [UInt8], transaction: [UInt8]
    ) throws(NativeStatus) -> (session: DESFireSession, answer: [UInt8]) {
        guard token.count == 2 * randomB.count else { throw .wrongLength }
        let plain = opened(token)
        let randomA = Array(plain.prefix(randomB.count))
        guard Array(plain.suffix(randomB.count)) == Self.turned(randomB) else { throw .authenticationError }
        switch method {
        case .legacy, .standard, .aes:
            let vector = method == .legacy ? cipher.zero : Array(token.suffix(cipher.blockSize))
            return (chained(randomA), cipher.encryptCBC(Self.turned(randomA), vector: vector))
        case .first, .nonFirst:
            return counted(randomA, continued ?? DESFireTransaction(identifier: transaction))
        }
    }

    private func opened(_ token: [UInt8]) -> [UInt8] {
        switch method {
        case .legacy: cipher.receiveLegacy(token)
        case .standard, .aes: cipher.decryptCBC(token, vector: Array(challenge.suffix(cipher.blockSize)))
        case .first, .nonFirst: cipher.decryptCBC(token, vector: cipher.zero)
        }
    }

    private func chained(_ randomA: [UInt8]) -> DESFireSession {
        let session = key.sessionCipher(randomA, randomB)
        return DESFireSession(
            number: number,
            messaging: method == .legacy ? DESFireLegacyMessaging(session) : DESFireChainedMessaging(session))
    }

    private func counted(
        _ randomA: [UInt8], _ transaction: DESFireTransaction
    ) -> (session: DESFireSession, answer: [UInt8]) {
        let messaging = DESFireCountedMessaging(
            key: key.value, randomA: randomA, randomB: randomB, transaction: transaction)
        // PDcap2 and PCDcap2: no capabilities.
        let answer =
            method == .nonFirst
            ? Self.turned(randomA)
            : transaction.identifier + Self.turned(randomA) + [UInt8](repeating: 0, count: 12)
        return (
            DESFireSession(number: number, messaging: messaging), cipher.encryptCBC(answer, vector: cipher.zero)
        )
    }

    /// By one byte to the left.
    private static func turned(_ bytes: [UInt8]) -> [UInt8] { Array(bytes.dropFirst()) + bytes.prefix(1) }
}
