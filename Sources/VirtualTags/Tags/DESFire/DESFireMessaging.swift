/// How a command or an answer is protected in a session.
enum DESFireProtection: Sendable, Hashable {
    /// As commands that have no mode: a code with the answer in EV1, with both in EV2.
    case ordinary
    case plain
    case authenticated
    case full

    /// The mode that the communication byte of a file sets.
    init(communication: UInt8) {
        self = [.plain, .authenticated, .plain, .full][Int(communication & 0x03)]
    }
}

/// A command as it came, its data protected.
struct DESFireProtectedCommand: Sendable, Hashable {
    let instruction: UInt8
    /// The parameters that are never encrypted.
    let header: [UInt8]
    /// What follows them.
    let body: [UInt8]
}

/// The data of a command without its protection, and the checksum of a new key in it, if any.
typealias DESFireOpened = (data: [UInt8], inner: [UInt8])

/// Secure messaging of one generation.
protocol DESFireMessaging: Sendable {
    /// How many bytes stand for `count` bytes of command data.
    func size(of count: Int, _ protection: DESFireProtection, inner: Bool) -> Int
    /// Checks and decrypts the `count` bytes of data of a command. The body has ``size(of:_:inner:)`` bytes.
    ///
    /// - Throws: the status that refuses the command.
    mutating func open(
        _ command: DESFireProtectedCommand, count: Int, _ protection: DESFireProtection, inner: Bool
    ) throws(NativeStatus) -> DESFireOpened
    /// Protects the data of an answer.
    ///
    /// - Parameter isOpenEnded: whether the host cannot know how long the data is.
    mutating func seal(
        _ data: [UInt8], _ protection: DESFireProtection, status: NativeStatus, isOpenEnded: Bool
    ) -> [UInt8]
    /// The checksum of a new key.
    func checksum(_ bytes: [UInt8]) -> [UInt8]
    /// The transaction of an EV2 session.
    var transaction: DESFireTransaction? { get }
}

/// A session: which key was proven at the selected level, and how messages are protected.
struct DESFireSession: Sendable {
    /// The number of the key.
    let number: UInt8
    var messaging: any DESFireMessaging
}

/// The messages of MIFARE DESFire D40: codes of four bytes, CRC_A, and a card that only encrypts.
struct DESFireLegacyMessaging: DESFireMessaging, Hashable {
    private static let codeSize = 4
    private let cipher: DESFireCipher

    init(_ cipher: DESFireCipher) { self.cipher = cipher }

    var transaction: DESFireTransaction? { nil }

    func size(of count: Int, _ protection: DESFireProtection, inner: Bool) -> Int {
        switch protection {
        case .authenticated where count > 0: count + Self.codeSize
        case .full where count > 0: cipher.paddedSize(count + (inner ? 4 : 2))
        default: count
        }
    }

    mutating func open(
        _ command: DESFireProtectedCommand, count: Int, _ protection: DESFireProtection, inner: Bool
    ) throws(NativeStatus) -> DESFireOpened {
        let data = Array(command.body.prefix(count))
        switch protection {
        case .authenticated where count > 0:
            guard code(data) == Array(command.body.dropFirst(count)) else { throw .integrityError }
            return (data, [])
        case .full where count > 0: return try decrypted(command.body, count: count, inner: inner)
        default: return (data, [])
        }
    }

    private func decrypted(_ body: [UInt8], count: Int, inner: Bool) throws(NativeStatus) -> DESFireOpened {
        let plain = cipher.receiveLegacy(body)
        let data = Array(plain.prefix(count))
        let rest = plain.dropFirst(count)
        guard Array(rest.prefix(2)) == checksum(data) else { throw .integrityError }
        return (data, inner ? Array(rest.dropFirst(2).prefix(2)) : [])
    }

    mutating func seal(
        _ data: [UInt8], _ protection: DESFireProtection, status: NativeStatus, isOpenEnded: Bool
    ) -> [UInt8] {
        guard !data.isEmpty else { return [] }
        switch protection {
        case .ordinary, .plain: return data
        case .authenticated: return data + code(data)
        case .full:
            let plain = data + checksum(data)
            return cipher.encryptCBC(isOpenEnded ? cipher.marked(plain) : cipher.padded(plain), vector: cipher.zero)
        }
    }

    func checksum(_ bytes: [UInt8]) -> [UInt8] { DESFireChecksum.short(bytes) }

    /// The first half of the last block in CBC mode.
    private func code(_ data: [UInt8]) -> [UInt8] {
        Array(cipher.encryptCBC(cipher.padded(data), vector: cipher.zero).suffix(8).prefix(Self.codeSize))
    }
}

/// The messages of MIFARE DESFire EV1: one initial vector runs through the whole session, and every command and every answer
/// changes it.
struct DESFireChainedMessaging: DESFireMessaging, Hashable {
    private static let codeSize = 8
    private let cipher: DESFireCipher
    private var vector: [UInt8]

    init(_ cipher: DESFireCipher) {
        self.cipher = cipher
        vector = cipher.zero
    }

    var transaction: DESFireTransaction? { nil }

    func size(of count: Int, _ protection: DESFireProtection, inner: Bool) -> Int {
        switch protection {
        case .authenticated where count > 0: count + Self.codeSize
        case .full where count > 0: cipher.paddedSize(count + (inner ? 8 : 4))
        default: count
        }
    }

    mutating func open(
        _ command: DESFireProtectedCommand, count: Int, _ protection: DESFireProtection, inner: Bool
    ) throws(NativeStatus) -> DESFireOpened {
        let data = Array(command.body.prefix(count))
        switch protection {
        case .authenticated where count > 0:
            guard code([command.instruction] + command.header + data) == Array(command.body.dropFirst(count)) else {
                throw .integrityError
            }
            return (data, [])
        case .full where count > 0: return try decrypted(command, count: count, inner: inner)
        default:
            _ = code([command.instruction] + command.header + data)
            return (data, [])
        }
    }

    private mutating func decrypted(
        _ command: DESFireProtectedCommand, count: Int, inner: Bool
    ) throws(NativeStatus) -> DESFireOpened {
        let plain = cipher.decryptCBC(command.body, vector: vector)
        vector = Array(command.body.suffix(cipher.blockSize))
        let data = Array(plain.prefix(count))
        let rest = plain.dropFirst(count)
        guard Array(rest.prefix(4)) == checksum([command.instruction] + command.header + data) else {
            throw .integrityError
        }
        return (data, inner ? Array(rest.dropFirst(4).prefix(4)) : [])
    }

    mutating func seal(
        _ data: [UInt8], _ protection: DESFireProtection, status: NativeStatus, isOpenEnded: Bool
    ) -> [UInt8] {
        guard protection == .full, !data.isEmpty else { return data + code(data + [status.rawValue]) }
        let plain = data + checksum(data + [status.rawValue])
        let cryptogram = cipher.encryptCBC(
            isOpenEnded ? cipher.marked(plain) : cipher.padded(plain), vector: vector)
        vector = Array(cryptogram.suffix(cipher.blockSize))
        return cryptogram
    }

    func checksum(_ bytes: [UInt8]) -> [UInt8] { DESFireChecksum.long(bytes) }

    /// The first eight bytes of the CMAC, which is the next initial vector.
    private mutating func code(_ message: [UInt8]) -> [UInt8] {
        vector = cipher.authenticationCode(message, vector: vector)
        return Array(vector.prefix(Self.codeSize))
    }
}
