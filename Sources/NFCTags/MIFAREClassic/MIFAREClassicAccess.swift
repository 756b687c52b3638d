import ISO7816

/// A key of 6 bytes.
public struct MIFAREClassicKey: Sendable, Hashable {
    /// The bytes as they are in the trailer.
    public let bytes: [UInt8]

    /// Makes a key; nil unless there are 6 bytes.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 6 else { return nil }
        self.bytes = bytes
    }

    private init(_ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8, _ e: UInt8, _ f: UInt8) { bytes = [a, b, c, d, e, f] }

    /// A0A1A2A3A4A5: key A of the sectors with the MIFARE Application Directory.
    public static let directory = MIFAREClassicKey(0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5)
    /// D3F7D3F7D3F7: key A of the sectors with NDEF.
    public static let ndef = MIFAREClassicKey(0xD3, 0xF7, 0xD3, 0xF7, 0xD3, 0xF7)
    /// FFFFFFFFFFFF: both keys of a card as delivered.
    public static let transport = MIFAREClassicKey(0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF)
}

/// Which of a sector's two keys; the raw value is the authentication command.
public enum MIFAREClassicKeyType: UInt8, Sendable, Hashable, CaseIterable {
    /// Key A.
    case a = 0x60
    /// Key B.
    case b = 0x61
}

extension MIFAREClassicKeyType: CustomStringConvertible {
    /// `key A` or `key B`.
    public var description: String { self == .a ? "key A" : "key B" }
}

/// The keys an NDEF driver works with. No others are ever tried.
public struct MIFAREClassicNDEFKeys: Sendable, Hashable {
    /// The most keys B that are tried on a sector.
    static let limit = 3

    /// Candidates for key B of NFC and directory sectors, the likeliest first; at most the first 3 are tried.
    public let keysB: [MIFAREClassicKey]

    /// The public keys A, and these keys B.
    public init(keysB: [MIFAREClassicKey] = [.transport]) { self.keysB = Array(keysB.prefix(Self.limit)) }
}

/// The content of a sector trailer, as far as it can be read.
struct MIFAREClassicTrailer: Sendable, Hashable {
    /// The access conditions; nil if they contradict themselves.
    let access: MIFAREClassicAccessBits?
    /// The general purpose byte.
    let generalPurpose: UInt8
    /// The bytes of key B: the key if it can be read, otherwise zeros.
    let keyB: [UInt8]

    init?(_ block: [UInt8]) {
        guard block.count == MIFAREClassicSize.blockSize else { return nil }
        access = MIFAREClassicAccessBits(bytes: Array(block[6..<9]))
        generalPurpose = block[9]
        keyB = Array(block[10..<16])
    }

    /// A whole trailer.
    static func bytes(
        keyA: MIFAREClassicKey, access: [UInt8], generalPurpose: UInt8, keyB: [UInt8]
    ) -> [UInt8] {
        keyA.bytes + access + [generalPurpose] + keyB
    }
}

/// The access conditions of a sector, as bytes 6 to 8 of its trailer hold them (MF1S50yyX data sheet, access conditions).
public struct MIFAREClassicAccessBits: Sendable, Hashable {
    /// The conditions C1 C2 C3 as numbers 0…7, for data blocks 0, 1, 2 (or thirds of a large sector) and the trailer.
    private let conditions: [UInt8]

    /// Makes access bits of four conditions; nil if one is above 7.
    ///
    /// - Parameters:
    ///   - data: C1 C2 C3 as a number, for the three data blocks or groups of five.
    ///   - trailer: the same for the trailer.
    public init?(data: (UInt8, UInt8, UInt8), trailer: UInt8) {
        conditions = [data.0, data.1, data.2, trailer]
        guard conditions.allSatisfy({ $0 <= 7 }) else { return nil }
    }

    /// Parses three bytes; nil for another count, or where a bit and its complement do not match.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 3 else { return nil }
        let (c1, c2, c3) = (bytes[1] >> 4, bytes[2] & 0x0F, bytes[2] >> 4)
        guard bytes[0] == ~(c2 << 4 | c1), bytes[1] & 0x0F == ~c3 & 0x0F else { return nil }
        conditions = (0..<4).map { (c1 >> $0 & 1) << 2 | (c2 >> $0 & 1) << 1 | c3 >> $0 & 1 }
    }

    /// The three bytes, with the complements.
    public var bytes: [UInt8] {
        let (c1, c2, c3) = (nibble(2), nibble(1), nibble(0))
        return [~(c2 << 4 | c1), c1 << 4 | ~c3 & 0x0F, c3 << 4 | c2]
    }

    /// One of C1, C2, C3 (bit 2, 1, 0) of all four conditions, that of block 0 in bit 0.
    private func nibble(_ bit: Int) -> UInt8 {
        conditions.enumerated().reduce(0) { $0 | ($1.element >> bit & 1) << $1.offset }
    }
}

extension MIFAREClassicAccessBits {
    /// What the keys may do with data block 0, 1 or 2 (or a third of a large sector); nil for another group.
    public func data(_ group: Int) -> MIFAREClassicDataPermissions? {
        guard (0..<3).contains(group) else { return nil }
        let permissions = Self.dataTable[Int(conditions[group])]
        return trailer.readKeyB == .never ? permissions : permissions.withoutKeyB
    }

    /// What the keys may do with the trailer.
    public var trailer: MIFAREClassicTrailerPermissions { Self.trailerTable[Int(conditions[3])] }

    /// By C1 C2 C3 from 000 on.
    private static let dataTable: [MIFAREClassicDataPermissions] = [
        MIFAREClassicDataPermissions(.either, .either, .either, .either),
        MIFAREClassicDataPermissions(.either, .never, .never, .either),
        MIFAREClassicDataPermissions(.either, .never, .never, .never),
        MIFAREClassicDataPermissions(.b, .b, .never, .never),
        MIFAREClassicDataPermissions(.either, .b, .never, .never),
        MIFAREClassicDataPermissions(.b, .never, .never, .never),
        MIFAREClassicDataPermissions(.either, .b, .b, .either),
        MIFAREClassicDataPermissions(.never, .never, .never, .never),
    ]

    /// By C1 C2 C3 from 000 on.
    private static let trailerTable: [MIFAREClassicTrailerPermissions] = [
        MIFAREClassicTrailerPermissions(.a, .a, .never, .a, .a),
        MIFAREClassicTrailerPermissions(.a, .a, .a, .a, .a),
        MIFAREClassicTrailerPermissions(.never, .a, .never, .a, .never),
        MIFAREClassicTrailerPermissions(.b, .either, .b, .never, .b),
        MIFAREClassicTrailerPermissions(.b, .either, .never, .never, .b),
        MIFAREClassicTrailerPermissions(.never, .either, .b, .never, .never),
        MIFAREClassicTrailerPermissions(.never, .either, .never, .never, .never),
        MIFAREClassicTrailerPermissions(.never, .either, .never, .never, .never),
    ]
}

extension MIFAREClassicAccessBits {
    /// Who may read and write the data blocks, in a few words: `read A or B, write B`; block by block where they differ.
    var summary: String {
        let blocks = (0..<3).map { data($0).map { "read \($0.read.key), write \($0.write.key)" } ?? "" }
        if let first = blocks.first, blocks.allSatisfy({ $0 == first }) { return first }
        return blocks.enumerated().map { "\($0.offset): \($0.element)" }.joined(separator: "; ")
    }
}

extension MIFAREClassicPermission {
    /// The key alone.
    fileprivate var key: String {
        switch self {
        case .never: "never"
        case .a: "A"
        case .b: "B"
        case .either: "A or B"
        }
    }
}

extension MIFAREClassicAccessBits: CustomStringConvertible {
    /// What is allowed, block by block, in words.
    public var description: String {
        let blocks = (0..<3).map { "block \($0): \(data($0)?.description ?? "")" }
        return (blocks + ["trailer: \(trailer)"]).joined(separator: "; ")
    }
}

/// Which key allows an operation.
public enum MIFAREClassicPermission: Sendable, Hashable, CaseIterable {
    /// Neither.
    case never
    /// Key A only.
    case a
    /// Key B only.
    case b
    /// Either key.
    case either

    /// Whether a key of this type allows it.
    public func allows(_ type: MIFAREClassicKeyType) -> Bool {
        switch self {
        case .never: false
        case .a: type == .a
        case .b: type == .b
        case .either: true
        }
    }

    /// What remains where key B can be read and is not a key.
    var withoutKeyB: MIFAREClassicPermission { allows(.a) ? .a : .never }
}

extension MIFAREClassicPermission: CustomStringConvertible {
    /// `never`, `with key A`, `with key B` or `with either key`.
    public var description: String {
        switch self {
        case .never: "never"
        case .a: "with key A"
        case .b: "with key B"
        case .either: "with either key"
        }
    }
}

/// What the access condition of a data block allows (MF1S50yyX data sheet, access conditions for data blocks).
public struct MIFAREClassicDataPermissions: Sendable, Hashable {
    /// READ.
    public let read: MIFAREClassicPermission
    /// WRITE.
    public let write: MIFAREClassicPermission
    /// INCREMENT.
    public let increment: MIFAREClassicPermission
    /// DECREMENT, RESTORE and TRANSFER.
    public let decrement: MIFAREClassicPermission

    init(
        _ read: MIFAREClassicPermission, _ write: MIFAREClassicPermission, _ increment: MIFAREClassicPermission,
        _ decrement: MIFAREClassicPermission
    ) {
        (self.read, self.write, self.increment, self.decrement) = (read, write, increment, decrement)
    }

    var withoutKeyB: MIFAREClassicDataPermissions {
        MIFAREClassicDataPermissions(
            read.withoutKeyB, write.withoutKeyB, increment.withoutKeyB, decrement.withoutKeyB)
    }
}

extension MIFAREClassicDataPermissions: CustomStringConvertible {
    /// The four permissions in words.
    public var description: String {
        "read \(read), write \(write), increment \(increment), decrement, transfer and restore \(decrement)"
    }
}

/// What the access condition of a trailer allows (MF1S50yyX data sheet, access conditions for the sector trailer).
/// Key A can never be read.
public struct MIFAREClassicTrailerPermissions: Sendable, Hashable {
    /// Writing key A.
    public let writeKeyA: MIFAREClassicPermission
    /// Reading the access bits.
    public let readAccessBits: MIFAREClassicPermission
    /// Writing the access bits and the byte behind them.
    public let writeAccessBits: MIFAREClassicPermission
    /// Reading key B; where this is possible, key B is data and opens nothing.
    public let readKeyB: MIFAREClassicPermission
    /// Writing key B.
    public let writeKeyB: MIFAREClassicPermission

    init(
        _ writeKeyA: MIFAREClassicPermission, _ readAccessBits: MIFAREClassicPermission,
        _ writeAccessBits: MIFAREClassicPermission, _ readKeyB: MIFAREClassicPermission,
        _ writeKeyB: MIFAREClassicPermission
    ) {
        (self.writeKeyA, self.readAccessBits, self.writeAccessBits) = (writeKeyA, readAccessBits, writeAccessBits)
        (self.readKeyB, self.writeKeyB) = (readKeyB, writeKeyB)
    }
}

extension MIFAREClassicTrailerPermissions: CustomStringConvertible {
    /// The five permissions in words.
    public var description: String {
        "write key A \(writeKeyA), read access bits \(readAccessBits), write access bits \(writeAccessBits), "
            + "read key B \(readKeyB), write key B \(writeKeyB)"
    }
}
