/// What a dump file says about a tag: its blocks as far as they are known, and facts beside them.
///
/// A byte that was not read is a hole (`nil`), never a zero.
public struct TagImage: Sendable, Hashable {
    /// How the tag is laid out.
    public enum Kind: Sendable, Hashable {
        /// Ultralight and NTAG, pages of 4 bytes.
        case type2
        /// MIFARE Classic, blocks of 16 bytes.
        case mifareClassic
        /// ISO/IEC 15693, blocks of 1 to 32 bytes.
        case iso15693
        /// FeliCa, blocks of 16 bytes, not always numbered without gaps.
        case feliCa
        /// Topaz, blocks of 8 bytes.
        case topaz
        /// NFC Forum Type 4: files, no blocks.
        case type4
    }

    /// The layout.
    public var kind: Kind
    /// The product as the file names it, empty where it does not.
    public var product: String
    /// UID or IDm, first byte sent first; ISO/IEC 15693 with E0 first.
    public var identifier: [UInt8]
    /// Bytes per page or block, at most 32.
    public let unitSize: Int
    /// How many pages or blocks the tag has, at most 65,536.
    public let unitCount: Int
    /// Pages or blocks by number, exactly ``unitSize`` bytes each; those that are missing are holes.
    public private(set) var units: [Int: [UInt8?]] = [:]
    /// The files of a Type 4 tag by their identifiers; E103 is the capability container.
    public var files: [UInt16: [UInt8]] = [:]
    /// Facts that only some tags have.
    public var facts = TagFacts()

    /// An image of nothing but holes.
    public init(kind: Kind, product: String = "", identifier: [UInt8], unitSize: Int, unitCount: Int) {
        self.kind = kind
        self.product = product
        self.identifier = identifier
        self.unitSize = min(max(unitSize, 0), 32)
        self.unitCount = min(max(unitCount, 0), 0x1_0000)
    }

    /// An image of a Type 4 tag.
    public init(product: String = "", identifier: [UInt8], files: [UInt16: [UInt8]]) {
        self.init(kind: .type4, product: product, identifier: identifier, unitSize: 1, unitCount: 0)
        self.files = files
    }

    /// Sets a page or block; one of another length is left out, and one of nothing but holes is one that is missing.
    public mutating func setUnit(_ number: Int, _ bytes: [UInt8?]) {
        guard bytes.count == unitSize else { return }
        units[number] = bytes.contains { $0 != nil } ? bytes : nil
    }

    /// The bytes of a page or block, where all are known.
    public func unit(_ number: Int) -> [UInt8]? {
        guard let bytes = units[number] else { return nil }
        let known = bytes.compactMap { $0 }
        return known.count == unitSize ? known : nil
    }
}

/// What a dump file may say besides the memory.
public struct TagFacts: Sendable, Hashable {
    /// ATQA, most significant byte first.
    public var atqa: [UInt8]?
    /// SAK.
    public var sak: UInt8?
    /// The answer to GET_VERSION, 8 bytes.
    public var version: [UInt8]?
    /// The originality signature, 32 bytes.
    public var signature: [UInt8]?
    /// 24-bit counters by number; empty where none are given.
    public var counters: [UInt32] = []
    /// PMm of FeliCa, 8 bytes.
    public var manufactureParameter: [UInt8]?
    /// DSFID of ISO/IEC 15693.
    public var dsfid: UInt8?
    /// AFI of ISO/IEC 15693.
    public var afi: UInt8?
    /// IC reference of ISO/IEC 15693.
    public var icReference: UInt8?
    /// Locked blocks of ISO/IEC 15693.
    public var lockedUnits: Set<Int> = []
    /// Whether the AFI of ISO/IEC 15693 is locked.
    public var isAFILocked = false
    /// Whether the DSFID of ISO/IEC 15693 is locked.
    public var isDSFIDLocked = false
    /// HR0 and HR1 of a Topaz.
    public var header: [UInt8]?

    /// No facts.
    public init() {}
}
