/// How the blocks of an ISO/IEC 15693 tag are reached.
protocol Type5Transport: Sendable {
    /// The most bytes that are worth reading at once.
    var readLimit: Int { get }
    /// What the tag says about its memory.
    func geometry() async throws(TagError) -> Type5Geometry
    /// Reads whole blocks of `size` bytes, at least one and at most `count`.
    func read(block: Int, count: Int, size: Int) async throws(TagError) -> [UInt8]
    /// Writes one block.
    func write(block: Int, _ bytes: [UInt8], option: Bool) async throws(TagError)
    /// Locks one block for ever; a block that is locked already is no error.
    func lock(block: Int, option: Bool) async throws(TagError)
    /// Which of these blocks are locked; nil where the tag or the reader does not tell.
    func lockedBlocks(in blocks: Range<Int>) async throws(TagError) -> [Int]?
    /// Whether ``lock(block:option:)`` can be sent at all.
    var canLock: Bool { get }
}

/// The memory of an ISO/IEC 15693 tag.
struct Type5Geometry: Sendable, Hashable {
    let blockSize: Int
    /// Nil where nobody tells.
    let blockCount: Int?
    /// The UID, E0 first; empty where nobody tells.
    let uid: [UInt8]
    /// Block 0, where it was read on the way.
    var firstBlock: [UInt8] = []
    /// The whole answer to GET SYSTEM INFORMATION, where there was one.
    var information: ISO15693SystemInformation?

    /// The block sizes that are believed of a tag that does not tell.
    static let sizes = [4, 8, 16, 32]

    /// E0 07, Texas Instruments, whose chips want the option flag.
    var wantsOption: Bool { uid.starts(with: [0xE0, 0x07]) }
    /// ICODE SLI, SLIX and SLIX2, which have LOCK BLOCK.
    var isICODE: Bool {
        guard uid.starts(with: [0xE0, 0x04, 0x01]), let kind = uid.dropFirst(3).first else { return false }
        return kind & 0x78 != 0x20 && kind & 0x18 != 0x18
    }
}

extension Type5Geometry {
    /// Nil where the size of the memory is left out.
    init?(_ information: ISO15693SystemInformation) {
        guard let size = information.blockSize, let count = information.blockCount else { return nil }
        self.init(blockSize: size, blockCount: count, uid: information.uid, information: information)
    }
}

extension TagError {
    /// The error code of ISO/IEC 15693 that an answer carries.
    var iso15693: ISO15693ErrorCode? {
        guard let response, case .error(let code)? = ISO15693Response(response) else { return nil }
        return code
    }
}
