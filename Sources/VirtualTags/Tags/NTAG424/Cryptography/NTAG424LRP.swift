/// The leakage resilient primitive with one updated key: evaluation, encryption of whole blocks by a counter (LRICB), and CMAC
/// (NXP AN12304).
struct NTAG424LRP: Sendable, Hashable {
    /// One secret plaintext for each value of a nibble.
    private let plaintexts: [[UInt8]]
    /// The updated key.
    private let key: [UInt8]

    private static let zero = filled(0x00)

    /// Derives the plaintexts and an updated key of a key of 16 bytes (§2.1).
    ///
    /// - Parameter number: which updated key, from 0.
    init(key: [UInt8], updatedKey number: Int = 0) {
        plaintexts = Self.plaintexts(of: key)
        self.key = Self.updatedKeys(of: key, count: number + 1)[number]
    }

    /// The 16 secret plaintexts of a key.
    static func plaintexts(of key: [UInt8]) -> [[UInt8]] {
        chain(from: AES128(key: key).encrypt(filled(0x55)), count: 16)
    }

    /// The first updated keys of a key.
    static func updatedKeys(of key: [UInt8], count: Int) -> [[UInt8]] {
        chain(from: AES128(key: key).encrypt(filled(0xAA)), count: count)
    }

    /// Each value is the encryption of AA…; the key for it is replaced by its encryption of 55… each time.
    private static func chain(from start: [UInt8], count: Int) -> [[UInt8]] {
        var next = start
        return (0..<count).map { _ in
            let cipher = AES128(key: next)
            next = cipher.encrypt(filled(0x55))
            return cipher.encrypt(filled(0xAA))
        }
    }

    /// The primitive for a row of nibbles (§2.2).
    ///
    /// - Parameter isFinal: whether a last encryption of zeros hides the intermediate value.
    func evaluated(_ nibbles: [UInt8], isFinal: Bool = true) -> [UInt8] {
        let value = nibbles.reduce(key) { AES128(key: $0).encrypt(plaintexts[Int($1 & 0x0F)]) }
        return isFinal ? AES128(key: value).encrypt(Self.zero) : value
    }

    /// Encrypts whole blocks (§2.3).
    ///
    /// - Parameter counter: that of the first block, most significant byte first; it keeps its length and wraps around.
    func encrypt(_ bytes: [UInt8], counter: [UInt8]) -> [UInt8] {
        transformed(bytes, counter) { $0.encrypt($1) }
    }

    /// Decrypts whole blocks.
    func decrypt(_ bytes: [UInt8], counter: [UInt8]) -> [UInt8] {
        transformed(bytes, counter) { $0.decrypt($1) }
    }

    private func transformed(
        _ bytes: [UInt8], _ counter: [UInt8], _ transform: (AES128, [UInt8]) -> [UInt8]
    ) -> [UInt8] {
        var counter = counter
        return stride(from: 0, to: bytes.count, by: AES128.blockSize).flatMap { start -> [UInt8] in
            defer { Self.increment(&counter) }
            let block = Array(bytes.dropFirst(start).prefix(AES128.blockSize))
            return transform(AES128(key: evaluated(Self.nibbles(counter))), block)
        }
    }

    /// The CMAC of a message, 16 bytes (§2.4).
    func authenticationCode(_ message: [UInt8]) -> [UInt8] {
        let (whole, partial) = subkeys
        let isWhole = !message.isEmpty && message.count.isMultiple(of: AES128.blockSize)
        let bytes = isWhole ? message : AES128.padded(message)
        let last = bytes.count - AES128.blockSize
        let state = stride(from: 0, to: last, by: AES128.blockSize).reduce(Self.zero) { state, start in
            evaluated(Self.nibbles(xor(state, Array(bytes[start..<start + AES128.blockSize]))))
        }
        return evaluated(Self.nibbles(xor(xor(state, Array(bytes[last...])), isWhole ? whole : partial)))
    }

    /// K1 for a last block that is whole, K2 for one that was padded.
    var subkeys: (whole: [UInt8], partial: [UInt8]) {
        let first = Self.doubled(evaluated([UInt8](repeating: 0, count: 2 * AES128.blockSize)))
        return (first, Self.doubled(first))
    }

    /// High nibble of each byte first.
    static func nibbles(_ bytes: [UInt8]) -> [UInt8] { bytes.flatMap { [$0 >> 4, $0 & 0x0F] } }

    private static func increment(_ counter: inout [UInt8]) {
        for index in counter.indices.reversed() {
            counter[index] &+= 1
            if counter[index] != 0 { return }
        }
    }

    /// A block times x in the field of 2^128 elements.
    private static func doubled(_ block: [UInt8]) -> [UInt8] {
        let isOverflowing = block[0] & 0x80 != 0
        return block.indices.map { index in
            let next = index + 1 < block.count ? block[index + 1] >> 7 : isOverflowing ? 0x87 : 0
            return block[index] << 1 ^ next
        }
    }

    private static func filled(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: AES128.blockSize) }
}
