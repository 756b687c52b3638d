/// The content of a dump file: the known blocks of a tag, and facts beside them.
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
    /// UID or IDm, first byte sent first; ISO/IEC 15693 with E0 first. Empty if the file does not have it.
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

/// Facts that a dump file may hold besides the memory.
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

extension TagImage {
    /// The most that is read of a file, in bytes: 1 MiB.
    public static let largestFile = 1 << 20

    /// The most blocks of an ISO/IEC 15693 tag or a FeliCa card that are taken.
    static let largestBlockCount = 4096

    /// Reads a dump file; the format is detected from its content: Flipper `.nfc`, JSON of the proxmark3 or of
    /// ``jsonFile()``, the text of MIFARE Classic Tool, or raw memory.
    ///
    /// - Throws: ``DumpError`` with line and field.
    public init(dump bytes: [UInt8]) throws(DumpError) {
        guard bytes.count <= Self.largestFile else { throw DumpError(.tooLarge(bytes.count)) }
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let content = bytes.starts(with: byteOrderMark) ? Array(bytes.dropFirst(3)) : bytes
        if content.starts(with: Array("Filetype: Flipper NFC device".utf8)) {
            self = try FlipperDump(content).image()
        } else if content.first(where: { !JSONReader.isSpace($0) }) == UInt8(ascii: "{") {
            self = try ProxmarkDump(content).image()
        } else if content.starts(with: ClassicText.start) {
            self = try ClassicText.image(content)
        } else {
            self = try RawDump.image(bytes)
        }
    }

    /// Reads a dump file as ``init(dump:)`` does, then resolves and reports where the file contradicts itself.
    ///
    /// Where a line of the file and the memory in it differ, the memory is right: that is what a tag answers with.
    ///
    /// - Returns: the image, and sentences for the person whose file it is.
    /// - Throws: ``DumpError`` with line and field.
    public static func read(dump bytes: [UInt8]) throws(DumpError) -> (image: TagImage, warnings: [String]) {
        var image = try TagImage(dump: bytes)
        let warnings = image.takeIdentifierFromMemory() + image.completeCheckByte() + image.completeNTAG215()
        return (image, warnings)
    }
}

/// Why a file is not a dump that can be used.
public struct DumpError: Error, Sendable, Hashable {
    /// What is wrong.
    public enum Reason: Sendable, Hashable {
        /// The file is larger than ``TagImage/largestFile``.
        case tooLarge(Int)
        /// None of the formats is recognised.
        case unknownFormat
        /// The format is known, but not this kind of tag or version of it.
        case unsupported(String)
        /// A field that has to be there is not.
        case missing
        /// A field is there twice.
        case repeated
        /// The value is not what the field holds.
        case invalid(String)
        /// The image has unknown bytes, so no tag can be made from it.
        case incomplete
        /// The memory contradicts the field.
        case contradiction(String)
        /// No tag can be made from the image for another reason.
        case tag(VirtualTagError)
    }

    /// What is wrong.
    public let reason: Reason
    /// The line, counted from 1, where the file has lines.
    public let line: Int?
    /// The field.
    public let field: String?

    /// A tag that a dump has no room for, in words.
    public init(unsupported what: String) {
        self.init(.unsupported(what))
    }

    init(_ reason: Reason, line: Int? = nil, field: String? = nil) {
        self.reason = reason
        self.line = line
        self.field = field
    }
}

extension DumpError: CustomStringConvertible {
    /// Line, field and reason.
    public var description: String {
        let place = (line.map { "line \($0): " } ?? "") + (field.map { "\($0): " } ?? "")
        return place + reason.text
    }
}

extension DumpError.Reason {
    fileprivate var text: String {
        switch self {
        case .tooLarge(let size): "the file has \(size) bytes, at most \(TagImage.largestFile) are read"
        case .unknownFormat: "this is not a dump file of a known format"
        case .unsupported(let what): "\(what) is not supported"
        case .missing: "the field is missing"
        case .repeated: "the field is there twice"
        case .invalid(let value): "\"\(value.prefix(40))\" is not a value for this field"
        case .incomplete: "these bytes are not known, so no tag can be made"
        case .contradiction(let value): "the memory has \(value) in its place"
        case .tag(let error): "\(error)"
        }
    }
}
