/// What RID answers: the header ROM and the first 4 bytes of the UID.
struct Type1Header: Sendable, Hashable {
    /// HR0: high nibble 1 for NDEF, low nibble 1 for static memory.
    let hr0: UInt8
    /// HR1: the product.
    let hr1: UInt8
    /// UID0 to UID3.
    let identifier: [UInt8]

    /// Parses an answer of 6 bytes; nil for another length.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == 6 else { return nil }
        (hr0, hr1, identifier) = (bytes[0], bytes[1], Array(bytes.dropFirst(2)))
    }

    /// Why a tag is not for NDEF whose header does not allow it.
    static let noNDEF = "the header ROM shows that the tag is not for NDEF"

    /// Whether the memory may hold NDEF.
    var isNDEF: Bool { hr0 >> 4 == 1 }
    /// Whether there are no more than 120 bytes.
    var isStatic: Bool { hr0 & 0x0F == 1 }
    /// The products whose lock bytes are known.
    var product: Type1Product? { Type1Product.allCases.first { $0.header == [hr0, hr1] } }
    /// Lock, OTP and reserved blocks, in bytes from the start of memory.
    var reserved: Range<Int> { isStatic ? 104..<120 : 104..<128 }
    /// Bytes that are written at once.
    var blockSize: Int { isStatic ? 1 : 8 }
}

/// The products that can be formatted and locked.
enum Type1Product: Sendable, CaseIterable {
    case topaz
    case topaz512

    var header: [UInt8] {
        switch self {
        case .topaz: [0x11, 0x48]
        case .topaz512: [0x12, 0x4C]
        }
    }

    /// What a formatted tag holds from byte 8 on.
    var formatted: [UInt8] {
        switch self {
        case .topaz: [0xE1, 0x10, 0x0E, 0x00, 0x03, 0x00]
        // With a Lock Control TLV for bytes 122 to 127 and a Memory Control TLV for 120 and 121.
        case .topaz512:
            [0xE1, 0x10, 0x3F, 0x00, 0x01, 0x03, 0xF2, 0x30, 0x33, 0x02, 0x03, 0xF0, 0x02, 0x03, 0x03, 0x00]
        }
    }
}

/// The capability container of a Type 1 Tag, bytes 8 to 11.
struct Type1CapabilityContainer: Sendable, Hashable {
    /// Where it starts.
    static let offset = 8
    /// Where TLVs start.
    static let areaStart = 12

    /// The 4 bytes.
    let bytes: [UInt8]

    /// Parses 4 bytes; nil for another number.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == 4 else { return nil }
        self.bytes = bytes
    }

    /// Why this is not NDEF; nil if it is.
    var fault: String? {
        if bytes[0] != 0xE1 { return "no capability container" }
        if bytes[1] >> 4 != 1 { return "mapping version \(bytes[1] >> 4).\(bytes[1] & 0x0F) is not known" }
        return bytes[3] >> 4 == 0 ? nil : "reading is not free"
    }

    /// The memory up to this byte: (TMS + 1) × 8.
    var end: Int { (Int(bytes[2]) + 1) * 8 }
    /// RWA low nibble 0.
    var isWritable: Bool { bytes[3] & 0x0F == 0 }
    /// Whether nothing was ever written to it.
    var isBlank: Bool { bytes.allSatisfy { $0 == 0 } }
}

extension Type1Product {
    /// The maker's name.
    var name: String {
        switch self {
        case .topaz: "Topaz 96"
        case .topaz512: "Topaz 512"
        }
    }

    /// Blocks of 8 bytes.
    var blockCount: Int {
        switch self {
        case .topaz: Type1Blocks.staticBlocks
        case .topaz512: 64
        }
    }
}

/// The beginning of a Type 1 Tag's memory, with header and capability container.
struct Type1Content {
    let header: Type1Header
    let container: Type1CapabilityContainer
    let memory: LazyMemory<Type1Blocks>

    /// Whether a lock bit is set for a block.
    func isLocked(block: Int) -> Bool { header.isLocked(block: block, in: memory.image) }

    /// The data area without lock, OTP and reserved blocks.
    var layout: TLVLayout {
        if let fault = container.fault { return .absent(fault) }
        let start = Type1CapabilityContainer.areaStart
        var area = TLVArea(bounds: start..<max(start, container.end))
        area.skip(header.reserved)
        var layout = TLVLayout(area: area)
        layout.obeysControlTLVs = true
        layout.status = container.isWritable ? .readWrite : .readOnly
        layout.writeRefusal = container.isWritable ? nil : "the tag is read-only"
        return layout
    }
}

extension Type1Header {
    /// Whether a lock bit is set for a block of 8 bytes: bytes 112 and 113 for blocks 0 to 15, for the rest those from 122 on.
    func isLocked(block: Int, in image: MemoryImage) -> Bool {
        let position = block < 16 ? 112 + block / 8 : 122 + (block - 16) / 8
        guard let byte = image[position], block < 16 || !isStatic else { return false }
        return byte >> (block % 8) & 1 == 1
    }
}

/// The commands of a Type 1 Tag (NFC Forum Type 1 Tag), without CRC. All but RID end with the first 4 bytes of the UID.
enum Type1Command: Sendable, Hashable {
    /// 78: header and the first 4 bytes of the UID.
    case rid
    /// 00, RALL: the header and the 120 bytes of static memory.
    case readAll
    /// 10, RSEG: 128 bytes of dynamic memory.
    case readSegment(UInt8)
    /// 02, READ8: a block of dynamic memory.
    case readBlock(UInt8)
    /// 53, WRITE-E: erases and writes a byte.
    case writeByte(UInt8, UInt8)
    /// 54, WRITE-E8: erases and writes a block of 8 bytes.
    case writeBlock(UInt8, [UInt8])
    /// 1A, WRITE-NE: sets bits of a byte.
    case setBits(UInt8, UInt8)
    /// 1B, WRITE-NE8: sets bits of a block of 8 bytes.
    case setBlockBits(UInt8, [UInt8])

    /// The frame for the tag with this UID.
    func frame(_ identifier: [UInt8]) -> [UInt8] {
        let blank = [UInt8](repeating: 0, count: 8)
        switch self {
        case .rid: return [0x78, 0, 0, 0, 0, 0, 0]
        case .readAll: return [0x00, 0, 0] + identifier
        case .readSegment(let segment): return [0x10, segment << 4] + blank + identifier
        case .readBlock(let block): return [0x02, block] + blank + identifier
        case .writeByte(let address, let byte): return [0x53, address, byte] + identifier
        case .writeBlock(let block, let bytes): return [0x54, block] + bytes + identifier
        case .setBits(let address, let byte): return [0x1A, address, byte] + identifier
        case .setBlockBits(let block, let bytes): return [0x1B, block] + bytes + identifier
        }
    }

    /// What an answer starts with.
    var echo: [UInt8] {
        switch self {
        case .rid, .readAll: []
        case .readSegment(let segment): [segment << 4]
        case .readBlock(let block): [block]
        case .writeByte(let address, let byte): [address, byte]
        case .writeBlock(let block, let bytes): [block] + bytes
        // What is stored then has more bits than were sent.
        case .setBits(let address, _): [address]
        case .setBlockBits(let block, _): [block]
        }
    }

    /// How many bytes an answer has behind that.
    var answerCount: Int {
        switch self {
        case .rid: 6
        case .readAll: 122
        case .readSegment: 128
        case .readBlock, .setBlockBits: 8
        case .setBits: 1
        case .writeByte, .writeBlock: 0
        }
    }
}

/// The blocks of a Type 1 Tag, 8 bytes each: static memory is read with RALL and written byte by byte with WRITE-E, dynamic
/// memory read with RSEG, or READ8 where the reader does not support RSEG, and written with WRITE-E8.
struct Type1Blocks: BlockMemory {
    static let blockSize = 8
    /// The number of blocks that RALL reads.
    static let staticBlocks = 15
    /// Blocks in a segment.
    static let segmentBlocks = 16

    private let link: Type1Link
    private let header: Type1Header
    private var refusesSegments = false

    init(link: Type1Link, header: Type1Header) {
        self.link = link
        self.header = header
    }

    mutating func read(from block: Int, count: Int) async throws(TagError) -> [UInt8] {
        guard (0..<(header.isStatic ? Self.staticBlocks : 256)).contains(block) else {
            throw TagError(.tagResponseError, "block \(block) does not exist")
        }
        return header.isStatic ? try await readStatic(from: block) : try await readDynamic(from: block)
    }

    var writeSize: Int { header.blockSize }
    /// The answers to both commands repeat what was stored.
    var verification: WriteVerification { .atEnd }

    /// By the header: static memory has 120 bytes, and products that are not known at least as many as Topaz 512.
    func messageEnd(declared: Int, needed: Int?) -> Int {
        let blocks = header.isStatic ? Self.staticBlocks : Type1Product.topaz512.blockCount
        return min(declared, blocks * Self.blockSize)
    }

    /// By the lock bits.
    mutating func checkWritable(
        _ blocks: [Int], extent: Range<Int>?, image: MemoryImage
    ) async throws(TagError) {
        if let locked = try await lockedBlock(among: blocks, image) {
            throw TagError(.tagNotWritable, "block \(locked) is locked")
        }
    }

    mutating func isLocked(_ blocks: [Int], image: MemoryImage) async throws(TagError) -> Bool {
        try await lockedBlock(among: blocks, image) != nil
    }

    private func lockedBlock(among blocks: [Int], _ image: MemoryImage) async throws(TagError) -> Int? {
        var locks = LazyMemory(reader: self, image: image)
        try await locks.load(header.reserved)
        return blocks.map { $0 * writeSize / Self.blockSize }.first { header.isLocked(block: $0, in: locks.image) }
    }

    func write(_ write: BlockWrite) async throws(TagError) {
        let place = UInt8(truncatingIfNeeded: write.block)
        let command: Type1Command =
            write.bytes.count == 1 ? .writeByte(place, write.bytes[0]) : .writeBlock(place, write.bytes)
        _ = try await link.send(command, to: header.identifier)
    }

    private func readStatic(from block: Int) async throws(TagError) -> [UInt8] {
        let memory = try await link.send(.readAll, to: header.identifier)
        guard memory.starts(with: [header.hr0, header.hr1] + header.identifier) else {
            throw TagError(.tagConnectionLost, "another tag answered", response: memory)
        }
        return Array(memory.dropFirst(2 + block * Self.blockSize))
    }

    private mutating func readDynamic(from block: Int) async throws(TagError) -> [UInt8] {
        if !refusesSegments {
            let segment = UInt8(truncatingIfNeeded: block / Self.segmentBlocks)
            do throws(TagError) {
                let bytes = try await link.send(.readSegment(segment), to: header.identifier)
                return Array(bytes.dropFirst(block % Self.segmentBlocks * Self.blockSize))
            } catch {
                guard error.code == .tagResponseError else { throw error }
                refusesSegments = true
            }
        }
        return try await link.send(.readBlock(UInt8(truncatingIfNeeded: block)), to: header.identifier)
    }
}

/// Sends commands and checks the form of the answers.
struct Type1Link: Sendable {
    private let channel: any NativeChannel

    init(channel: any NativeChannel) { self.channel = channel }

    /// What follows the echo in the answer. A tag that refuses is silent.
    ///
    /// - Throws: ``TagError`` 102 for silence, another length or another echo.
    func send(_ command: Type1Command, to identifier: [UInt8]) async throws(TagError) -> [UInt8] {
        let answer = try await channel.transceive(command.frame(identifier))
        guard answer.starts(with: command.echo), answer.count == command.echo.count + command.answerCount else {
            throw TagError(
                .tagResponseError, "the answer of \(answer.count) bytes does not match the command", response: answer)
        }
        return Array(answer.dropFirst(command.echo.count))
    }
}
