/// The secure messaging of a card after AuthenticateEV2First, by the card's side (NT4H2421Gx, §9.1; AN12196, §4).
struct NTAG424Session: Sendable, Hashable {
    /// How a command and its response are protected.
    enum Mode: UInt8, Sendable, Hashable {
        /// Not at all; the counter still advances.
        case plain = 0x00
        /// By a MAC of 8 bytes.
        case authenticated = 0x01
        /// By encryption and a MAC.
        case full = 0x03

        /// The mode in the two lowest bits of a file's options: 10 is plain as well.
        init(fileOption: UInt8) {
            self = Mode(rawValue: fileOption & 0x03) ?? .plain
        }
    }

    /// The number of the key that was proven.
    let key: UInt8
    /// TI, the identifier of the transaction.
    let transaction: [UInt8]
    private let encryption: AES128
    private let authentication: AES128
    /// CmdCtr, the commands since the transaction began.
    private(set) var counter: UInt16

    private static let codeSize = 8

    /// Derives the session's keys from a key and the random numbers of both sides.
    init(key: UInt8, value: [UInt8], randomA: [UInt8], randomB: [UInt8], transaction: [UInt8], counter: UInt16) {
        self.key = key
        self.transaction = transaction
        self.counter = counter
        let base = AES128(key: value)
        let mixed = xor(Array(randomA[2..<8]), Array(randomB[0..<6]))
        let context = Array(randomA[0..<2]) + mixed + Array(randomB[6..<16]) + Array(randomA[8..<16])
        func derived(_ label: [UInt8]) -> AES128 {
            AES128(key: base.authenticationCode(label + [0x00, 0x01, 0x00, 0x80] + context))
        }
        encryption = derived([0xA5, 0x5A])
        authentication = derived([0x5A, 0xA5])
    }

    /// Checks and decrypts the data of a command.
    ///
    /// - Parameter headerSize: how many bytes of the data are the command's header, which is never encrypted.
    /// - Throws: the status that refuses the command.
    func opened(
        _ instruction: UInt8, _ data: [UInt8], headerSize: Int, _ mode: Mode
    ) throws(NativeStatus) -> (header: [UInt8], data: [UInt8]) {
        let tail = mode == .plain ? 0 : Self.codeSize
        guard data.count >= headerSize + tail else { throw .wrongLength }
        let header = Array(data.prefix(headerSize))
        let body = Array(data.dropFirst(headerSize).dropLast(tail))
        guard mode != .plain else { return (header, body) }
        guard Array(data.suffix(tail)) == code([instruction] + counterBytes(counter) + transaction + header + body)
        else { throw .integrityError }
        guard mode == .full, !body.isEmpty else { return (header, body) }
        guard body.count.isMultiple(of: AES128.blockSize) else { throw .wrongLength }
        let decrypted = encryption.decryptCBC(body, vector: vector([0xA5, 0x5A], counter))
        guard let plain = AES128.unpadded(decrypted) else { throw .integrityError }
        return (header, plain)
    }

    /// Advances the counter, and protects the data of a response with the status 00.
    mutating func sealed(_ data: [UInt8], _ mode: Mode) -> [UInt8] {
        counter &+= 1
        guard mode != .plain else { return data }
        let isEncrypted = mode == .full && !data.isEmpty
        let body =
            isEncrypted ? encryption.encryptCBC(AES128.padded(data), vector: vector([0x5A, 0xA5], counter)) : data
        return body + code([NativeStatus.done.rawValue] + counterBytes(counter) + transaction + body)
    }

    /// How many bytes a response of this much data has.
    static func sealedSize(_ count: Int, _ mode: Mode) -> Int {
        switch mode {
        case .plain: count
        case .authenticated: count + codeSize
        case .full: (count / AES128.blockSize + 1) * AES128.blockSize + codeSize
        }
    }

    /// Every second byte of the CMAC, beginning with the second.
    private func code(_ message: [UInt8]) -> [UInt8] {
        authentication.authenticationCode(message).enumerated().filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
    }

    private func vector(_ label: [UInt8], _ counter: UInt16) -> [UInt8] {
        encryption.encrypt(label + transaction + counterBytes(counter) + [UInt8](repeating: 0, count: 8))
    }

    /// Least significant byte first.
    private func counterBytes(_ counter: UInt16) -> [UInt8] {
        [UInt8(truncatingIfNeeded: counter), UInt8(truncatingIfNeeded: counter >> 8)]
    }
}

/// An authentication of which the first part is done (NT4H2421Gx, §10.4.1 and §10.4.2).
struct NTAG424Handshake: Sendable, Hashable {
    /// The number of the key.
    let key: UInt8
    /// The session that the authentication continues; nil for AuthenticateEV2First, which begins a transaction.
    let continued: NTAG424Session?
    private let cipher: AES128
    private let value: [UInt8]
    private let randomB: [UInt8]

    init(key: UInt8, value: [UInt8], continued: NTAG424Session?, randomB: [UInt8]) {
        self.key = key
        self.value = value
        self.continued = continued
        self.randomB = randomB
        cipher = AES128(key: value)
    }

    /// RndB, encrypted: the answer to the first part.
    var challenge: [UInt8] { cipher.encryptCBC(randomB) }

    /// Checks the second part, and gives the session and the answer.
    ///
    /// - Parameter transaction: a TI, used where a transaction begins.
    /// - Throws: the status that refuses the command.
    func finished(
        _ data: [UInt8], transaction: @autoclosure () -> [UInt8]
    ) throws(NativeStatus) -> (session: NTAG424Session, answer: [UInt8]) {
        guard data.count == 2 * AES128.blockSize else { throw .wrongLength }
        let plain = cipher.decryptCBC(data)
        let randomA = Array(plain.prefix(AES128.blockSize))
        guard Array(plain.suffix(AES128.blockSize)) == Self.rotated(randomB) else { throw .authenticationError }
        let session = NTAG424Session(
            key: key, value: value, randomA: randomA, randomB: randomB,
            transaction: continued?.transaction ?? transaction(), counter: continued?.counter ?? 0)
        guard continued == nil else { return (session, cipher.encryptCBC(Self.rotated(randomA))) }
        // PDcap2 and PCDcap2: no capabilities.
        let capabilities = [UInt8](repeating: 0, count: 12)
        return (session, cipher.encryptCBC(session.transaction + Self.rotated(randomA) + capabilities))
    }

    /// By one byte to the left.
    private static func rotated(_ bytes: [UInt8]) -> [UInt8] { Array(bytes.dropFirst()) + bytes.prefix(1) }
}
