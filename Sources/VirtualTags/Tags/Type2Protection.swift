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

    /// Sets bits; those frozen before this write keep their value, and none is ever cleared.
    mutating func set(_ other: StaticLock) {
        bits |= other.bits & ~frozen
    }

    private var frozen: UInt16 {
        let groups: [UInt16] = [0x0008, 0x03F0, 0xFC00]
        return groups.enumerated().reduce(0) { bits >> $1.offset & 1 == 1 ? $0 | $1.element : $0 }
    }
}

/// Where a product keeps its dynamic lock bytes and what they lock.
///
/// Bits count from the lowest one of byte 0.
struct DynamicLockLayout: Hashable, Sendable {
    /// The page that holds them.
    let page: Int
    /// The bits that exist, bytes 0 to 2; the others are reserved and read as 0.
    let mask: [UInt8]
    /// The page as delivered; bytes that are not lock bytes never change.
    let factoryBytes: [UInt8]
    /// The pages that each bit locks.
    private let locked: [Int: ClosedRange<Int>]
    /// The lock bits that each block-locking bit freezes.
    private let frozen: [Int: UInt32]

    /// The first page the dynamic lock bytes look after.
    static let firstPage = 16

    /// Bit n of bytes 0 and 1 locks the n-th group of pages from page 16 on; bit n of byte 2 freezes bits 2n and 2n + 1
    /// (NTAG213/215/216 data sheet, §8.5.3). Byte 3 always reads BD. The group of the last bit ends at `lastPage`.
    init(page: Int, pagesPerBit: Int, lastPage: Int, mask: [UInt8]) {
        let starts = stride(from: Self.firstPage, through: lastPage, by: pagesPerBit)
        self.init(
            page: page, mask: mask, factoryBytes: [0x00, 0x00, 0x00, 0xBD],
            locked: Dictionary(
                uniqueKeysWithValues: starts.enumerated().map { ($0, $1...min($1 + pagesPerBit - 1, lastPage)) }),
            frozen: Dictionary(uniqueKeysWithValues: (0..<8).map { (16 + $0, UInt32(0b11) << (2 * $0)) }))
    }

    /// Two bytes: bits 1 to 3 and 5 to 7 lock four pages each from page 16 on, bits 0 and 4 freeze them; the bits of byte 1
    /// are for single pages behind the data (NTAG203 data sheet, §8.5.2; MF0ICU2 data sheet).
    ///
    /// - Parameter further: the pages that bits 12 and up lock; the bits eight below freeze them.
    init(page: Int, further: [ClosedRange<Int>]) {
        var locked = [1: 16...19, 2: 20...23, 3: 24...27, 5: 28...31, 6: 32...35, 7: 36...39]
        var frozen: [Int: UInt32] = [0: 0x0E, 4: 0xE0]
        var upper: UInt8 = 0
        for (index, pages) in further.enumerated() {
            locked[12 + index] = pages
            frozen[8 + index] = 1 << (12 + index)
            upper |= 0x11 << index
        }
        self.init(
            page: page, mask: [0xFF, upper, 0x00], factoryBytes: [0, 0, 0, 0], locked: locked, frozen: frozen)
    }

    private init(
        page: Int, mask: [UInt8], factoryBytes: [UInt8], locked: [Int: ClosedRange<Int>], frozen: [Int: UInt32]
    ) {
        self.page = page
        self.mask = mask
        self.factoryBytes = factoryBytes
        self.locked = locked
        self.frozen = frozen
    }

    func locks(page: Int, by bytes: some Collection<UInt8>) -> Bool {
        let word = Self.word(bytes)
        return locked.contains { bit, pages in word >> bit & 1 == 1 && pages.contains(page) }
    }

    /// The lock bytes after a write of `new`: bits are only ever set, and not where frozen before.
    func merging(_ new: some Collection<UInt8>, into old: some Collection<UInt8>) -> [UInt8] {
        let before = Self.word(old)
        let after = before | (Self.word(new) & Self.word(mask) & ~frozen(by: before))
        return [0, 8, 16].map { UInt8(truncatingIfNeeded: after >> $0) } + factoryBytes.suffix(1)
    }

    private func frozen(by word: UInt32) -> UInt32 {
        frozen.reduce(0) { word >> $1.key & 1 == 1 ? $0 | $1.value : $0 }
    }

    private static func word(_ bytes: some Collection<UInt8>) -> UInt32 {
        bytes.prefix(3).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}

/// The meaning of the configuration pages CFG0, CFG1, PWD and PACK (NTAG213/215/216 data sheet, §8.5.7). A chip without
/// them protects nothing.
struct Type2Configuration {
    /// The bytes from CFG0 on.
    private let bytes: [UInt8]
    /// Whether the limit has ten bits, as on MIFARE Ultralight AES.
    private let hasLongLimit: Bool

    init(_ bytes: some Collection<UInt8>, hasLongLimit: Bool = false) {
        self.bytes = Array(bytes)
        self.hasLongLimit = hasLongLimit
    }

    /// The first page that needs the password; beyond the memory, nothing does.
    var firstProtectedPage: Int { bytes.isEmpty ? 0xFF : Int(byte(3)) }
    /// PROT: reading needs the password as well.
    var protectsReading: Bool { access & 0x80 != 0 }
    /// CFGLCK: CFG0 and CFG1 are read-only permanently, from the next power-on.
    var isLocked: Bool { access & 0x40 != 0 }
    /// NFC_CNT_EN of NTAG21x.
    var countsReads: Bool { access & 0x10 != 0 }
    /// NFC_CNT_PWD_PROT of NTAG21x.
    var protectsCounter: Bool { access & 0x08 != 0 }
    /// AUTHLIM: how many wrong passwords are taken, 0 for any number.
    var attemptLimit: Int { hasLongLimit ? Int(byte(6)) + 256 * Int(byte(7) & 0x03) : Int(access & 0x07) }
    /// SEC_MSG_ACT of MIFARE Ultralight AES.
    var needsAuthenticationCodes: Bool { hasLongLimit && byte(0) & 0x02 != 0 }
    /// VCTID of Ultralight EV1, the answer to VCSL.
    var virtualCardTypeIdentifier: UInt8 { byte(5) }
    /// PWD, four bytes.
    var password: [UInt8] { Array(bytes.dropFirst(8).prefix(4)) }
    /// PACK, the two bytes PWD_AUTH answers.
    var passwordAcknowledge: [UInt8] { Array(bytes.dropFirst(12).prefix(2)) }

    private var access: UInt8 { byte(4) }

    private func byte(_ offset: Int) -> UInt8 { bytes.dropFirst(offset).first ?? 0 }
}
