/// The facts of one Type 2 chip that matter to its user: sizes, special pages, what it answers. Pages have 4 bytes.
public struct Type2Product: Sendable, Hashable {
    /// The maker's name for it, for example `NTAG215`.
    public let name: String
    /// Who makes it.
    public let manufacturer: String
    /// How many pages can be read, from page 0 on; READ starts over at page 0 behind them.
    public let readablePages: Int
    /// Bytes for data from page 4 on.
    public let userMemory: Int
    /// Byte 2 of the capability container that suits it: the data area in units of 8 bytes.
    public let containerSize: UInt8
    /// The Lock Control TLV in front of the message, empty where none is used.
    public let controlTLV: [UInt8]
    /// The first page of the configuration, nil where there is none.
    public let configurationPage: Int?
    /// Where it is locked for good; nil where that is not known for sure.
    public let locks: Type2Locks?
    /// Of what GET_VERSION answers: type, major version, storage and protocol. Nil where it is not answered.
    let version: [UInt8]?
    /// The counters that READ_CNT knows.
    let counters: ClosedRange<Int>?

    /// Whether it knows GET_VERSION, and with it FAST_READ, READ_SIG and PWD_AUTH.
    public var answersVersion: Bool { version != nil }
    /// The size of the memory that can be read, in bytes.
    public var memorySize: Int { readablePages * Type2Tag.pageSize }
    /// The last page that holds data.
    var lastUserPage: Int { 3 + userMemory / Type2Tag.pageSize }
}

/// The dynamic lock bytes of a Type 2 chip; the static ones, which cover pages 3 to 15, are the same on all.
public struct Type2Locks: Sendable, Hashable {
    /// The page of the dynamic lock bytes, nil where the static ones cover the whole user memory.
    public let page: Int?
    /// Its bytes 0 to 2 when the whole user memory is locked and nothing else.
    public let mask: [UInt8]
    let grouping: Grouping

    /// What a lock bit stands for.
    enum Grouping: Sendable, Hashable {
        /// There are none.
        case none
        /// Bits 0… of bytes 0 and 1 lock so many pages each from page 16 on; bit n of byte 2 freezes bits 2n and 2n + 1.
        case even(pagesPerBit: Int)
        /// Bits 1 to 3 and 5 to 7 of byte 0 lock 4 pages each; bits 0 and 4 freeze the three bits above them.
        case byFours
    }

    /// Whether a page is locked, where `bytes` are the dynamic lock bytes.
    func locks(page: Int, by bytes: [UInt8]) -> Bool {
        guard page >= 16 else { return false }
        return bit(for: page).map { Self.word(bytes) >> $0 & 1 == 1 } ?? false
    }

    /// Whether the lock bits of ``mask`` can all be set still, or are.
    func canComplete(_ bytes: [UInt8]) -> Bool {
        let now = Self.word(bytes)
        return Self.word(mask) & 0xFFFF & ~now & frozen(by: now) == 0
    }

    /// Whether all bits of ``mask`` are set.
    func isComplete(_ bytes: [UInt8]) -> Bool { Self.word(mask) & ~Self.word(bytes) == 0 }

    private func bit(for page: Int) -> Int? {
        switch grouping {
        case .none: nil
        case .even(let pagesPerBit): (page - 16) / pagesPerBit < 16 ? (page - 16) / pagesPerBit : nil
        case .byFours: page <= 39 ? [1, 2, 3, 5, 6, 7][(page - 16) / 4] : nil
        }
    }

    private func frozen(by word: UInt32) -> UInt32 {
        switch grouping {
        case .none: 0
        case .even: (0..<8).reduce(0) { word >> (16 + $1) & 1 == 1 ? $0 | 3 << (2 * $1) : $0 }
        case .byFours: (word & 0x01 == 0 ? 0 : 0x0E) | (word & 0x10 == 0 ? 0 : 0xE0)
        }
    }

    private static func word(_ bytes: [UInt8]) -> UInt32 {
        bytes.prefix(3).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}
