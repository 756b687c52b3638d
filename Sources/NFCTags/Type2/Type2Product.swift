import ISO7816

/// The facts of one Type 2 chip that its driver needs: sizes, special pages, locks, what it answers. Pages have 4 bytes.
///
/// A product is one entry of the table below, which ``all`` lists.
public struct Type2Product: Sendable, Hashable {
    /// The maker's name for it, for example `NTAG215`.
    public private(set) var name: String
    /// Who makes it.
    public let manufacturer: String
    /// How many pages can be read, from page 0 on; READ starts over at page 0 behind them.
    public let readablePages: Int
    /// Bytes for data from page 4 on.
    public let userMemory: Int
    /// Byte 2 of the capability container that suits it: the data area in units of 8 bytes.
    public let containerSize: UInt8
    /// The Lock Control TLV in front of the message, empty if none is used.
    public let controlTLV: [UInt8]
    /// The first page of the configuration, nil if there is none.
    public let configurationPage: Int?
    /// What the pages behind it need, where one is set.
    let secret: Type2Secret
    /// Where it is locked permanently; nil if that is not known for certain.
    public let locks: Type2Locks?
    /// The pages AUTH0 and AUTH1 of a chip with 3DES keys begin at, nil on others.
    let keyAccessPage: Int?
    /// What GET_VERSION answers; nil if it is not supported.
    let version: Type2VersionPattern?
    /// The counters that READ_CNT reads.
    let counters: ClosedRange<Int>?
    /// What it is called where only its memory shows what it is; nil if that does not identify it.
    let nameByMemory: String?

    /// Whether it supports GET_VERSION, and with it FAST_READ, READ_SIG and PWD_AUTH.
    public var answersVersion: Bool { version != nil }
    /// The size of the memory that can be read, in bytes.
    public var memorySize: Int { readablePages * Type2Pages.size }
    /// Where the memory for data ends, in bytes from the start of memory.
    var userMemoryEnd: Int { Type2CapabilityContainer.dataAreaStart + userMemory }
    /// The last page that holds data.
    var lastUserPage: Int { 3 + userMemory / Type2Pages.size }
}

extension Type2Product {
    /// MIFARE Ultralight (MF0ICU1).
    public static let ultralight = silent("MIFARE Ultralight", pages: 16, user: 48)
    /// MIFARE Ultralight C (MF0ICU2); its key pages 44 to 47 cannot be read.
    public static let ultralightC = silent(
        "MIFARE Ultralight C", pages: 44, user: 144, controlTLV: [0x01, 0x03, 0xA0, 0x10, 0x44],
        locks: .byFours(page: 40), keyAccessPage: 42)
    /// NTAG203.
    public static let ntag203 = silent(
        "NTAG203", pages: 42, user: 144, controlTLV: [0x01, 0x03, 0xA0, 0x10, 0x44], locks: .byFours(page: 40))
    /// MIFARE Ultralight EV1 with 48 bytes.
    public static let mf0ul11 = nxp(
        "MIFARE Ultralight EV1 (MF0UL11)", .init(type: 3, subtypes: [1, 2], major: 1, storage: 0x0B), pages: 20,
        user: 48,
        counters: 0...2, nameByMemory: "MIFARE Ultralight EV1 or NTAG210")
    /// MIFARE Ultralight EV1 with 128 bytes.
    public static let mf0ul21 = nxp(
        "MIFARE Ultralight EV1 (MF0UL21)", .init(type: 3, subtypes: [1, 2], major: 1, storage: 0x0E), pages: 41,
        user: 128,
        counters: 0...2, nameByMemory: "MIFARE Ultralight EV1 or NTAG212",
        controlTLV: [0x01, 0x03, 0x90, 0x0A, 0x34], locks: .even(page: 36, mask: [0xFF, 0x03, 0x1F], pagesPerBit: 2))
    /// MIFARE Ultralight AES (MF0AES(H)20); how it is locked is not known for certain. Its key pages read as zeros.
    public static let ultralightAES = Type2Product(
        name: "MIFARE Ultralight AES", manufacturer: "NXP", readablePages: 60, userMemory: 144, containerSize: 0x12,
        controlTLV: [], configurationPage: 41, secret: .aesKey(page: 48, lockPage: 45), locks: nil, keyAccessPage: nil,
        version: .init(type: 3, subtypes: [1, 2, 3], major: 4, storage: 0x0F), counters: 0...2,
        nameByMemory: "MIFARE Ultralight AES")
    /// NTAG210.
    public static let ntag210 = nxp(
        "NTAG210", .init(type: 4, subtypes: [1], major: 1, storage: 0x0B), pages: 20, user: 48)
    /// NTAG212.
    public static let ntag212 = nxp(
        "NTAG212", .init(type: 4, subtypes: [1], major: 1, storage: 0x0E), pages: 41, user: 128,
        controlTLV: [0x01, 0x03, 0x90, 0x0A, 0x34], locks: .even(page: 36, mask: [0xFF, 0x03, 0x1F], pagesPerBit: 2))
    /// NTAG213.
    public static let ntag213 = nxp(
        "NTAG213", .init(type: 4, subtypes: [2, 4], major: 1, minors: [0, 1], storage: 0x0F), pages: 45, user: 144,
        counters: 2...2, nameByMemory: "NTAG213",
        controlTLV: [0x01, 0x03, 0xA0, 0x0C, 0x34], locks: .even(page: 40, mask: [0xFF, 0x0F, 0x3F], pagesPerBit: 2))
    /// NTAG215.
    public static let ntag215 = nxp(
        "NTAG215", .init(type: 4, subtypes: [2], major: 1, storage: 0x11), pages: 135, user: 504, containerSize: 0x3E,
        counters: 2...2, nameByMemory: "NTAG215",
        locks: .even(page: 130, mask: [0xFF, 0x00, 0x0F], pagesPerBit: 16))
    /// NTAG216.
    public static let ntag216 = nxp(
        "NTAG216", .init(type: 4, subtypes: [2, 4], major: 1, storage: 0x13), pages: 231, user: 888,
        containerSize: 0x6D,
        counters: 2...2, nameByMemory: "NTAG216",
        locks: .even(page: 226, mask: [0xFF, 0x3F, 0x7F], pagesPerBit: 16))
    /// NTAG I2C with 888 bytes; how it is locked is not known for certain.
    public static let ntagI2C1K = i2c("NTAG I2C 1K", storage: 0x13, user: 888, containerSize: 0x6D)
    /// NTAG I2C with 1904 bytes, of which sector 0 holds the first; how it is locked is not known for certain.
    public static let ntagI2C2K = i2c("NTAG I2C 2K", storage: 0x15, user: 1904, containerSize: 0xEA)

    /// Every product.
    public static let all = [
        ultralight, ultralightC, ntag203, mf0ul11, mf0ul21, ultralightAES, ntag210, ntag212, ntag213, ntag215, ntag216,
        ntagI2C1K, ntagI2C2K,
    ]

    /// A chip that does not answer GET_VERSION; its memory shows what it is.
    private static func silent(
        _ name: String, pages: Int, user: Int, controlTLV: [UInt8] = [], locks: Type2Locks = .staticOnly,
        keyAccessPage: Int? = nil
    ) -> Type2Product {
        Type2Product(
            name: name, manufacturer: "NXP", readablePages: pages, userMemory: user,
            containerSize: UInt8(truncatingIfNeeded: user / 8), controlTLV: controlTLV, configurationPage: nil,
            secret: .password, locks: locks, keyAccessPage: keyAccessPage, version: nil, counters: nil,
            nameByMemory: name)
    }

    /// A chip whose last four pages are the configuration, the password and its acknowledge.
    private static func nxp(
        _ name: String, _ version: Type2VersionPattern, pages: Int, user: Int, containerSize: UInt8? = nil,
        counters: ClosedRange<Int>? = nil, nameByMemory: String? = nil, controlTLV: [UInt8] = [],
        locks: Type2Locks = .staticOnly
    ) -> Type2Product {
        Type2Product(
            name: name, manufacturer: "NXP", readablePages: pages, userMemory: user,
            containerSize: containerSize ?? UInt8(truncatingIfNeeded: user / 8), controlTLV: controlTLV,
            configurationPage: pages - 4, secret: .password, locks: locks, keyAccessPage: nil, version: version,
            counters: counters,
            nameByMemory: nameByMemory)
    }

    /// NTAG I2C. Minor version 1 is a later revision; 2 is NTAG I2C Plus, laid out differently.
    private static func i2c(_ name: String, storage: UInt8, user: Int, containerSize: UInt8) -> Type2Product {
        Type2Product(
            name: name, manufacturer: "NXP", readablePages: min(4 + user / 4, 256), userMemory: user,
            containerSize: containerSize, controlTLV: [], configurationPage: nil, secret: .password, locks: nil,
            keyAccessPage: nil,
            version: .init(type: 4, subtypes: [5], major: 2, minors: [0, 1], storage: storage), counters: nil,
            nameByMemory: nil)
    }
}

extension Type2Product {
    /// The products that the memory alone identifies, smallest first, under the names for that.
    static let byMemory = all.compactMap { product in
        product.nameByMemory.map { name in
            var found = product
            found.name = name
            return found
        }
    }.sorted { $0.readablePages < $1.readablePages }

    /// The pages and the bytes for data of the products whose memory is one sector, smallest first.
    static let bySize = all.filter { $0.userMemoryEnd <= $0.memorySize }.map {
        (pages: $0.readablePages, user: $0.userMemory)
    }
    .sorted { $0.pages < $1.pages }

    /// The size up to which tags with a blank container are compared with products.
    static let largestProbedBlank = ultralightAES.readablePages

    /// Whether a container of this size is found on chips with FAST_READ only. The smaller ones are found on others as well,
    /// or FAST_READ saves nothing there.
    static func hasFastRead(with container: Type2CapabilityContainer) -> Bool {
        let products = all.filter { $0.containerSize == container.bytes[2] }
        return container.dataAreaSize > ntag213.userMemory && !products.isEmpty
            && products.allSatisfy(\.answersVersion)
    }
}

/// What protects the pages from AUTH0 on.
enum Type2Secret: Sendable, Hashable {
    /// PWD, four bytes, which PWD_AUTH gives in the clear; its page and that of PACK follow CFG1.
    case password
    /// DataProtKey, an AES key of 16 bytes, in four pages; bit 6 of byte 0 of `lockPage` locks it permanently.
    case aesKey(page: Int, lockPage: Int)

    /// How many bytes it has.
    var size: Int { self == .password ? 4 : AESKeyAuthentication.keySize }
    /// How many wrong ones can be allowed at most.
    var largestAttemptLimit: Int { self == .password ? 7 : 1023 }
    /// What people call it.
    var words: String { self == .password ? "password" : "AES key" }
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
    /// Whether the minor version is 0.
    var isFirstRevision: Bool { bytes[5] == 0 }
    /// The memory: an even number 2n stands for exactly 2^n bytes, 2n + 1 for more, below 2^(n+1).
    public var storage: UInt8 { bytes[6] }

    /// The product, where the vendor is NXP and the rest is in the table.
    public var product: Type2Product? {
        guard vendor == Self.nxp else { return nil }
        return Type2Product.all.first { $0.version?.matches(self) == true }
    }

    /// The NTAG21x that the tag of another vendor is most likely laid out like, by its storage byte; its last page has to
    /// confirm it.
    var likeness: Type2Product? {
        Type2Product.all.first {
            guard let version = $0.version else { return false }
            return version.type == 0x04 && version.major == 1 && version.storage == storage
        }
    }

    /// The bytes for data that a chip of this version has at least. An even storage byte 2n stands for exactly 2^n bytes; the memory of
    /// the products behind that is not always for data alone, so what is known of one comes first.
    var leastUserMemory: Int {
        if vendor == Self.nxp, let known = Self.leastUserMemory[bytes[2...6]] { return known }
        if let likeness { return likeness.userMemory }
        return storage / 2 < 16 ? 1 << Int(storage / 2) : 0
    }

    /// Type, subtype, versions and storage of chips of NXP whose driver is that of an unknown product, and their bytes for data
    /// (NT2H1021, NT2H1001, NT2L1001, NT2H2331, NT2H2421 and NT3H2111 data sheets, memory organization).
    private static let leastUserMemory: [ArraySlice<UInt8>: Int] = [
        [0x03, 0x01, 0x02, 0x00, 0x0B]: 40, [0x03, 0x02, 0x02, 0x00, 0x0B]: 40,
        [0x04, 0x01, 0x02, 0x00, 0x0B]: 48, [0x04, 0x02, 0x02, 0x00, 0x0B]: 48,
        [0x04, 0x02, 0x03, 0x00, 0x0F]: 144,
        [0x04, 0x02, 0x04, 0x00, 0x0F]: 144, [0x04, 0x08, 0x04, 0x00, 0x0F]: 144,
        [0x04, 0x02, 0x05, 0x00, 0x10]: 208, [0x04, 0x08, 0x05, 0x00, 0x10]: 208,
        // In sector 0: behind it, pages follow that are not memory.
        [0x04, 0x05, 0x02, 0x02, 0x13]: 888, [0x04, 0x05, 0x02, 0x02, 0x15]: 888,
    ]

    /// The vendor number of NXP.
    static let nxp: UInt8 = 0x04
}

/// The answers to GET_VERSION of one product of NXP.
struct Type2VersionPattern: Sendable, Hashable {
    /// 03 is Ultralight, 04 NTAG.
    let type: UInt8
    /// 01 is 17 pF, 02 is 50 pF; 04 the field-detecting variant of NTAG21x, 05 NTAG I2C.
    let subtypes: Set<UInt8>
    let major: UInt8
    /// Minor version 1 of NTAG213 is NTAG213C.
    var minors: Set<UInt8> = [0]
    let storage: UInt8
    /// 03: ISO/IEC 14443-3.
    private let protocolType: UInt8 = 0x03

    /// Whether a tag of NXP with this version is the product.
    func matches(_ version: Type2Version) -> Bool {
        let bytes = version.bytes
        return [bytes[2], bytes[4], bytes[6], bytes[7]] == [type, major, storage, protocolType]
            && subtypes.contains(bytes[3]) && minors.contains(bytes[5])
    }
}

extension Type2Version {
    /// The vendor, by name where it is NXP.
    var vendorName: String { vendor == Self.nxp ? "NXP" : "vendor \(Hexadecimal.string(vendor))" }

    /// Vendor, type and size in words, for a chip that is not in the table.
    var words: String {
        let type = [0x03: "Ultralight", 0x04: "NTAG"][bytes[2]] ?? "type \(Hexadecimal.string(bytes[2]))"
        let size = storage < 64 ? ", \(storage % 2 == 0 ? "" : "more than ")\(1 << Int(storage / 2)) bytes" : ""
        return
            "\(vendorName), \(type), subtype \(Hexadecimal.string(bytes[3])), version \(bytes[4]).\(bytes[5])\(size); not known"
    }
}

extension Type2Version: CustomStringConvertible {
    /// The eight bytes in hexadecimal.
    public var description: String { Hexadecimal.string(bytes) }
}
