/// The secure messaging of a card after an authentication, by the card's side (NT4H2421Gx, §9.1 and §9.2; AN12196, §4).
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
    private var cipher: NTAG424Cipher
    /// CmdCtr, the commands since the transaction began.
    private(set) var counter: UInt16

    private static let codeSize = 8

    init(key: UInt8, cipher: NTAG424Cipher, transaction: [UInt8], counter: UInt16) {
        self.key = key
        self.cipher = cipher
        self.transaction = transaction
        self.counter = counter
    }

    /// Checks and decrypts the data of a command.
    ///
    /// - Parameter headerSize: how many bytes of the data are the command's header, which is never encrypted.
    /// - Throws: the status that refuses the command.
    mutating func opened(
        _ instruction: UInt8, _ data: [UInt8], headerSize: Int, _ mode: Mode
    ) throws(NativeStatus) -> (header: [UInt8], data: [UInt8]) {
        let tail = mode == .plain ? 0 : Self.codeSize
        guard data.count >= headerSize + tail else { throw .wrongLength }
        let header = Array(data.prefix(headerSize))
        let body = Array(data.dropFirst(headerSize).dropLast(tail))
        // The last value of the counter is never used (§9.1.2).
        guard counter != .max else { throw .integrityError }
        guard mode != .plain else { return (header, body) }
        guard Array(data.suffix(tail)) == cipher.code([instruction] + position.reordered + header + body)
        else { throw .integrityError }
        guard mode == .full, !body.isEmpty else { return (header, body) }
        guard body.count.isMultiple(of: AES128.blockSize) else { throw .wrongLength }
        let decrypted = cipher.decrypt(body, .command, position: position.bytes)
        guard let plain = AES128.unpadded(decrypted) else { throw .integrityError }
        return (header, plain)
    }

    /// The data of a command that was received in part: what of it can be decrypted already, without its MAC.
    ///
    /// - Parameter body: the bytes behind the header, as far as they came.
    func beginning(of body: [UInt8], _ mode: Mode) -> [UInt8] {
        guard mode == .full else { return body }
        var cipher = cipher
        let whole = Array(body.prefix(body.count / AES128.blockSize * AES128.blockSize))
        return cipher.decrypt(whole, .command, position: position.bytes)
    }

    /// Advances the counter, and protects the data of a response.
    ///
    /// - Parameter status: the second status byte, which the MAC covers.
    mutating func sealed(_ data: [UInt8], _ mode: Mode, status: UInt8 = NativeStatus.done.rawValue) -> [UInt8] {
        counter &+= 1
        guard mode != .plain else { return data }
        let isEncrypted = mode == .full && !data.isEmpty
        let body =
            isEncrypted ? cipher.encrypt(AES128.padded(data), .response, position: position.bytes) : data
        return body + cipher.code([status] + position.reordered + body)
    }

    /// How many bytes a response of this much data has.
    static func sealedSize(_ count: Int, _ mode: Mode) -> Int {
        switch mode {
        case .plain: count
        case .authenticated: count + codeSize
        case .full: (count / AES128.blockSize + 1) * AES128.blockSize + codeSize
        }
    }

    /// TI and CmdCtr, the latter least significant byte first; in a MAC they come in the other order.
    private var position: (bytes: [UInt8], reordered: [UInt8]) {
        let counter = [UInt8(truncatingIfNeeded: counter), UInt8(truncatingIfNeeded: counter >> 8)]
        return (transaction + counter, counter + transaction)
    }
}
