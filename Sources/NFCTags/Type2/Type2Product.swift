import ISO7816

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

extension Type2Product {
    /// MIFARE Ultralight (MF0ICU1).
    public static let ultralight = silent("MIFARE Ultralight", pages: 16, user: 48)
    /// MIFARE Ultralight C (MF0ICU2); its key pages 44 to 47 cannot be read.
    public static let ultralightC = silent(
        "MIFARE Ultralight C", pages: 44, user: 144, controlTLV: [0x01, 0x03, 0xA0, 0x10, 0x44],
        locks: .byFours(page: 40))
    /// NTAG203.
    public static let ntag203 = silent(
        "NTAG203", pages: 42, user: 144, controlTLV: [0x01, 0x03, 0xA0, 0x10, 0x44], locks: .byFours(page: 40))
    /// MIFARE Ultralight EV1 with 48 bytes.
    public static let mf0ul11 = nxp(
        "MIFARE Ultralight EV1 (MF0UL11)", [3, 1, 0x0B, 3], pages: 20, user: 48, counters: 0...2)
    /// MIFARE Ultralight EV1 with 128 bytes.
    public static let mf0ul21 = nxp(
        "MIFARE Ultralight EV1 (MF0UL21)", [3, 1, 0x0E, 3], pages: 41, user: 128, counters: 0...2,
        controlTLV: [0x01, 0x03, 0x90, 0x0A, 0x34], locks: .even(page: 36, mask: [0xFF, 0x03, 0x1F], pagesPerBit: 2))
    /// NTAG210.
    public static let ntag210 = nxp("NTAG210", [4, 1, 0x0B, 3], pages: 20, user: 48)
    /// NTAG212.
    public static let ntag212 = nxp(
        "NTAG212", [4, 1, 0x0E, 3], pages: 41, user: 128,
        controlTLV: [0x01, 0x03, 0x90, 0x0A, 0x34], locks: .even(page: 36, mask: [0xFF, 0x03, 0x1F], pagesPerBit: 2))
    /// NTAG213.
    public static let ntag213 = nxp(
        "NTAG213", [4, 1, 0x0F, 3], pages: 45, user: 144, counters: 2...2,
        controlTLV: [0x01, 0x03, 0xA0, 0x0C, 0x34], locks: .even(page: 40, mask: [0xFF, 0x0F, 0x3F], pagesPerBit: 2))
    /// NTAG215.
    public static let ntag215 = nxp(
        "NTAG215", [4, 1, 0x11, 3], pages: 135, user: 504, containerSize: 0x3E, counters: 2...2,
        locks: .even(page: 130, mask: [0xFF, 0x00, 0x0F], pagesPerBit: 16))
    /// NTAG216.
    public static let ntag216 = nxp(
        "NTAG216", [4, 1, 0x13, 3], pages: 231, user: 888, containerSize: 0x6D, counters: 2...2,
        locks: .even(page: 226, mask: [0xFF, 0x3F, 0x7F], pagesPerBit: 16))
    /// NTAG I2C with 888 bytes; how it is locked is not known for sure.
    public static let ntagI2C1K = i2c("NTAG I2C 1K", [4, 2, 0x13, 3], user: 888, containerSize: 0x6D)
    /// NTAG I2C with 1904 bytes, of which sector 0 holds the first; how it is locked is not known for sure.
    public static let ntagI2C2K = i2c("NTAG I2C 2K", [4, 2, 0x15, 3], user: 1904, containerSize: 0xEA)

    /// Every product there is.
    public static let all = [
        ultralight, ultralightC, ntag203, mf0ul11, mf0ul21, ntag210, ntag212, ntag213, ntag215, ntag216, ntagI2C1K,
        ntagI2C2K,
    ]

    private static func silent(
        _ name: String, pages: Int, user: Int, controlTLV: [UInt8] = [], locks: Type2Locks = .staticOnly
    ) -> Type2Product {
        Type2Product(
            name: name, manufacturer: "NXP", readablePages: pages, userMemory: user,
            containerSize: UInt8(truncatingIfNeeded: user / 8), controlTLV: controlTLV, configurationPage: nil,
            locks: locks, version: nil, counters: nil)
    }

    /// The last four pages of these are the configuration, the password and its acknowledge.
    private static func nxp(
        _ name: String, _ version: [UInt8], pages: Int, user: Int, containerSize: UInt8? = nil,
        counters: ClosedRange<Int>? = nil, controlTLV: [UInt8] = [], locks: Type2Locks = .staticOnly
    ) -> Type2Product {
        Type2Product(
            name: name, manufacturer: "NXP", readablePages: pages, userMemory: user,
            containerSize: containerSize ?? UInt8(truncatingIfNeeded: user / 8), controlTLV: controlTLV,
            configurationPage: pages - 4, locks: locks, version: version, counters: counters)
    }

    private static func i2c(_ name: String, _ version: [UInt8], user: Int, containerSize: UInt8) -> Type2Product {
        Type2Product(
            name: name, manufacturer: "NXP", readablePages: min(4 + user / 4, 256), userMemory: user,
            containerSize: containerSize, controlTLV: [], configurationPage: nil, locks: nil, version: version,
            counters: nil)
    }
}

extension Type2Locks {
    fileprivate static let staticOnly = Type2Locks(page: nil, mask: [], grouping: .none)

    fileprivate static func even(page: Int, mask: [UInt8], pagesPerBit: Int) -> Type2Locks {
        Type2Locks(page: page, mask: mask, grouping: .even(pagesPerBit: pagesPerBit))
    }

    /// The upper bytes would freeze a counter, keys and authentication, which is not asked for.
    fileprivate static func byFours(page: Int) -> Type2Locks {
        Type2Locks(page: page, mask: [0xFF, 0x00, 0x00], grouping: .byFours)
    }
}

/// A write that makes something read-only for ever. Only a product of the table can make one, so none can hit a page that
/// holds data.
struct LockWrite: Sendable, Hashable {
    let page: Int
    let bytes: [UInt8]

    fileprivate init(page: Int, bytes: [UInt8]) {
        self.page = page
        self.bytes = bytes
    }
}

extension Type2Product {
    /// What locks the capability container and the whole user memory, in this order: the container's access byte, the
    /// static lock bytes, the dynamic ones. Nil where the product's locks are not known.
    ///
    /// - Parameters:
    ///   - page2: page 2 as it is; its first two bytes stay.
    ///   - container: the capability container as it is; only its access byte changes.
    func lockWrites(page2: [UInt8], container: Type2CapabilityContainer) -> [LockWrite]? {
        guard let locks, page2.count == Type2Tag.pageSize, container.bytes.count == Type2Tag.pageSize else {
            return nil
        }
        var writes = [
            LockWrite(page: 3, bytes: container.bytes.prefix(3) + [container.bytes[3] | 0x0F]),
            LockWrite(page: 2, bytes: page2.prefix(2) + [0xFF, 0xFF]),
        ]
        if let page = locks.page { writes.append(LockWrite(page: page, bytes: locks.mask + [0x00])) }
        return writes
    }
}

extension Type2Product {
    /// What can be told apart by the memory alone, smallest first.
    static let byMemory = [
        ultralight, mf0ul11.named("MIFARE Ultralight EV1 or NTAG210"),
        mf0ul21.named("MIFARE Ultralight EV1 or NTAG212"), ntag203, ultralightC, ntag213, ntag215, ntag216,
    ]

    private func named(_ name: String) -> Type2Product {
        Type2Product(
            name: name, manufacturer: manufacturer, readablePages: readablePages, userMemory: userMemory,
            containerSize: containerSize, controlTLV: controlTLV, configurationPage: configurationPage, locks: locks,
            version: version, counters: counters)
    }
}

/// What GET_VERSION answers: `00 vendor type subtype major minor storage protocol`.
public struct Type2Version: Sendable, Hashable {
    /// The eight bytes.
    public let bytes: [UInt8]

    /// Exactly eight bytes, the first 00; nil for anything else.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 8, bytes.first == 0x00 else { return nil }
        self.bytes = bytes
    }

    /// The maker: 04 is NXP.
    public var vendor: UInt8 { bytes[1] }
    /// The memory: an even number 2n stands for exactly 2^n bytes, 2n + 1 for more, below 2^(n+1).
    public var storage: UInt8 { bytes[6] }

    /// The product, where the vendor is NXP and the rest stands in the table.
    public var product: Type2Product? {
        guard vendor == 0x04 else { return nil }
        let parts = [bytes[2], bytes[4], bytes[6], bytes[7]]
        return Type2Product.all.first {
            $0.version == parts && Self.subtypes(of: $0).contains(bytes[3]) && Self.minors(of: $0).contains(bytes[5])
        }
    }

    /// What a clone of another vendor is most likely laid out like, by its storage byte; to be proved by its last page.
    var likeness: Type2Product? {
        switch storage {
        case 0x0B: .ntag210
        case 0x0E: .ntag212
        case 0x0F: .ntag213
        case 0x11: .ntag215
        case 0x13: .ntag216
        default: nil
        }
    }

    /// 01 is 17 pF, 02 is 50 pF; 05 is NTAG I2C, 04 the field-detecting variant of NTAG21x.
    private static func subtypes(of product: Type2Product) -> [UInt8] {
        switch product {
        case .mf0ul11, .mf0ul21: [0x01, 0x02]
        case .ntag210, .ntag212: [0x01]
        case .ntag213, .ntag216: [0x02, 0x04]
        case .ntagI2C1K, .ntagI2C2K: [0x05]
        default: [0x02]
        }
    }

    /// Minor version 1 is NTAG213C and a later NTAG I2C; 2 is NTAG I2C Plus, laid out differently.
    private static func minors(of product: Type2Product) -> [UInt8] {
        [.ntag213, .ntagI2C1K, .ntagI2C2K].contains(product) ? [0x00, 0x01] : [0x00]
    }
}

extension Type2Version: CustomStringConvertible {
    /// The eight bytes in hexadecimal.
    public var description: String { Hexadecimal.string(bytes) }
}
