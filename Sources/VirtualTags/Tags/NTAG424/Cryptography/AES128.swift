/// AES with keys of 128 bits (FIPS 197), CBC mode (NIST SP 800-38A) and CMAC (NIST SP 800-38B).
///
/// For virtual tags only: it is neither fast nor hardened against side channels.
struct AES128: Sendable, Hashable {
    /// The bytes of a key and of a block.
    static let blockSize = 16
    private static let zero = [UInt8](repeating: 0, count: blockSize)

    private let roundKeys: [[UInt8]]

    /// Expands a key; bytes beyond 16 are left out, missing ones count as 00.
    init(key: [UInt8]) {
        var words = stride(from: 0, to: Self.blockSize, by: 4).map { Array((key + Self.zero)[$0..<$0 + 4]) }
        var constant: UInt8 = 0x01
        for index in 4..<44 {
            var word = words[index - 1]
            if index.isMultiple(of: 4) {
                word = (Array(word.dropFirst()) + word.prefix(1)).map { Substitution.box[Int($0)] }
                word[0] ^= constant
                constant = Field.doubled(constant)
            }
            words.append(xor(words[index - 4], word))
        }
        roundKeys = stride(from: 0, to: words.count, by: 4).map { Array(words[$0..<$0 + 4].joined()) }
    }

    /// Encrypts one block of 16 bytes.
    func encrypt(_ block: [UInt8]) -> [UInt8] {
        var state = xor(block, roundKeys[0])
        for round in 1...10 {
            state = Self.shiftedRows.map { Substitution.box[Int(state[$0])] }
            if round < 10 { state = Self.mixed(state, by: [2, 3, 1, 1]) }
            state = xor(state, roundKeys[round])
        }
        return state
    }

    /// Decrypts one block of 16 bytes.
    func decrypt(_ block: [UInt8]) -> [UInt8] {
        var state = block
        for round in stride(from: 10, to: 0, by: -1) {
            state = xor(state, roundKeys[round])
            if round < 10 { state = Self.mixed(state, by: [14, 11, 13, 9]) }
            state = Self.unshiftedRows.map { Substitution.inverse[Int(state[$0])] }
        }
        return xor(state, roundKeys[0])
    }

    /// Which byte of the state comes to each place when row r moves by r columns; the state is kept column by column.
    private static let shiftedRows = (0..<16).map { ($0 + 4 * ($0 % 4)) % 16 }
    private static let unshiftedRows = (0..<16).map { ($0 + 12 * ($0 % 4)) % 16 }

    /// Each column times a circulant matrix with this first row.
    private static func mixed(_ state: [UInt8], by row: [UInt8]) -> [UInt8] {
        state.indices.map { place in
            (0..<4).reduce(0) { sum, index in
                sum ^ Field.product(row[(index + 4 - place % 4) % 4], state[place / 4 * 4 + index])
            }
        }
    }
}

extension AES128 {
    /// Encrypts whole blocks in CBC mode.
    func encryptCBC(_ bytes: [UInt8], vector: [UInt8] = zero) -> [UInt8] {
        var previous = vector
        return Self.blocks(bytes).flatMap { block in
            previous = encrypt(xor(block, previous))
            return previous
        }
    }

    /// Decrypts whole blocks in CBC mode.
    func decryptCBC(_ bytes: [UInt8], vector: [UInt8] = zero) -> [UInt8] {
        var previous = vector
        return Self.blocks(bytes).flatMap { block in
            defer { previous = block }
            return xor(decrypt(block), previous)
        }
    }

    /// The CMAC of a message, 16 bytes.
    func authenticationCode(_ message: [UInt8]) -> [UInt8] {
        let first = Self.doubled(encrypt(Self.zero))
        let isWhole = !message.isEmpty && message.count.isMultiple(of: Self.blockSize)
        var blocks = Self.blocks(isWhole ? message : Self.padded(message))
        let last = xor(blocks.removeLast(), isWhole ? first : Self.doubled(first))
        return (blocks + [last]).reduce(Self.zero) { encrypt(xor($0, $1)) }
    }

    /// Bytes with 80 and as many 00 behind them as it takes to whole blocks (ISO/IEC 9797-1, padding method 2).
    static func padded(_ bytes: [UInt8]) -> [UInt8] {
        bytes + [0x80] + [UInt8](repeating: 0, count: blockSize - 1 - bytes.count % blockSize)
    }

    /// Bytes without their padding; nil where they have none.
    static func unpadded(_ bytes: [UInt8]) -> [UInt8]? {
        guard let end = bytes.lastIndex(where: { $0 != 0 }), bytes[end] == 0x80, bytes.count - end <= blockSize else {
            return nil
        }
        return Array(bytes[..<end])
    }

    private static func blocks(_ bytes: [UInt8]) -> [[UInt8]] {
        stride(from: 0, to: bytes.count, by: blockSize).map { Array(bytes.dropFirst($0).prefix(blockSize)) }
    }

    /// A block times x in the field of 2^128 elements.
    private static func doubled(_ block: [UInt8]) -> [UInt8] {
        var result = zip(block, block.dropFirst() + [0]).map { $0 << 1 | $1 >> 7 }
        if block[0] & 0x80 != 0 { result[blockSize - 1] ^= 0x87 }
        return result
    }
}

/// Two sequences of bytes, bit by bit; as long as the shorter one.
func xor(_ one: [UInt8], _ other: [UInt8]) -> [UInt8] { zip(one, other).map { $0 ^ $1 } }

/// The field of 256 elements with the polynomial x^8 + x^4 + x^3 + x + 1 (FIPS 197, §4).
private enum Field {
    static func doubled(_ value: UInt8) -> UInt8 { value << 1 ^ (value & 0x80 == 0 ? 0 : 0x1B) }

    static func product(_ one: UInt8, _ other: UInt8) -> UInt8 {
        var (sum, factor, rest): (UInt8, UInt8, UInt8) = (0, one, other)
        while rest != 0 {
            if rest & 1 != 0 { sum ^= factor }
            factor = doubled(factor)
            rest >>= 1
        }
        return sum
    }
}

/// The substitution of bytes (FIPS 197, §5.1.1): the inverse in the field, then an affine map.
private enum Substitution {
    static let box: [UInt8] = {
        var box = [UInt8](repeating: 0x63, count: 256)
        // 3 generates all elements but 0; its powers and those of its inverse, F6, run in opposite directions.
        var (power, inverse): (UInt8, UInt8) = (1, 1)
        for _ in 0..<255 {
            box[Int(power)] = affine(inverse)
            power = Field.product(power, 0x03)
            inverse = Field.product(inverse, 0xF6)
        }
        return box
    }()

    static let inverse: [UInt8] = {
        var inverse = [UInt8](repeating: 0, count: 256)
        for (value, substitute) in box.enumerated() { inverse[Int(substitute)] = UInt8(truncatingIfNeeded: value) }
        return inverse
    }()

    private static func affine(_ value: UInt8) -> UInt8 {
        let rotations = (1...4).map { value << $0 | value >> (8 - $0) }
        return rotations.reduce(value ^ 0x63, ^)
    }
}
