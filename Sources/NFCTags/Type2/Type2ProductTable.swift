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
