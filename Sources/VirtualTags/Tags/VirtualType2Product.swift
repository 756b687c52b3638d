/// The facts of one Type 2 chip that its behaviour follows from: sizes, special pages, factory answers.
public struct VirtualType2Product: Sendable, Hashable, CustomStringConvertible {
    /// The name its maker gives it, for example `NTAG215`.
    public let name: String
    /// The number of 4-byte pages, from page 0 to the last one that can be addressed.
    public let pageCount: Int
    /// The bytes for TLVs from page 4 on that the capability container declares (NFC Forum Type 2 Tag specification).
    public let dataAreaSize: Int
    /// The eight bytes that GET_VERSION answers (NTAG213/215/216 data sheet, §10.1); empty on chips that do not know it.
    public let version: [UInt8]

    /// What the chip can do beyond READ and WRITE.
    let features: Type2Features
    /// The first of the configuration pages CFG0 and CFG1, which PWD and PACK follow on chips with a password; nil on chips
    /// without.
    let configurationPage: Int?
    /// The last pages as delivered: configuration, password, keys.
    let behindData: [UInt8]
    /// The dynamic lock bytes, nil where the static ones cover all user pages.
    let dynamicLock: DynamicLockLayout?
    /// The Lock Control TLV in front of the message, empty where none is used.
    let lockControlTLV: [UInt8]
    /// Whether the chip is delivered with a capability container and an empty NDEF message.
    let isDeliveredFormatted: Bool

    /// The product's name.
    public var description: String { name }

    /// The size of the whole memory in bytes.
    public var memorySize: Int { pageCount * Self.pageSize }

    /// The bytes of one page.
    static let pageSize = 4
    /// The bytes of the identifier, ISO/IEC 14443-3 double size.
    static let identifierSize = 7

    /// The bytes of the originality signature; on MIFARE Ultralight AES one of secp192r1.
    var signatureSize: Int { features.contains(.aes) ? 48 : 32 }
    /// The pages that always read as zeros: PWD and PACK, or the keys.
    var secretPages: Range<Int> {
        if features.contains(.aes) { return Type2Keys.pages }
        return configurationPage.map { $0 + 2..<$0 + 4 } ?? pageCount..<pageCount
    }
    /// The last page WRITE can address.
    var lastPage: Int { pageCount - 1 }
    /// How many of the pages READ can show; behind them it starts over. The key pages of MIFARE Ultralight C are not among
    /// them.
    var readablePageCount: Int { features.contains(.tripleDES) ? 44 : pageCount }
    /// The counter numbers READ_CNT accepts; the NFC counter of NTAG21x is number 2.
    var counterNumbers: ClosedRange<Int> { features.contains(.incrementCounter) ? 0...2 : 2...2 }
    /// The capability container: version 1.0, size in units of 8 bytes, free to read and write.
    var capabilityContainer: [UInt8] { [0xE1, 0x10, UInt8(truncatingIfNeeded: dataAreaSize / 8), 0x00] }
}

/// Groups of commands that not every Type 2 chip has.
struct Type2Features: OptionSet, Hashable {
    let rawValue: Int

    /// The NFC counter, incremented by the first read after power-on where NFC_CNT_EN is set.
    static let nfcCounter = Type2Features(rawValue: 1 << 0)
    /// INCR_CNT and CHECK_TEARING_EVENT on three counters.
    static let incrementCounter = Type2Features(rawValue: 1 << 1)
    /// VCSL, the virtual card selection.
    static let virtualCard = Type2Features(rawValue: 1 << 2)
    /// GET_VERSION, FAST_READ and READ_SIG.
    static let version = Type2Features(rawValue: 1 << 3)
    /// The two-step authentication of MIFARE Ultralight C, and its pages 42 to 47.
    static let tripleDES = Type2Features(rawValue: 1 << 4)
    /// READ_CNT.
    static let readCounter = Type2Features(rawValue: 1 << 5)
    /// The ASCII mirror: of the UID, and on a chip with the NFC counter also of that.
    static let mirror = Type2Features(rawValue: 1 << 6)
    /// PWD_AUTH.
    static let password = Type2Features(rawValue: 1 << 7)
    /// The mutual authentication of MIFARE Ultralight AES.
    static let aes = Type2Features(rawValue: 1 << 8)
}

/// The commands of the modelled chips (NTAG213/215/216 data sheet, §9.1 and §10; MF0ULx1 data sheet).
enum Type2Command: UInt8 {
    case authentication = 0x1A
    case passwordAuthentication = 0x1B
    case read = 0x30
    case readCounter = 0x39
    case fastRead = 0x3A
    case readSignature = 0x3C
    case checkTearingEvent = 0x3E
    case virtualCardSelectLast = 0x4B
    case halt = 0x50
    case getVersion = 0x60
    case compatibilityWrite = 0xA0
    case write = 0xA2
    case incrementCounter = 0xA5

    /// How many bytes follow the command code; a frame of another length is refused.
    var argumentCount: Int {
        switch self {
        case .getVersion: 0
        case .read, .readCounter, .readSignature, .checkTearingEvent, .halt, .compatibilityWrite, .authentication: 1
        case .fastRead: 2
        case .passwordAuthentication: 4
        case .write, .incrementCounter: 5
        case .virtualCardSelectLast: 20
        }
    }

    /// What a product needs one of to know this command, empty where all do.
    var requirement: Type2Features {
        switch self {
        case .incrementCounter, .checkTearingEvent: .incrementCounter
        case .getVersion, .fastRead, .readSignature: .version
        case .passwordAuthentication: .password
        case .readCounter: .readCounter
        case .authentication: [.tripleDES, .aes]
        case .virtualCardSelectLast: .virtualCard
        default: []
        }
    }
}

extension VirtualType2Product {
    /// NTAG213: 45 pages, 144 bytes for TLVs (NTAG213/215/216 data sheet, §8.5).
    public static let ntag213 = ntag(
        "NTAG213", pageCount: 45, dataAreaSize: 144, storage: 0x0F,
        dynamicLock: DynamicLockLayout(page: 40, pagesPerBit: 2, lastPage: 39, mask: [0xFF, 0x0F, 0x3F]),
        lockControlTLV: [0x01, 0x03, 0xA0, 0x0C, 0x34])

    /// NTAG215: 135 pages, 504 user bytes of which the capability container declares 496.
    public static let ntag215 = ntag(
        "NTAG215", pageCount: 135, dataAreaSize: 496, storage: 0x11,
        dynamicLock: DynamicLockLayout(page: 130, pagesPerBit: 16, lastPage: 129, mask: [0xFF, 0x00, 0x0F]))

    /// NTAG216: 231 pages, 888 user bytes of which the capability container declares 872.
    public static let ntag216 = ntag(
        "NTAG216", pageCount: 231, dataAreaSize: 872, storage: 0x13,
        dynamicLock: DynamicLockLayout(page: 226, pagesPerBit: 16, lastPage: 225, mask: [0xFF, 0x3F, 0x7F]))

    /// MIFARE Ultralight EV1 with 20 pages and 48 user bytes (MF0ULx1 data sheet).
    public static let mf0ul11 = ultralightEV1("MF0UL11", pageCount: 20, dataAreaSize: 48, storage: 0x0B)

    /// MIFARE Ultralight EV1 with 41 pages and 128 user bytes (MF0ULx1 data sheet).
    public static let mf0ul21 = ultralightEV1(
        "MF0UL21", pageCount: 41, dataAreaSize: 128, storage: 0x0E,
        dynamicLock: DynamicLockLayout(page: 36, pagesPerBit: 2, lastPage: 35, mask: [0xFF, 0x03, 0x1F]),
        lockControlTLV: [0x01, 0x03, 0x90, 0x0A, 0x34])

    /// MIFARE Ultralight AES: 60 pages, 144 user bytes (MF0AES(H)20 data sheet). A random identifier is not modelled.
    public static let ultralightAES = VirtualType2Product(
        name: "MF0AES20", pageCount: 60, dataAreaSize: 144, version: [0x00, 0x04, 0x03, 0x01, 0x04, 0x00, 0x0F, 0x03],
        features: [.version, .readCounter, .incrementCounter, .virtualCard, .aes], configurationPage: 41,
        // AUTH0 at 60: no page is protected. Both keys are zeros.
        behindData: [0x00, 0x00, 0x00, 0x3C, 0x8C, 0x05, 0x00, 0x00] + [UInt8](repeating: 0, count: 17 * pageSize),
        dynamicLock: DynamicLockLayout(page: 40, pagesPerBit: 2, lastPage: 39, mask: [0xFF, 0x0F, 0x3F]),
        lockControlTLV: [], isDeliveredFormatted: false)

    /// NTAG210: 20 pages, 48 bytes for TLVs (NTAG210/212 data sheet).
    public static let ntag210 = ntag(
        "NTAG210", subtype: 0x01, pageCount: 20, dataAreaSize: 48, storage: 0x0B,
        features: [.version, .password, .mirror])

    /// NTAG212: 41 pages, 128 bytes for TLVs (NTAG210/212 data sheet).
    public static let ntag212 = ntag(
        "NTAG212", subtype: 0x01, pageCount: 41, dataAreaSize: 128, storage: 0x0E,
        features: [.version, .password, .mirror],
        dynamicLock: DynamicLockLayout(page: 36, pagesPerBit: 2, lastPage: 35, mask: [0xFF, 0x03, 0x1F]),
        lockControlTLV: [0x01, 0x03, 0x90, 0x0A, 0x34])

    /// MIFARE Ultralight: 16 pages, READ and WRITE only (MF0ICU1 data sheet).
    public static let ultralight = silent("MIFARE Ultralight", pageCount: 16, dataAreaSize: 48)

    /// MIFARE Ultralight C: 48 pages, of which the last four hold a key and cannot be read (MF0ICU2 data sheet).
    public static let ultralightC = silent(
        "MIFARE Ultralight C", pageCount: 48, dataAreaSize: 144, features: .tripleDES,
        // The counter, AUTH0 at 48: no page is protected, AUTH1, then the key 49 45 4D … 46 in stored order.
        behindData: [0, 0, 0, 0, 0x30, 0, 0, 0, 0, 0, 0, 0]
            + [
                0x42, 0x52, 0x45, 0x41, 0x4B, 0x4D, 0x45, 0x49, 0x46, 0x59, 0x4F, 0x55, 0x43, 0x41, 0x4E, 0x21,
            ],
        dynamicLock: DynamicLockLayout(page: 40, further: [41...41, 42...42, 43...43, 44...47]),
        lockControlTLV: [0x01, 0x03, 0xA0, 0x10, 0x44])

    /// NTAG203: 42 pages, READ and WRITE only (NTAG203 data sheet). The counter in page 41 is plain memory here.
    public static let ntag203 = silent(
        "NTAG203", pageCount: 42, dataAreaSize: 144,
        dynamicLock: DynamicLockLayout(page: 40, further: [41...41]),
        lockControlTLV: [0x01, 0x03, 0xA0, 0x10, 0x44], isDeliveredFormatted: true)

    /// All modelled products.
    public static let all: [VirtualType2Product] = [
        ntag213, ntag215, ntag216, mf0ul11, mf0ul21, ultralightAES, ntag210, ntag212, ntag203, ultralight, ultralightC,
    ]

    /// What a chip is called that is not modelled.
    static let cloneName = "Type 2 Tag"

    /// A chip that is not modelled.
    ///
    /// - Parameters:
    ///   - model: the chip that it is like; nil for one that has nothing but pages.
    ///   - version: what it answers to GET_VERSION; empty if it does not know the command.
    static func clone(of model: VirtualType2Product?, pageCount: Int, version: [UInt8]) -> VirtualType2Product {
        let features = (model?.features ?? []).subtracting(version.isEmpty ? .version : [])
        return VirtualType2Product(
            name: cloneName, pageCount: pageCount, dataAreaSize: model?.dataAreaSize ?? max(pageCount - 4, 0) * 4,
            version: version, features: version.isEmpty ? features : features.union(.version),
            configurationPage: model?.configurationPage, behindData: model?.behindData ?? [],
            dynamicLock: model?.dynamicLock, lockControlTLV: [], isDeliveredFormatted: false)
    }

    /// The same chip with nothing that keeps its memory from being read: no password, no keys, no mirror.
    var opened: VirtualType2Product {
        VirtualType2Product(
            name: name, pageCount: pageCount, dataAreaSize: dataAreaSize, version: version,
            features: features.intersection(.version), configurationPage: nil, behindData: [], dynamicLock: dynamicLock,
            lockControlTLV: [], isDeliveredFormatted: false)
    }

    private static func silent(
        _ name: String, pageCount: Int, dataAreaSize: Int, features: Type2Features = [], behindData: [UInt8] = [],
        dynamicLock: DynamicLockLayout? = nil, lockControlTLV: [UInt8] = [], isDeliveredFormatted: Bool = false
    ) -> VirtualType2Product {
        VirtualType2Product(
            name: name, pageCount: pageCount, dataAreaSize: dataAreaSize, version: [], features: features,
            configurationPage: nil, behindData: behindData, dynamicLock: dynamicLock,
            lockControlTLV: lockControlTLV, isDeliveredFormatted: isDeliveredFormatted)
    }

    private static func ntag(
        _ name: String, subtype: UInt8 = 0x02, pageCount: Int, dataAreaSize: Int, storage: UInt8,
        features: Type2Features = [.version, .password, .readCounter, .nfcCounter, .mirror],
        dynamicLock: DynamicLockLayout? = nil,
        lockControlTLV: [UInt8] = []
    ) -> VirtualType2Product {
        VirtualType2Product(
            name: name, pageCount: pageCount, dataAreaSize: dataAreaSize,
            version: [0x00, 0x04, 0x04, subtype, 0x01, 0x00, storage, 0x03],
            features: features, configurationPage: pageCount - 4,
            behindData: [0x04, 0x00, 0x00, 0xFF, 0x00, 0x05, 0x00, 0x00] + factoryPassword,
            dynamicLock: dynamicLock, lockControlTLV: lockControlTLV, isDeliveredFormatted: true)
    }

    private static func ultralightEV1(
        _ name: String, pageCount: Int, dataAreaSize: Int, storage: UInt8,
        dynamicLock: DynamicLockLayout? = nil, lockControlTLV: [UInt8] = []
    ) -> VirtualType2Product {
        VirtualType2Product(
            name: name, pageCount: pageCount, dataAreaSize: dataAreaSize,
            version: [0x00, 0x04, 0x03, 0x01, 0x01, 0x00, storage, 0x03],
            features: [.version, .password, .readCounter, .incrementCounter, .virtualCard],
            configurationPage: pageCount - 4,
            behindData: [0x00, 0x00, 0x00, 0xFF, 0x00, 0x05, 0x00, 0x00] + factoryPassword,
            dynamicLock: dynamicLock, lockControlTLV: lockControlTLV, isDeliveredFormatted: false)
    }

    /// PWD and PACK as delivered.
    private static let factoryPassword: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]
}

extension VirtualType2Product {
    /// The largest NDEF message in bytes: the TLV costs 2 bytes up to 254, 4 above; a terminator needs no room.
    public var messageCapacity: Int {
        let room = dataAreaSize - lockControlTLV.count
        return max(min(room - 2, 254), room - 4, 0)
    }

    /// An identifier that differs by product: NXP's manufacturer byte, then made-up bytes.
    var defaultIdentifier: [UInt8] {
        [0x04, 0x6E] + (version.isEmpty ? silentNumber : [version[6], version[2]]) + [0x4D, 0x5A, 0x80]
    }

    private var silentNumber: [UInt8] {
        [UInt8(truncatingIfNeeded: pageCount), UInt8(truncatingIfNeeded: dataAreaSize)]
    }

    /// The memory as delivered, with an identifier, and an NDEF message where one is given.
    func image(identifier: [UInt8], message: [UInt8]?) throws(VirtualTagError) -> [UInt8] {
        let content: [UInt8]? =
            if let message { try dataArea(holding: message) } else { nil }
        var image = identifierPages(identifier)
        image += content != nil || isDeliveredFormatted ? capabilityContainer : [0, 0, 0, 0]
        image += content ?? (isDeliveredFormatted ? lockControlTLV + [0x03, 0x00, 0xFE] : [])
        image += [UInt8](repeating: 0, count: max(memorySize - behindData.count - image.count, 0))
        image += behindData
        if let dynamicLock { image.overwrite(at: dynamicLock.page * Self.pageSize, with: dynamicLock.factoryBytes) }
        return image
    }

    /// The TLVs that hold a message: Lock Control where the product has one, NDEF Message, Terminator if it fits.
    private func dataArea(holding message: [UInt8]) throws(VirtualTagError) -> [UInt8] {
        guard message.count <= messageCapacity else {
            throw .messageTooLarge(size: message.count, capacity: messageCapacity)
        }
        let area = lockControlTLV + [0x03] + Self.tlvLength(message.count) + message
        return area.count < dataAreaSize ? area + [0xFE] : area
    }

    /// Pages 0 to 2: identifier, its check bytes, the internal byte and clear static lock bytes
    /// (NTAG213/215/216 data sheet, §8.5.1).
    private func identifierPages(_ identifier: [UInt8]) -> [UInt8] {
        let first = [UInt8](identifier.prefix(3))
        let second = [UInt8](identifier.dropFirst(3))
        // BCC0 includes the cascade tag 88 that anticollision sends in front of the first three bytes.
        return first + [first.reduce(0x88, ^)] + second + [second.reduce(0, ^), 0x48, 0x00, 0x00]
    }

    /// The length field of a TLV: one byte up to 254, else FF and two bytes big-endian.
    private static func tlvLength(_ count: Int) -> [UInt8] {
        count <= 0xFE
            ? [UInt8(truncatingIfNeeded: count)]
            : [0xFF, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
    }
}

extension [UInt8] {
    /// Replaces the bytes from `offset` on; what would lie outside is dropped.
    mutating func overwrite(at offset: Int, with bytes: some Collection<UInt8>) {
        for (index, byte) in zip(offset..., bytes) where indices.contains(index) {
            self[index] = byte
        }
    }
}
