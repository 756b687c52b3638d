/// An authentication of which the first part is done (NT4H2421Gx, §10.4).
struct NTAG424Handshake: Sendable, Hashable {
    /// The capabilities of both sides, six bytes each.
    struct Capabilities: Sendable, Hashable {
        /// PDcap2, those of the card.
        var card = [UInt8](repeating: 0, count: 6)
        /// PCDcap2, those of the reader; zeros where it gave none.
        var reader = [UInt8](repeating: 0, count: 6)
    }

    /// The number of the key.
    let key: UInt8
    /// The session that the authentication continues; nil for AuthenticateEV2First, which begins a transaction.
    let continued: NTAG424Session?
    private let value: [UInt8]
    private let randomB: [UInt8]
    private let isLRP: Bool
    private let capabilities: Capabilities

    init(
        key: UInt8, value: [UInt8], continued: NTAG424Session?, randomB: [UInt8], isLRP: Bool = false,
        capabilities: Capabilities = Capabilities()
    ) {
        self.key = key
        self.value = value
        self.continued = continued
        self.randomB = randomB
        self.isLRP = isLRP
        self.capabilities = capabilities
    }

    /// The answer to the first part: RndB, encrypted; with LRP 01 and RndB.
    var challenge: [UInt8] { isLRP ? [0x01] + randomB : AES128(key: value).encryptCBC(randomB) }

    /// Checks the second part, and gives the session and the answer.
    ///
    /// - Parameter transaction: a TI, used where a transaction begins.
    /// - Throws: the status that refuses the command.
    func finished(
        _ data: [UInt8], transaction: @autoclosure () -> [UInt8]
    ) throws(NativeStatus) -> (session: NTAG424Session, answer: [UInt8]) {
        guard data.count == 2 * AES128.blockSize else { throw .wrongLength }
        return isLRP ? try finishedWithLRP(data, transaction) : try finishedWithAES(data, transaction)
    }

    private func finishedWithAES(
        _ data: [UInt8], _ transaction: () -> [UInt8]
    ) throws(NativeStatus) -> (session: NTAG424Session, answer: [UInt8]) {
        let cipher = AES128(key: value)
        let plain = cipher.decryptCBC(data)
        let randomA = Array(plain.prefix(AES128.blockSize))
        guard Array(plain.suffix(AES128.blockSize)) == Self.rotated(randomB) else { throw .authenticationError }
        let keys = NTAG424Cipher.aes(key: value, randomA: randomA, randomB: randomB)
        let session = session(keys, transaction)
        guard continued == nil else { return (session, cipher.encryptCBC(Self.rotated(randomA))) }
        let answer = session.transaction + Self.rotated(randomA) + capabilities.card + capabilities.reader
        return (session, cipher.encryptCBC(answer))
    }

    /// RndA and a MAC over both random numbers; the answer has a MAC over them in the other order.
    private func finishedWithLRP(
        _ data: [UInt8], _ transaction: () -> [UInt8]
    ) throws(NativeStatus) -> (session: NTAG424Session, answer: [UInt8]) {
        let randomA = Array(data.prefix(AES128.blockSize))
        var keys = NTAG424Cipher.lrp(key: value, randomA: randomA, randomB: randomB)
        guard Array(data.suffix(AES128.blockSize)) == keys.wholeCode(randomA + randomB) else {
            throw .authenticationError
        }
        guard continued == nil else { return (session(keys, transaction), keys.wholeCode(randomB + randomA)) }
        let transaction = transaction()
        let parameters = transaction + capabilities.card + capabilities.reader
        let encrypted = keys.encrypt(parameters, .response, position: [])
        return (session(keys) { transaction }, encrypted + keys.wholeCode(randomB + randomA + encrypted))
    }

    private func session(_ cipher: NTAG424Cipher, _ transaction: () -> [UInt8]) -> NTAG424Session {
        NTAG424Session(
            key: key, cipher: cipher, transaction: continued?.transaction ?? transaction(),
            counter: continued?.counter ?? 0)
    }

    /// By one byte to the left.
    private static func rotated(_ bytes: [UInt8]) -> [UInt8] { Array(bytes.dropFirst()) + bytes.prefix(1) }
}
