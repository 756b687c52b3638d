/// An NFC Forum Type 5 Tag: ICODE, ST25 and other ISO/IEC 15693 tags with a capability container.
///
/// The size of the memory is asked for once for a connection. Blocks can be locked through ``NativeChannel`` only.
public actor Type5Tag: NDEFTag {
    let transport: any Type5Transport
    var geometry: Type5Geometry?
    /// Whether this tag has said that writing and locking want the option flag.
    var needsOption = false
    /// Whether this tag has refused to say which blocks are locked.
    private var hidesLocks = false

    /// The most bytes that one command asks for: what goes through the smallest readers.
    static let readLimit = 128

    /// A tag read and written with `FF B0` and `FF D6` by block.
    public init(channel: some CardChannel) { transport = Type5StorageCardTransport(channel: channel) }

    /// A tag that understands frames of ISO/IEC 15693.
    ///
    /// - Parameter uid: 8 bytes, E0 first; nil sends to whoever is there.
    public init(native channel: some NativeChannel, uid: [UInt8]? = nil) {
        let target = uid.map { ISO15693Request.Target.uid($0) } ?? .any
        transport = Type5NativeTransport(channel: channel, target: target)
    }

    /// Status, capacity and message; ``TagError`` 102 where the tag refuses blocks of its own data area.
    public func readNDEF() async throws(TagError) -> NDEFReadResult {
        try await state().result()
    }

    /// Status and capacity, without the message.
    public func queryStatus() async throws(TagError) -> NDEFStatusResult {
        NDEFStatusResult(try await state(wantsMessage: false).result())
    }

    /// What reading came to, with what writing needs besides.
    struct State: Sendable {
        var memory: LazyMemory
        let container: Type5CapabilityContainer
        var scan: TLVScan
        var warnings: [NDEFReadWarning] = []

        func result() throws(TagError) -> NDEFReadResult {
            if let fault = container.fault { return .notSupported(fault) }
            return try scan.result(status: container.isWritable ? .readWrite : .readOnly, warnings: warnings)
        }
    }

    /// What the tag says about its memory, asked for once. The first answer may come with block 0, which is not kept.
    func knownGeometry() async throws(TagError) -> Type5Geometry {
        if let geometry { return geometry }
        let found = try await transport.geometry()
        geometry = found
        geometry?.firstBlock = []
        return found
    }

    /// Which of these blocks are locked; nil where that cannot be known. A tag that has refused is not asked again.
    func lockedBlocks(in blocks: Range<Int>) async throws(TagError) -> Set<Int>? {
        guard !hidesLocks, let locked = try await transport.lockedBlocks(in: blocks) else {
            hidesLocks = true
            return nil
        }
        return Set(locked)
    }

    /// The beginning of memory, with the container.
    func beginning(_ geometry: Type5Geometry) async throws(TagError) -> (LazyMemory, Type5CapabilityContainer) {
        // 65,535 × 8 bytes is the most a container can declare.
        let count = geometry.blockCount ?? (65_535 * 8 + 16) / geometry.blockSize
        var memory = LazyMemory(
            reader: Type5BlockReader(transport: transport, blockSize: geometry.blockSize), pageSize: geometry.blockSize,
            pageCount: count)
        memory.store(geometry.firstBlock, at: 0)
        try await memory.load(0..<4)
        if Type5CapabilityContainer.size(memory.bytes(0..<4)) == 8 { try await memory.load(0..<8) }
        guard
            let container = Type5CapabilityContainer(memory.bytes(0..<8))
                ?? Type5CapabilityContainer(memory.bytes(0..<4))
        else { throw TagError(.tagResponseError, "the capability container was not read") }
        return (memory, container)
    }

    /// Reads container and TLVs up to the end of the message, or only to its place.
    func state(wantsMessage: Bool = true) async throws(TagError) -> State {
        let geometry = try await knownGeometry()
        let (memory, container) = try await beginning(geometry)
        let start = container.bytes.count
        var state = State(
            memory: memory, container: container, scan: scan(from: start, container, geometry, wantsMessage))
        guard container.fault == nil else { return state }
        if container.canReadMultiple {
            let end = state.scan.area.bounds.upperBound / geometry.blockSize
            state.memory.replaceReader(
                Type5BlockReader(transport: transport, blockSize: geometry.blockSize, multipleEnd: end))
        }
        try await state.scan.run(over: &state.memory)
        try await fallBack(&state, geometry, wantsMessage)
        return state
    }

    /// Some makers begin at the block behind the container. That is tried where nothing is found in the right place.
    private func fallBack(
        _ state: inout State, _ geometry: Type5Geometry, _ wantsMessage: Bool
    ) async throws(TagError) {
        let start = state.container.bytes.count
        guard state.scan.message == nil, geometry.blockSize > start else { return }
        var other = scan(from: geometry.blockSize, state.container, geometry, wantsMessage)
        try await other.run(over: &state.memory)
        guard other.message != nil else { return }
        state.scan = other
        state.warnings.append(.tlvsAtBlock(offset: geometry.blockSize))
    }

    /// The area that the container declares, as far as the memory reaches. Tags that count the container in are common.
    private func scan(
        from start: Int, _ container: Type5CapabilityContainer, _ geometry: Type5Geometry, _ wantsMessage: Bool
    ) -> TLVScan {
        let memory = geometry.blockCount.map { $0 * geometry.blockSize }
        let declared = container.overflows ? memory ?? container.dataAreaSize : container.dataAreaSize + start
        // Where nobody tells how large the memory is, only that much is sure.
        let end = memory.map { min($0, declared) } ?? container.dataAreaSize
        return TLVScan(area: TLVArea(bounds: start..<max(end, start)), wantsMessage: wantsMessage)
    }
}

extension Type5Tag {
    /// Puts a message in place of the one that is there.
    ///
    /// - Throws: ``TagError`` as ``NDEFTag/writeNDEF(_:verifying:progress:)`` says; 400 also where a block is locked.
    public func writeNDEF(_ message: [UInt8], verifying: Bool, progress: TagProgress?) async throws(TagError) {
        var state = try await state()
        let result = try state.result()
        guard result.status != .notSupported, let tlv = state.scan.message else {
            throw TagError(.unsupportedFeature, result.reason ?? "no NDEF")
        }
        guard result.status == .readWrite else {
            throw TagError(.tagNotWritable, "the capability container grants no write access")
        }
        let write = TLVMessageWrite(
            area: state.scan.area, typeAt: tlv.offset, blockSize: state.memory.image.pageSize)
        guard let extent = write.extent(messageLength: message.count) else {
            throw TagError(.tagSizeTooSmall, "the message has \(message.count) bytes, \(write.capacity) fit")
        }
        try await state.memory.load(extent)
        guard let steps = write.plan(message, in: state.memory.image) else {
            throw TagError(.tagResponseError, "the blocks to write were not read")
        }
        try await requireUnlocked(steps.steps.map(\.block))
        needsOption = needsOption || state.container.wantsOption
        try await steps.run(progress: progress) { (step: BlockWrite) async throws(TagError) in
            try await put(step, verifying: verifying)
        }
    }

    /// Refuses to begin what a locked block would break off. A tag that does not tell is written as it is.
    private func requireUnlocked(_ blocks: [Int]) async throws(TagError) {
        guard let first = blocks.min(), let last = blocks.max() else { return }
        guard let locked = try await lockedBlocks(in: first..<last + 1) else { return }
        if let block = blocks.sorted().first(where: locked.contains) {
            throw TagError(.tagNotWritable, "block \(block) is locked")
        }
    }

    /// Writes one block and, where asked for, reads it back.
    func put(_ step: BlockWrite, verifying: Bool = false) async throws(TagError) {
        try await withOption { (option: Bool) async throws(TagError) in
            try await transport.write(block: step.block, step.bytes, option: option)
        }
        guard verifying else { return }
        let found: [UInt8]
        do throws(TagError) {
            found = try await transport.read(block: step.block, count: 1, size: step.bytes.count)
        } catch {
            // A refusal here must not look like one of the write, so it goes without its status word.
            throw TagError(error.code, "reading back: \(error.detail)", response: error.response)
        }
        guard found == step.bytes else {
            throw TagError(.tagUpdateFailure, "block \(step.block) reads back differently", response: found)
        }
    }

    /// Sends with the option flag where it is wanted. A tag that refuses the other way (error 03) has changed nothing, so
    /// that is the one case in which a write is sent again.
    private func withOption(_ send: (Bool) async throws(TagError) -> Void) async throws(TagError) {
        let isWanted = needsOption || geometry?.wantsOption == true
        do throws(TagError) {
            try await send(isWanted)
        } catch {
            guard error.iso15693 == .optionNotSupported, !isWanted else { throw error }
            try await send(true)
            needsOption = true
        }
    }

    func lock(block: Int) async throws(TagError) {
        try await withOption { (option: Bool) async throws(TagError) in
            try await transport.lock(block: block, option: option)
        }
    }
}

extension Type5Tag {
    /// Puts an empty message and, at last, a capability container on a tag whose first blocks are zeros. A container that
    /// is there already stays.
    public func formatNDEF() async throws(TagError) {
        let state = try await state()
        if state.container.fault == nil, state.scan.message != nil { return }
        let geometry = try await knownGeometry()
        let container = state.container.fault == nil ? state.container : try await newContainer(geometry)
        needsOption = needsOption || container.wantsOption
        for step in try await blank(container.bytes + [0x03, 0x00, 0xFE], geometry, state.memory) {
            do throws(TagError) {
                try await put(step)
            } catch {
                throw error.duringWrite("formatting broke off and can be started again")
            }
        }
    }

    private func newContainer(_ geometry: Type5Geometry) async throws(TagError) -> Type5CapabilityContainer {
        guard let count = geometry.blockCount else {
            throw TagError(.unsupportedFeature, "the size of the tag's memory is not known")
        }
        let canReadMultiple = try await readsMultiple(geometry)
        return Type5CapabilityContainer(
            blockCount: count, blockSize: geometry.blockSize, canReadMultiple: canReadMultiple)
    }

    private func readsMultiple(_ geometry: Type5Geometry) async throws(TagError) -> Bool {
        guard transport.canLock else { return false }
        do throws(TagError) {
            let size = geometry.blockSize
            return try await transport.read(block: 0, count: 2, size: size).count == 2 * size
        } catch {
            guard error.iso15693 != nil else { throw error }
            return false
        }
    }

    /// The blocks with this content from the start of memory, the first one last; only zeros may give way, or what is left
    /// of an earlier start.
    private func blank(
        _ content: [UInt8], _ geometry: Type5Geometry, _ memory: LazyMemory
    ) async throws(TagError) -> [BlockWrite] {
        let size = geometry.blockSize
        var memory = memory
        let end = (content.count + size - 1) / size * size
        try await memory.load(0..<end)
        let wanted = content + [UInt8](repeating: 0, count: end - content.count)
        let found = memory.bytes(0..<end)
        guard found.count == end, zip(found, wanted).allSatisfy({ $0 == 0 || $0 == $1 }),
            found[0] == 0 || found.prefix(content.count - 3).elementsEqual(content.dropLast(3))
        else { throw TagError(.unsupportedFeature, "the tag's first blocks hold something") }
        let blocks = stride(from: 0, to: end, by: size).filter { found[$0..<$0 + size] != wanted[$0..<$0 + size] }
        return blocks.reversed().map { BlockWrite(block: $0 / size, bytes: Array(wanted[$0..<$0 + size])) }
    }
}

extension Type5Tag {
    /// Sets the container to read-only, locks the blocks of the message and then those of the container. It cannot be
    /// undone. Where it broke off, it can be called again and goes on, if the tag tells which blocks are locked.
    ///
    /// - Throws: ``TagError`` 1 unless the container or the chip is known to have LOCK BLOCK; 400 where the tag is read-only.
    public func makeReadOnly() async throws(TagError) {
        let state = try await state(wantsMessage: false)
        let result = try state.result()
        guard result.status != .notSupported, let tlv = state.scan.message else {
            throw TagError(.unsupportedFeature, result.reason ?? "no NDEF")
        }
        guard state.container.isWritable || state.container.writeAccess == 0x03 else { throw Self.readOnlyAlready }
        guard transport.canLock, state.container.canLock || geometry?.isICODE == true else {
            guard result.status == .readWrite else { throw Self.readOnlyAlready }
            throw TagError(.unsupportedFeature, "it is not known whether this tag, behind this reader, can lock blocks")
        }
        needsOption = needsOption || state.container.wantsOption
        try await lock(state, tlv, isMarked: result.status == .readOnly)
    }

    /// Locks what is not locked yet.
    ///
    /// - Parameter isMarked: whether the container says read-only, as it does after an earlier start.
    private func lock(_ state: State, _ tlv: TLV, isMarked: Bool) async throws(TagError) {
        let size = state.memory.image.pageSize
        let containerEnd = (state.container.bytes.count + size - 1) / size
        let end = max(((tlv.pieces.last?.upperBound ?? tlv.offset + 2) + size - 1) / size, containerEnd)
        let locked = try await lockedBlocks(in: 0..<end)
        let missing = (Array(containerEnd..<end) + (0..<containerEnd)).filter { locked?.contains($0) != true }
        if isMarked {
            guard locked != nil else {
                throw TagError(
                    .tagNotWritable, "the tag is marked as read-only; it does not tell which blocks are locked")
            }
            guard !missing.isEmpty else { throw Self.readOnlyAlready }
        }
        do throws(TagError) {
            if !isMarked { try await put(state.readOnlyBlock(size)) }
            for block in missing { try await lock(block: block) }
        } catch {
            throw error.duringWrite("locking broke off")
        }
    }

    private static let readOnlyAlready = TagError(.tagNotWritable, "the tag is read-only already")
}

extension Type5Tag.State {
    /// Block 0 with the container set to read-only, and what follows it there.
    fileprivate func readOnlyBlock(_ size: Int) -> BlockWrite {
        let count = container.bytes.count
        let bytes = container.readOnly + memory.bytes(count..<max(size, count))
        return BlockWrite(block: 0, bytes: Array(bytes.prefix(size)))
    }
}
