/// The two static lock bytes: page 2, bytes 2 and 3 (NTAG213/215/216 data sheet, §8.5.2).
///
/// Bits 0 to 2 freeze the lock bits of page 3, pages 4 to 9 and pages 10 to 15; bit n from 3 on locks page n.
struct StaticLock {
    /// Byte 2 in the low half, byte 3 in the high half.
    private(set) var bits: UInt16

    init(_ bytes: some Collection<UInt8>) {
        bits = bytes.prefix(2).reversed().reduce(0) { $0 << 8 | UInt16($1) }
    }

    var bytes: [UInt8] { [UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8)] }

    func locks(page: Int) -> Bool {
        (3...15).contains(page) && bits >> page & 1 == 1
    }

    /// Sets bits; those frozen before this write stay as they are, and none is ever cleared.
    mutating func set(_ other: StaticLock) {
        bits |= other.bits & ~frozen
    }

    private var frozen: UInt16 {
        let groups: [UInt16] = [0x0008, 0x03F0, 0xFC00]
        return groups.enumerated().reduce(0) { bits >> $1.offset & 1 == 1 ? $0 | $1.element : $0 }
    }
}

/// Where a product keeps its dynamic lock bytes and what they lock (NTAG213/215/216 data sheet, §8.5.3).
///
/// Bit n of bytes 0 and 1 locks the n-th group of pages from page 16 on; bit n of byte 2 freezes bits 2n and 2n + 1.
struct DynamicLockLayout: Hashable, Sendable {
    /// The page that holds them.
    let page: Int
    /// How many pages one bit locks.
    let pagesPerBit: Int
    /// The last user page; the group of the last bit ends there.
    let lastPage: Int
    /// The bits that exist, bytes 0 to 2; the others are reserved and read as 0.
    let mask: [UInt8]

    /// The first page the dynamic lock bytes look after.
    static let firstPage = 16
    /// The page as delivered. Byte 3 always reads BD.
    let factoryBytes: [UInt8] = [0x00, 0x00, 0x00, 0xBD]

    func locks(page: Int, by bytes: some Collection<UInt8>) -> Bool {
        guard page >= Self.firstPage, page <= lastPage else { return false }
        return Self.word(bytes) >> ((page - Self.firstPage) / pagesPerBit) & 1 == 1
    }

    /// The lock bytes after a write of `new`: bits are only ever set, and not where frozen before.
    func merging(_ new: some Collection<UInt8>, into old: some Collection<UInt8>) -> [UInt8] {
        let before = Self.word(old)
        let after = before | (Self.word(new) & Self.word(mask) & ~frozen(by: before))
        return [0, 8, 16].map { UInt8(truncatingIfNeeded: after >> $0) } + factoryBytes.suffix(1)
    }

    private func frozen(by word: UInt32) -> UInt32 {
        (0..<8).reduce(0) { word >> (16 + $1) & 1 == 1 ? $0 | 0b11 << (2 * $1) : $0 }
    }

    private static func word(_ bytes: some Collection<UInt8>) -> UInt32 {
        bytes.prefix(3).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}
