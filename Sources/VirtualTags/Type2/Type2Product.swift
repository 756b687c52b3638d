/// The facts of one Type 2 chip that its behaviour follows from: sizes, special pages, factory answers.
public struct Type2Product: Sendable, Hashable, CustomStringConvertible {
    /// The name its maker gives it, for example `NTAG215`.
    public let name: String
    /// The number of 4-byte pages, from page 0 to the last one that READ can address.
    public let pageCount: Int
    /// The bytes for TLVs from page 4 on that the capability container declares (NFC Forum Type 2 Tag specification).
    public let dataAreaSize: Int
    /// The eight bytes that GET_VERSION answers (NTAG213/215/216 data sheet, §10.1).
    public let version: [UInt8]

    /// What the chip can do beyond READ and WRITE.
    let features: Type2Features
    /// The first of the four configuration pages CFG0, CFG1, PWD and PACK.
    let configurationPage: Int
    /// CFG0 and CFG1 as delivered, eight bytes.
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

    /// The password page; the page after it holds PACK.
    var passwordPage: Int { configurationPage + 2 }
    /// The last page READ can address.
    var lastPage: Int { pageCount - 1 }
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
}
