/// AES with keys of 128 bits (FIPS 197), CBC mode (NIST SP 800-38A) and CMAC (NIST SP 800-38B).
///
/// For virtual tags only: it is neither fast nor hardened against side channels.
struct AES128: Sendable, Hashable {
    /// The bytes of a key and of a block.
    static let blockSize = 16
    private static let zero = [UInt8](repeating: 0, count: blockSize)

    /// Four words for each round and the beginning, a column of the state each, its first byte in the highest bits.
    private let roundKeys: [UInt32]

    /// Expands a key; bytes beyond 16 are left out, missing ones count as 00.
    init(key: [UInt8]) {
        let box = Substitution.box
        var words = Self.words(key + Self.zero)
        var constant: UInt8 = 0x01
        for index in 4..<44 {
            var word = words[index - 1]
            if index & 3 == 0 {
                let substituted = Self.substituted(word, word, word, word, by: box)
                word = (substituted &<< 8 | substituted &>> 24) ^ UInt32(constant) &<< 24
                constant = Field.doubled(constant)
            }
            words.append(words[index - 4] ^ word)
        }
        roundKeys = words
    }

    /// Encrypts one block of 16 bytes.
    func encrypt(_ block: [UInt8]) -> [UInt8] {
        let (keys, mixed, box) = (roundKeys, Columns.mixed, Substitution.box)
        let words = Self.words(block)
        var (a, b, c, d) = (words[0] ^ keys[0], words[1] ^ keys[1], words[2] ^ keys[2], words[3] ^ keys[3])
        for round in 1..<10 {
            let key = 4 * round
            (a, b, c, d) = (
                Columns.sum(a, b, c, d, mixed) ^ keys[key], Columns.sum(b, c, d, a, mixed) ^ keys[key + 1],
                Columns.sum(c, d, a, b, mixed) ^ keys[key + 2], Columns.sum(d, a, b, c, mixed) ^ keys[key + 3]
            )
        }
        return Self.bytes([
            Self.substituted(a, b, c, d, by: box) ^ keys[40], Self.substituted(b, c, d, a, by: box) ^ keys[41],
            Self.substituted(c, d, a, b, by: box) ^ keys[42], Self.substituted(d, a, b, c, by: box) ^ keys[43],
        ])
    }

    /// Decrypts one block of 16 bytes.
    func decrypt(_ block: [UInt8]) -> [UInt8] {
        let (keys, unmixed, box) = (roundKeys, Columns.unmixed, Substitution.inverse)
        let words = Self.words(block)
        var (a, b, c, d) = (words[0] ^ keys[40], words[1] ^ keys[41], words[2] ^ keys[42], words[3] ^ keys[43])
        for round in stride(from: 9, through: 0, by: -1) {
            let key = 4 * round
            (a, b, c, d) = (
                Self.substituted(a, d, c, b, by: box) ^ keys[key],
                Self.substituted(b, a, d, c, by: box) ^ keys[key + 1],
                Self.substituted(c, b, a, d, by: box) ^ keys[key + 2],
                Self.substituted(d, c, b, a, by: box) ^ keys[key + 3]
            )
            guard round > 0 else { break }
            (a, b, c, d) = (
                Columns.sum(a, a, a, a, unmixed), Columns.sum(b, b, b, b, unmixed), Columns.sum(c, c, c, c, unmixed),
                Columns.sum(d, d, d, d, unmixed)
            )
        }
        return Self.bytes([a, b, c, d])
    }

    /// The first byte of the first word, the second of the second and so on, each substituted: rows that were shifted.
    private static func substituted(
        _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: UInt32, by box: [UInt8]
    ) -> UInt32 {
        let high = UInt32(box[Int(a &>> 24)]) &<< 24 | UInt32(box[Int(b &>> 16 & 0xFF)]) &<< 16
        return high | UInt32(box[Int(c &>> 8 & 0xFF)]) &<< 8 | UInt32(box[Int(d & 0xFF)])
    }

    /// The first 16 bytes.
    private static func words(_ bytes: [UInt8]) -> [UInt32] {
        var words: [UInt32] = []
        for start in [0, 4, 8, 12] {
            let high = UInt32(bytes[start]) &<< 24 | UInt32(bytes[start + 1]) &<< 16
            words.append(high | UInt32(bytes[start + 2]) &<< 8 | UInt32(bytes[start + 3]))
        }
        return words
    }

    private static func bytes(_ words: [UInt32]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(blockSize)
        for word in words {
            bytes.append(UInt8(truncatingIfNeeded: word &>> 24))
            bytes.append(UInt8(truncatingIfNeeded: word &>> 16))
            bytes.append(UInt8(truncatingIfNeeded: word &>> 8))
            bytes.append(UInt8(truncatingIfNeeded: word))
        }
        return bytes
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

/// Columns of the state times a matrix (FIPS 197, §5.1.3), as tables for the first row; the others are rotated.
private enum Columns {
    /// What a byte of the state contributes to its column, once it is substituted.
    static let mixed: [UInt32] = Substitution.box.map { table($0, [2, 1, 1, 3]) }

    /// What a byte of the state contributes to its column before the columns were mixed.
    static let unmixed: [UInt32] = (0...255).map { table($0, [14, 9, 13, 11]) }

    private static func table(_ value: UInt8, _ factors: [UInt8]) -> UInt32 {
        factors.reduce(0) { $0 << 8 | UInt32(Field.product($1, value)) }
    }

    /// The sum for the first byte of the first word, the second of the second and so on.
    static func sum(_ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: UInt32, _ table: [UInt32]) -> UInt32 {
        let (first, second) = (table[Int(a &>> 24)], table[Int(b &>> 16 & 0xFF)])
        let (third, fourth) = (table[Int(c &>> 8 & 0xFF)], table[Int(d & 0xFF)])
        return first ^ (second &>> 8 | second &<< 24) ^ (third &>> 16 | third &<< 16) ^ (fourth &>> 24 | fourth &<< 8)
    }
}

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
