/// DES and triple DES (FIPS 46-3) on blocks of 8 bytes.
///
/// For virtual tags only: it is neither fast nor hardened against side channels.
struct VirtualTripleDES: Sendable, Hashable {
    /// The bytes of a block.
    static let blockSize = 8

    private let stages: [DESKeySchedule]

    /// - Parameter key: 8 bytes for DES, 16 or 24 for triple DES with two or three keys; parity bits do not count.
    init(key: [UInt8]) {
        let keys = stride(from: 0, to: key.count, by: 8).map { DESKeySchedule(key: Array(key.dropFirst($0).prefix(8))) }
        stages = keys.count == 2 ? keys + keys.prefix(1) : keys
    }

    /// Encrypts one block.
    func encrypt(_ block: [UInt8]) -> [UInt8] {
        var value = Self.number(block)
        for (index, stage) in stages.enumerated() { value = stage.applied(to: value, backwards: index == 1) }
        return Self.bytes(value)
    }

    /// Decrypts one block.
    func decrypt(_ block: [UInt8]) -> [UInt8] {
        var value = Self.number(block)
        for (index, stage) in stages.enumerated().reversed() {
            value = stage.applied(to: value, backwards: index != 1)
        }
        return Self.bytes(value)
    }

    private static func number(_ bytes: [UInt8]) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    private static func bytes(_ value: UInt64) -> [UInt8] {
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> UInt64($0)) }
    }
}

/// The sixteen round keys of one DES key, and the cipher with them.
private struct DESKeySchedule: Sendable, Hashable {
    private let roundKeys: [UInt64]

    init(key: [UInt8]) {
        let value = key.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let permuted = DESTables.permuted(value, width: 64, by: DESTables.firstChoice)
        var (left, right) = (permuted >> 28, permuted & 0xFFF_FFFF)
        roundKeys = (0..<16).map { round in
            let shift: UInt64 = [0, 1, 8, 15].contains(round) ? 1 : 2
            left = Self.rotated(left, by: shift)
            right = Self.rotated(right, by: shift)
            return DESTables.permuted(left << 28 | right, width: 56, by: DESTables.secondChoice)
        }
    }

    /// Runs the cipher over a block, with the round keys in the opposite order for decryption.
    func applied(to block: UInt64, backwards: Bool) -> UInt64 {
        let start = DESTables.permuted(block, width: 64, by: DESTables.initial)
        var (left, right) = (start >> 32, start & 0xFFFF_FFFF)
        for key in backwards ? roundKeys.reversed() : roundKeys {
            (left, right) = (right, left ^ Self.mixed(right, key))
        }
        return DESTables.permuted(right << 32 | left, width: 64, by: DESTables.final)
    }

    /// The cipher function f.
    private static func mixed(_ half: UInt64, _ key: UInt64) -> UInt64 {
        let expanded = DESTables.permuted(half, width: 32, by: DESTables.expansion) ^ key
        var result: UInt64 = 0
        for box in 0..<8 {
            let bits = Int(expanded >> UInt64(42 - 6 * box) & 0x3F)
            let row = bits >> 4 & 2 | bits & 1
            result = result << 4 | UInt64(DESTables.boxes[box][16 * row + (bits >> 1 & 0xF)])
        }
        return DESTables.permuted(result, width: 32, by: DESTables.permutation)
    }

    private static func rotated(_ half: UInt64, by count: UInt64) -> UInt64 {
        (half << count | half >> (28 - count)) & 0xFFF_FFFF
    }
}

/// The tables of FIPS 46-3. Bits are numbered from 1, the highest one.
private enum DESTables {
    static func permuted(_ value: UInt64, width: Int, by table: [Int]) -> UInt64 {
        table.reduce(0) { $0 << 1 | value >> UInt64(width - $1) & 1 }
    }

    /// IP: every eighth bit from the start of each row down.
    static let initial = [58, 60, 62, 64, 57, 59, 61, 63].flatMap { start in (0..<8).map { start - 8 * $0 } }
    /// The inverse of IP.
    static let final = (1...64).map { bit in (initial.firstIndex(of: bit) ?? 0) + 1 }
    /// E: six bits around each group of four.
    static let expansion = (0..<8).flatMap { group in (0..<6).map { (4 * group + $0 + 31) % 32 + 1 } }
    /// P.
    static let permutation = [
        16, 7, 20, 21, 29, 12, 28, 17, 1, 15, 23, 26, 5, 18, 31, 10,
        2, 8, 24, 14, 32, 27, 3, 9, 19, 13, 30, 6, 22, 11, 4, 25,
    ]
    /// PC-1.
    static let firstChoice = [
        57, 49, 41, 33, 25, 17, 9, 1, 58, 50, 42, 34, 26, 18, 10, 2, 59, 51, 43, 35, 27, 19, 11, 3, 60, 52, 44, 36,
        63, 55, 47, 39, 31, 23, 15, 7, 62, 54, 46, 38, 30, 22, 14, 6, 61, 53, 45, 37, 29, 21, 13, 5, 28, 20, 12, 4,
    ]
    /// PC-2.
    static let secondChoice = [
        14, 17, 11, 24, 1, 5, 3, 28, 15, 6, 21, 10, 23, 19, 12, 4, 26, 8, 16, 7, 27, 20, 13, 2,
        41, 52, 31, 37, 47, 55, 30, 40, 51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32,
    ]
    /// S1 to S8, four rows of sixteen each.
    static let boxes: [[UInt8]] = [
        [
            14, 4, 13, 1, 2, 15, 11, 8, 3, 10, 6, 12, 5, 9, 0, 7, 0, 15, 7, 4, 14, 2, 13, 1, 10, 6, 12, 11, 9, 5, 3, 8,
            4, 1, 14, 8, 13, 6, 2, 11, 15, 12, 9, 7, 3, 10, 5, 0, 15, 12, 8, 2, 4, 9, 1, 7, 5, 11, 3, 14, 10, 0, 6, 13,
        ],
        [
            15, 1, 8, 14, 6, 11, 3, 4, 9, 7, 2, 13, 12, 0, 5, 10, 3, 13, 4, 7, 15, 2, 8, 14, 12, 0, 1, 10, 6, 9, 11, 5,
            0, 14, 7, 11, 10, 4, 13, 1, 5, 8, 12, 6, 9, 3, 2, 15, 13, 8, 10, 1, 3, 15, 4, 2, 11, 6, 7, 12, 0, 5, 14, 9,
        ],
        [
            10, 0, 9, 14, 6, 3, 15, 5, 1, 13, 12, 7, 11, 4, 2, 8, 13, 7, 0, 9, 3, 4, 6, 10, 2, 8, 5, 14, 12, 11, 15, 1,
            13, 6, 4, 9, 8, 15, 3, 0, 11, 1, 2, 12, 5, 10, 14, 7, 1, 10, 13, 0, 6, 9, 8, 7, 4, 15, 14, 3, 11, 5, 2, 12,
        ],
        [
            7, 13, 14, 3, 0, 6, 9, 10, 1, 2, 8, 5, 11, 12, 4, 15, 13, 8, 11, 5, 6, 15, 0, 3, 4, 7, 2, 12, 1, 10, 14, 9,
            10, 6, 9, 0, 12, 11, 7, 13, 15, 1, 3, 14, 5, 2, 8, 4, 3, 15, 0, 6, 10, 1, 13, 8, 9, 4, 5, 11, 12, 7, 2, 14,
        ],
        [
            2, 12, 4, 1, 7, 10, 11, 6, 8, 5, 3, 15, 13, 0, 14, 9, 14, 11, 2, 12, 4, 7, 13, 1, 5, 0, 15, 10, 3, 9, 8, 6,
            4, 2, 1, 11, 10, 13, 7, 8, 15, 9, 12, 5, 6, 3, 0, 14, 11, 8, 12, 7, 1, 14, 2, 13, 6, 15, 0, 9, 10, 4, 5, 3,
        ],
        [
            12, 1, 10, 15, 9, 2, 6, 8, 0, 13, 3, 4, 14, 7, 5, 11, 10, 15, 4, 2, 7, 12, 9, 5, 6, 1, 13, 14, 0, 11, 3, 8,
            9, 14, 15, 5, 2, 8, 12, 3, 7, 0, 4, 10, 1, 13, 11, 6, 4, 3, 2, 12, 9, 5, 15, 10, 11, 14, 1, 7, 6, 0, 8, 13,
        ],
        [
            4, 11, 2, 14, 15, 0, 8, 13, 3, 12, 9, 7, 5, 10, 6, 1, 13, 0, 11, 7, 4, 9, 1, 10, 14, 3, 5, 12, 2, 15, 8, 6,
            1, 4, 11, 13, 12, 3, 7, 14, 10, 15, 6, 8, 0, 5, 9, 2, 6, 11, 13, 8, 1, 4, 10, 7, 9, 5, 0, 15, 14, 2, 3, 12,
        ],
        [
            13, 2, 8, 4, 6, 15, 11, 1, 10, 9, 3, 14, 5, 0, 12, 7, 1, 15, 13, 8, 10, 3, 7, 4, 12, 5, 6, 11, 0, 14, 9, 2,
            7, 11, 4, 1, 9, 12, 14, 2, 0, 6, 10, 13, 15, 3, 5, 8, 2, 1, 14, 7, 4, 10, 8, 13, 15, 12, 9, 0, 3, 5, 6, 11,
        ],
    ]
}
