import NFCTypes

/// A Type 5 Tag as its transport reaches it, with what it has shown of itself. Each is asked for once.
final class Type5Chip {
    private let transport: any Type5Transport
    private var geometry: Type5Geometry?
    /// Whether writing and locking are sent with the option flag.
    private var needsOption = false
    /// Whether the tag has refused to report which blocks are locked.
    private var hidesLocks = false
    /// What the passwords of an ICODE SLIX2 protect, once a block was refused.
    private var knownProtection: ICODEProtection?
    private var hasAskedProtection = false

    init(transport: any Type5Transport) { self.transport = transport }

    /// The transport for requests of any kind; nil if the reader sends none.
    var requests: ICODEChannel? { transport.requests }

    /// Whether the tag has accepted a password that protects pages.
    var hasPassword: Bool { requests.map { $0.password(.write) != nil || $0.password(.read) != nil } ?? false }

    /// Whether the container's proprietary write access is the password that the tag has accepted.
    func opens(_ container: Type5CapabilityContainer) -> Bool { container.writeAccess == 0x02 && hasPassword }

    /// Whether the tag has accepted the passwords that a block with this status needs to be written.
    func opens(_ status: ICODEBlockStatus) -> Bool { missing(status).isEmpty }

    /// The passwords that a block with this status needs to be written, and that the tag has not accepted.
    func missing(_ status: ICODEBlockStatus) -> [PasswordKind] {
        [(PasswordKind.read, ICODEBlockStatus.needsReadPassword), (.write, .needsWritePassword)]
            .filter { status.contains($0.1) && requests?.password($0.0) == nil }.map(\.0)
    }

    /// Whether blocks can be locked through this reader.
    var canLock: Bool { transport.canLock }

    /// The UID, E0 first; empty if neither tag nor reader shows it.
    func identifier() async throws(TagError) -> [UInt8] { try await transport.identifier() }

    /// The size of the memory. Only the first answer may have block 0 in it.
    func knownGeometry() async throws(TagError) -> Type5Geometry {
        if let geometry { return geometry }
        let found = try await transport.geometry()
        geometry = found
        geometry?.firstBlock = []
        needsOption = found.product.wantsOption
        return found
    }

    /// Replaces what the tag has reported of itself before a change.
    func adopt(_ information: ISO15693SystemInformation) { geometry?.information = information }

    /// The beginning of the memory, with the container.
    func beginning(
        _ geometry: Type5Geometry
    ) async throws(TagError) -> (LazyMemory<Type5Blocks>, Type5CapabilityContainer) {
        let first = firstBlocks(geometry)
        var memory = memory(
            geometry,
            blockCount: geometry.blockCount ?? (Type5CapabilityContainer.largestDataArea + 16) / geometry.blockSize,
            multipleEnd: first)
        memory.store(geometry.firstBlock, at: 0)
        if let first { try await memory.fetch(0, count: first) }
        try await memory.load(0..<4)
        if Type5CapabilityContainer.size(memory.bytes(0..<4)) == 8 { try await memory.load(0..<8) }
        guard
            let container = Type5CapabilityContainer(memory.bytes(0..<8))
                ?? Type5CapabilityContainer(memory.bytes(0..<4))
        else { throw TagError(.tagResponseError, "the capability container was not read") }
        return (memory, container)
    }

    /// How many blocks are read at first on a chip that is known to read several: so many that the others take as few commands as
    /// possible. Nil for other chips.
    private func firstBlocks(_ geometry: Type5Geometry) -> Int? {
        let perRead = transport.longestRead / geometry.blockSize
        guard perRead > Type5Tag.readLimit / geometry.blockSize, let count = geometry.product.blockCount,
            geometry.blockCount == count
        else { return nil }
        return max(count % perRead, 16 / geometry.blockSize)
    }

    /// Runs a body in one session of the reader, where it has sessions.
    func sharingSession<Value: Sendable>(
        _ body: () async throws(TagError) -> Value
    ) async throws(TagError) -> Value {
        guard let requests else { return try await body() }
        return try await requests.sharingSession(body)
    }

    /// Memory of which nothing has been read.
    ///
    /// - Parameter multipleEnd: the block in front of which several may be read at once; nil if only single ones may.
    func memory(_ geometry: Type5Geometry, blockCount: Int, multipleEnd: Int? = nil) -> LazyMemory<Type5Blocks> {
        LazyMemory(
            reader: Type5Blocks(chip: self, blockSize: geometry.blockSize, multipleEnd: multipleEnd),
            pageSize: geometry.blockSize, pageCount: blockCount)
    }

    /// How many blocks from 0 on may hold a message, at most `wanted`: the last block of some chips is a counter.
    ///
    /// - Throws: ``TagError`` 100 when the tag leaves.
    func messageBlocks(upTo wanted: Int) async throws(TagError) -> Int {
        let geometry = try await knownGeometry()
        guard geometry.product.endsWithCounter else { return wanted }
        if let count = geometry.blockCount { return min(wanted, count - 1) }
        // A block is not the last one if there is another behind it.
        var (present, absent) = (0, wanted + 1)
        while absent - present > 1 {
            let block = (present + absent) / 2
            if try await has(block: block, size: geometry.blockSize) { present = block } else { absent = block }
        }
        return min(wanted, present)
    }

    private func has(block: Int, size: Int) async throws(TagError) -> Bool {
        do throws(TagError) {
            return try await !transport.read(block: block, count: 1, size: size).isEmpty
        } catch {
            guard error.code == .tagResponseError else { throw error }
            return false
        }
    }

    /// Which of these blocks are locked; nil if that cannot be found.
    func lockedBlocks(in blocks: Range<Int>) async throws(TagError) -> Set<Int>? {
        guard let status = try await blockStatus(in: blocks) else { return nil }
        return Set(zip(blocks, status).filter { $1.contains(.locked) }.map(\.0))
    }

    /// Whether these blocks are locked or need a password; nil if that cannot be found. A tag that has refused is not asked again.
    func blockStatus(in blocks: Range<Int>) async throws(TagError) -> [ICODEBlockStatus]? {
        guard !hidesLocks, let status = try await transport.blockStatus(in: blocks) else {
            hidesLocks = true
            return nil
        }
        return status
    }

    /// Whether READ MULTIPLE BLOCKS works.
    func readsMultiple(_ geometry: Type5Geometry) async throws(TagError) -> Bool {
        guard transport.canLock else { return false }
        do throws(TagError) {
            let size = geometry.blockSize
            return try await transport.read(block: 0, count: 2, size: size).count == 2 * size
        } catch {
            guard error.iso15693 != nil else { throw error }
            return false
        }
    }

    /// The largest useful number of blocks for one read.
    func readLimit(blockSize: Int) -> Int { transport.readLimit / blockSize }

    func read(block: Int, count: Int, size: Int) async throws(TagError) -> [UInt8] {
        do throws(TagError) {
            return try await transport.read(block: block, count: count, size: size)
        } catch {
            throw await refusal(error, block..<block + max(count, 1), writing: false)
        }
    }
}

extension Type5Chip {
    /// Asks again what the passwords protect when a block is refused.
    func forgetProtection() { (knownProtection, hasAskedProtection) = (nil, false) }

    /// The error for blocks that the tag refuses. An ICODE SLIX2 refuses a protected block with error 0F, which names neither: where
    /// its protection is the reason, the error names the block and the password.
    private func refusal(_ error: TagError, _ blocks: Range<Int>, writing: Bool) async -> TagError {
        guard error.iso15693 == .unknown, let requests, let product = geometry?.product, product.hasPasswords,
            let count = product.blockCount
        else { return error }
        if !hasAskedProtection { knownProtection = try? await ICODESettings.information(requests).protection }
        hasAskedProtection = true
        guard let need = knownProtection?.need(of: blocks, before: count - 1, writing: writing) else { return error }
        let missing = need.kinds.filter { requests.password($0) == nil }
        let reason =
            missing.isEmpty
            ? [PasswordKind.read, .write].allSatisfy { requests.password($0) != nil }
                ? nil : "needs the read password and the write password together; give both first"
            : "needs the \(missing.map(\.words).joined(separator: " and the ")) of the tag; give it first"
        guard let reason else { return error }
        return TagError(
            error.code, "block \(need.block) \(reason): \(error.detail)", response: error.response,
            statusWord: error.statusWord)
    }
}

extension Type5Chip {
    /// Sends the option flag from now on, where the container asks for it.
    func adoptOption(of container: Type5CapabilityContainer) {
        if container.fault == nil, container.wantsOption { needsOption = true }
    }

    /// Writes one block.
    func write(_ write: BlockWrite) async throws(TagError) {
        do throws(TagError) {
            try await withOption { (option: Bool) async throws(TagError) in
                try await transport.write(block: write.block, write.bytes, option: option)
            }
        } catch {
            throw await refusal(error, write.block..<write.block + 1, writing: true)
        }
    }

    /// Locks one block permanently.
    func lock(block: Int) async throws(TagError) {
        try await withOption { (option: Bool) async throws(TagError) in
            try await transport.lock(block: block, option: option)
        }
    }

    /// Sends with the option flag where it is wanted. A tag that refuses the command without it (error 03) has changed
    /// nothing, so that is the one case in which a write is sent again.
    private func withOption(_ send: (Bool) async throws(TagError) -> Void) async throws(TagError) {
        do throws(TagError) {
            try await send(needsOption)
        } catch {
            guard error.iso15693 == .optionNotSupported, !needsOption else { throw error }
            try await send(true)
            needsOption = true
        }
    }
}

/// The blocks of a Type 5 Tag: read one at a time, or several where the tag supports it.
struct Type5Blocks: BlockMemory {
    private let chip: Type5Chip
    private let blockSize: Int
    /// The block in front of which several may be read at once; nil if only single ones may.
    private var multipleEnd: Int?

    init(chip: Type5Chip, blockSize: Int, multipleEnd: Int?) {
        self.chip = chip
        self.blockSize = blockSize
        self.multipleEnd = multipleEnd
    }

    var writeSize: Int { blockSize }
    var verification: WriteVerification { .beforeCommit }
    /// The tag answers a write to a locked block with an error (ISO/IEC 15693-3, error codes 12 and 0F).
    var answersRefusedWrites: Bool { chip.canLock }

    /// In front of the counter of the chips that have one.
    func messageEnd(declared: Int, needed: Int?) async throws(TagError) -> Int {
        if needed == nil, try await chip.knownGeometry().blockCount == nil { return declared }
        return try await min(declared, chip.messageBlocks(upTo: (declared + blockSize - 1) / blockSize) * blockSize)
    }

    mutating func read(from page: Int, count: Int) async throws(TagError) -> [UInt8] {
        let wanted = several(page, count)
        do throws(TagError) {
            return try await checked(page, wanted)
        } catch {
            // One block at a time, where the tag refuses several after all.
            guard wanted > 1, error.iso15693 != nil else { throw error }
            multipleEnd = nil
            return try await checked(page, 1)
        }
    }

    /// At least 16 bytes, as far as the area reaches.
    private func several(_ page: Int, _ count: Int) -> Int {
        guard let multipleEnd else { return 1 }
        return max(1, min(max(count, 16 / blockSize), chip.readLimit(blockSize: blockSize), multipleEnd - page))
    }

    private func checked(_ page: Int, _ wanted: Int) async throws(TagError) -> [UInt8] {
        let bytes = try await chip.read(block: page, count: wanted, size: blockSize)
        guard !bytes.isEmpty, bytes.count.isMultiple(of: blockSize), bytes.count <= wanted * blockSize
        else { throw TagError(.tagResponseError, "block \(page) answered with \(bytes.count) bytes", response: bytes) }
        return bytes
    }

    /// By the security status. A tag that does not report it is written all the same.
    func checkWritable(_ blocks: [Int], extent: Range<Int>?, image: MemoryImage) async throws(TagError) {
        guard let (block, status) = try await refusingBlock(among: blocks) else { return }
        throw TagError(
            .tagNotWritable,
            status.contains(.locked)
                ? "block \(block) is locked"
                : "block \(block) needs the \(chip.missing(status).map(\.words).joined(separator: " and the ")) of the tag; give it first"
        )
    }

    func isLocked(_ blocks: [Int], image: MemoryImage) async throws(TagError) -> Bool {
        try await refusingBlock(among: blocks) != nil
    }

    /// The first block that the tag would not write now.
    private func refusingBlock(among blocks: [Int]) async throws(TagError) -> (block: Int, status: ICODEBlockStatus)? {
        guard let first = blocks.min(), let last = blocks.max() else { return nil }
        let range = first..<last + 1
        guard let status = try await chip.blockStatus(in: range) else { return nil }
        return zip(range, status).first { block, status in
            blocks.contains(block) && (status.contains(.locked) || !chip.opens(status))
        }
    }

    func write(_ write: BlockWrite) async throws(TagError) { try await chip.write(write) }
}
