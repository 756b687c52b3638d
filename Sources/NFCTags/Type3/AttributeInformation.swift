/// The attribute information block, block 0 of a Type 3 Tag (NFC Forum Type 3 Tag): what the tag can do, and where its
/// message ends.
struct AttributeInformation: Sendable, Hashable {
    /// All 16 bytes; the checksum fits.
    private(set) var bytes: [UInt8]

    /// Parses the block as read.
    ///
    /// - Throws: ``AttributeFault`` for another length, a wrong checksum or a mapping version other than 1.x.
    init(_ bytes: [UInt8]) throws(AttributeFault) {
        guard bytes.count == FeliCaBlock.size else { throw .wrongLength(bytes.count) }
        self.bytes = bytes
        guard bytes.suffix(2) == Self.checksum(bytes)[...] else { throw .wrongChecksum }
        guard bytes[0] >> 4 == 1 else { throw .unknownVersion(bytes[0]) }
    }

    /// The block of an empty, writable tag.
    init(readBlocks: UInt8, writeBlocks: UInt8, blocks: UInt16) {
        bytes = [0x10, readBlocks, writeBlocks] + blocks.bigEndianBytes + [0, 0, 0, 0, 0x00, 0x01, 0, 0, 0, 0, 0]
        sign()
    }

    /// Nbr: blocks that one read may name.
    var readBlocks: Int { Int(bytes[1]) }
    /// Nbw: blocks that one write may name.
    var writeBlocks: Int { Int(bytes[2]) }
    /// Nmaxb × 16: the largest message in bytes.
    var capacity: Int { (Int(bytes[3]) << 8 | Int(bytes[4])) * FeliCaBlock.size }
    /// WriteFlag ≠ 00: a write was begun and not ended, so the data means nothing.
    var isWriting: Bool { bytes[9] != 0 }
    /// RWFlag 01: may be written.
    var isWritable: Bool { bytes[10] == 0x01 }
    /// Ln: the length of the message in bytes.
    var length: Int { Int(bytes[11]) << 16 | Int(bytes[12]) << 8 | Int(bytes[13]) }
    /// Whether a reader finds a message.
    var hasMessage: Bool { !isWriting && length > 0 }

    /// The same with WriteFlag 0F.
    var writing: AttributeInformation { changed { $0[9] = 0x0F } }
    /// The same with RWFlag 00.
    var readOnly: AttributeInformation { changed { $0[10] = 0x00 } }

    /// The same with WriteFlag 00 and a new Ln, of which 24 bits count.
    func holding(length: Int) -> AttributeInformation {
        changed {
            $0[9] = 0x00
            $0[11] = UInt8(truncatingIfNeeded: length >> 16)
            $0[12] = UInt8(truncatingIfNeeded: length >> 8)
            $0[13] = UInt8(truncatingIfNeeded: length)
        }
    }

    private func changed(_ change: (inout [UInt8]) -> Void) -> AttributeInformation {
        var copy = self
        change(&copy.bytes)
        copy.sign()
        return copy
    }

    private mutating func sign() { bytes.replaceSubrange(14..<16, with: Self.checksum(bytes)) }

    /// The sum of bytes 0 to 13.
    private static func checksum(_ bytes: [UInt8]) -> [UInt8] {
        bytes.prefix(14).reduce(UInt16(0)) { $0 + UInt16($1) }.bigEndianBytes
    }
}

extension AttributeInformation {
    /// What is odd, but keeps nothing from being read.
    var warnings: [NDEFReadWarning] {
        var warnings: [NDEFReadWarning] = []
        if isWriting { warnings.append(.interruptedWrite) }
        if readBlocks == 0 { warnings.append(.malformedAttribute("Nbr is 0, blocks are read one by one")) }
        if writeBlocks == 0 { warnings.append(.malformedAttribute("Nbw is 0, blocks are written one by one")) }
        if bytes[10] > 1 { warnings.append(.malformedAttribute("RWFlag is \(bytes[10]), taken for read-only")) }
        return warnings
    }
}

/// Why block 0 is not an attribute information block.
enum AttributeFault: Error, Sendable, Hashable {
    case wrongLength(Int)
    case wrongChecksum
    case unknownVersion(UInt8)
}

extension AttributeFault: CustomStringConvertible {
    var description: String {
        switch self {
        case .wrongLength(let count): "the attribute information block has 16 bytes, not \(count)"
        case .wrongChecksum: "the checksum of the attribute information block is wrong"
        case .unknownVersion(let version): "mapping version \(version >> 4).\(version & 0x0F) is not known"
        }
    }
}

/// What the first read shows.
struct Type3Header: Sendable {
    let attribute: Result<AttributeInformation, AttributeFault>
    /// MC of a Lite or Lite-S, where it could be read.
    let configuration: FeliCaLiteConfiguration?

    init(block: [UInt8], configuration: FeliCaLiteConfiguration?) {
        self.configuration = configuration
        do throws(AttributeFault) {
            attribute = .success(try AttributeInformation(block))
        } catch {
            attribute = .failure(error)
        }
    }

    /// Whether the memory configuration forbids to write a block without a key, as far as it is known.
    func locks(block: Int) -> Bool {
        configuration.map { !$0.isWritable(block: UInt16(truncatingIfNeeded: block)) } ?? false
    }

    /// Whether the attribute block and at least the first `dataBlocks` behind it can be written without a key.
    func isWritable(_ attribute: AttributeInformation, dataBlocks: Int = 1) -> Bool {
        guard attribute.isWritable else { return false }
        return configuration.map { $0.writableBlocks > dataBlocks } ?? true
    }
}
