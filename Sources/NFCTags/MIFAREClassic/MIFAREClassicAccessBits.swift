/// The access conditions of a sector, as bytes 6 to 8 of its trailer hold them (MF1S50yyX data sheet, access conditions).
public struct MIFAREClassicAccessBits: Sendable, Hashable {
    /// The conditions C1 C2 C3 as numbers 0…7, for data blocks 0, 1, 2 (or thirds of a large sector) and the trailer.
    private let conditions: [UInt8]

    /// Makes access bits of four conditions; nil where one is above 7.
    ///
    /// - Parameters:
    ///   - data: C1 C2 C3 as a number, for the three data blocks or groups of five.
    ///   - trailer: the same for the trailer.
    public init?(data: (UInt8, UInt8, UInt8), trailer: UInt8) {
        conditions = [data.0, data.1, data.2, trailer]
        guard conditions.allSatisfy({ $0 <= 7 }) else { return nil }
    }

    /// Takes three bytes apart; nil for another count, or where a bit and its complement do not match.
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

    /// C1 C2 C3 as a number: 0, 1, 2 for the data blocks, 3 for the trailer; nil for another group.
    public func condition(_ group: Int) -> UInt8? {
        conditions.indices.contains(group) ? conditions[group] : nil
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
