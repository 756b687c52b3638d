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
