/// The facts of one Type 2 chip that its behaviour follows from: sizes, special pages, factory answers.
public struct Type2Product: Sendable, Hashable, CustomStringConvertible {
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
    /// The first of the four configuration pages CFG0, CFG1, PWD and PACK; nil on chips without.
    let configurationPage: Int?
    /// CFG0 and CFG1 as delivered, eight bytes; on chips without them, what stands behind the data.
    let configuration: [UInt8]
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
    /// The bytes of the originality signature.
    static let signatureSize = 32
    /// The first page of the data area.
    static let firstDataPage = 4

    /// The password page; the page after it holds PACK. Behind the memory where there is none.
    var passwordPage: Int { configurationPage.map { $0 + 2 } ?? pageCount }
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
    /// GET_VERSION, FAST_READ, READ_SIG and PWD_AUTH.
    static let version = Type2Features(rawValue: 1 << 3)
    /// The two-step authentication of MIFARE Ultralight C, and its pages 42 to 47.
    static let tripleDES = Type2Features(rawValue: 1 << 4)
    /// READ_CNT.
    static let readCounter = Type2Features(rawValue: 1 << 5)
}
