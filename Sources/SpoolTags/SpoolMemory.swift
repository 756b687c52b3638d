public import NFCTypes

/// The memory of a tag as far as it was read, for the recognition of a spool.
public struct SpoolMemory: Sendable, Hashable {
    /// The layouts that vendors of spools use without NDEF.
    public enum Layout: String, Sendable, Hashable {
        /// Pages of 4 bytes: NTAG213 and its like.
        case type2
        /// Blocks of 16 bytes: MIFARE Classic.
        case mifareClassic
    }

    /// What a memory may have: MIFARE Classic 4K is the largest. What follows is left out.
    public static let maximumCount = 4096

    /// The layout.
    public let layout: Layout
    /// The UID as the reader reported it; nil if only the memory is known.
    private let reportedIdentifier: [UInt8]?
    /// From the first page or block on; 0 for what could not be read.
    private let bytes: [UInt8]
    /// Whether each byte was read.
    private let isRead: [Bool]

    /// A memory.
    ///
    /// - Parameters:
    ///   - layout: the layout.
    ///   - bytes: what was read.
    ///   - offset: the place of the first byte in the memory: 16 for the user memory of a Type 2 tag.
    ///   - identifier: the UID; without it, that in the memory is taken.
    public init(layout: Layout, bytes: [UInt8], offset: Int = 0, identifier: [UInt8]? = nil) {
        self.layout = layout
        reportedIdentifier = identifier
        let start = min(max(0, offset), Self.maximumCount)
        let read = bytes.prefix(Self.maximumCount - start)
        self.bytes = [UInt8](repeating: 0, count: start) + read
        isRead = [Bool](repeating: false, count: start) + [Bool](repeating: true, count: read.count)
    }

    /// A memory of which parts have been read.
    ///
    /// - Parameters:
    ///   - layout: the layout.
    ///   - count: how many bytes are looked at.
    ///   - byte: the byte at an offset; nil if it was not read.
    public init(layout: Layout, count: Int, byte: (Int) -> UInt8?) {
        self.layout = layout
        reportedIdentifier = nil
        let read = (0..<min(max(0, count), Self.maximumCount)).map(byte)
        bytes = read.map { $0 ?? 0 }
        isRead = read.map { $0 != nil }
    }

    /// The memory in a dump; nil for layouts that no such format uses.
    public init?(_ dump: TagDump, identifier: [UInt8]? = nil) {
        guard let layout = Layout(dump.layout) else { return nil }
        self.layout = layout
        reportedIdentifier = identifier
        (bytes, isRead) = Self.bytes(of: dump)
    }

    /// The memory in a dump file of a Type 2 tag: of all pages (180 bytes for NTAG213, 540 for NTAG215), or of the user memory alone (80
    /// or 144 bytes), as programs for spools write it.
    public init(type2Dump dump: [UInt8], identifier: [UInt8]? = nil) {
        let isUserMemory = [80, 144].contains(dump.count) && !Self.beginsWithIdentifier(dump)
        self.init(layout: .type2, bytes: dump, offset: isUserMemory ? Self.userMemory : 0, identifier: identifier)
    }

    /// The offset of page 4 of a Type 2 tag, where its user memory begins.
    static let userMemory = 16
    /// How much of a memory ``SpoolContent/recognised(in:)`` looks at: the user memory of an NTAG213, or sectors 0 and 1 of a MIFARE
    /// Classic.
    public static let recognisedCount = 160

    /// The UID: as reported, else as the memory has it; nil if it is not known.
    public var identifier: [UInt8]? {
        reportedIdentifier ?? (layout == .type2 ? type2Identifier : self[0, count: 4])
    }

    /// Bytes at an offset; nil if one of them was not read.
    subscript(offset: Int, count count: Int) -> [UInt8]? {
        guard offset >= 0, count >= 0, offset + count <= bytes.count else { return nil }
        let range = offset..<offset + count
        return isRead[range].allSatisfy { $0 } ? Array(bytes[range]) : nil
    }

    /// Whether a byte of a range was read.
    func hasBytes(in range: Range<Int>) -> Bool {
        isRead[range.clamped(to: isRead.indices)].contains(true)
    }

    /// ISO/IEC 14443-3: pages 0 and 1, without the check byte.
    private var type2Identifier: [UInt8]? {
        self[0, count: 8].map { Array($0[0..<3] + $0[4..<8]) }
    }

    /// Whether the check bytes of a UID of 7 bytes are right (ISO/IEC 14443-3, 6.5.4).
    private static func beginsWithIdentifier(_ dump: [UInt8]) -> Bool {
        dump.count > 8 && dump[3] == dump[0..<3].reduce(0x88, ^) && dump[8] == dump[4..<8].reduce(0, ^)
    }

    private static func bytes(of dump: TagDump) -> (bytes: [UInt8], isRead: [Bool]) {
        var bytes: [UInt8] = []
        var isRead: [Bool] = []
        guard (1...maximumCount).contains(dump.blockSize) else { return (bytes, isRead) }
        for block in dump.blocks where (0..<maximumCount / dump.blockSize).contains(block.number) {
            guard let read = block.bytes?.bytes, read.count <= dump.blockSize else { continue }
            let start = block.number * dump.blockSize
            let missing = max(0, start + read.count - bytes.count)
            bytes += [UInt8](repeating: 0, count: missing)
            isRead += [Bool](repeating: false, count: missing)
            bytes.replaceSubrange(start..<start + read.count, with: read)
            isRead.replaceSubrange(start..<start + read.count, with: repeatElement(true, count: read.count))
        }
        return (bytes, isRead)
    }
}

extension SpoolMemory.Layout {
    fileprivate init?(_ layout: TagLayout) {
        switch layout {
        case .type2: self = .type2
        case .mifareClassic: self = .mifareClassic
        default: return nil
        }
    }
}
