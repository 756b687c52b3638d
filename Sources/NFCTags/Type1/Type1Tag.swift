import ISO7816

/// An NFC Forum Type 1 Tag: Topaz, Topaz 512 and Jewel. The standard withdrew the type; tags are still met.
public actor Type1Tag: NDEFTag {
    /// The most a capability container can declare, in blocks of 8 bytes.
    static let blockLimit = 256

    private let link: Type1Link
    private let expected: [UInt8]?
    private var header: Type1Header?

    /// A tag behind a reader that supports its frames, without CRC and with the UID in them.
    ///
    /// - Parameter identifier: the UID the reader gave; where the first 4 bytes of another one answer, every call fails
    ///   with 100. Fewer than 4 bytes are not compared.
    public init(channel: some NativeChannel, identifier: [UInt8]? = nil) {
        link = Type1Link(channel: channel)
        expected = identifier.flatMap { $0.count < 4 ? nil : Array($0.prefix(4)) }
    }

    /// Reads the message: one exchange for RID, one for each 120 or 128 bytes.
    ///
    /// - Throws: ``TagError`` 102 when the tag's answer is malformed, refuses its own memory, or a TLV runs past its end;
    ///   100 when it leaves or another one answers.
    public func readNDEF() async throws(TagError) -> NDEFReadResult {
        var store = try await store()
        return try await store.read()
    }

    /// Status and capacity, without the message.
    public func queryStatus() async throws(TagError) -> NDEFStatusResult {
        var store = try await store()
        return try await store.status()
    }

    /// Replaces the message. The tag repeats what it stored, and that is compared, verifying or not.
    ///
    /// - Throws: ``TagError`` as for ``NDEFTag/writeNDEF(_:verifying:overwriting:progress:)``; 400 also if a block is locked.
    public func writeNDEF(
        _ message: [UInt8], verifying: Bool, overwriting: Bool, progress: TagProgress?
    ) async throws(TagError) {
        var store = try await store()
        try await store.write(message, verifying: verifying, overwriting: overwriting, progress: progress)
    }

    /// Changes bytes inside a record, see ``NDEFTag/updateRecord(_:verifying:progress:)``.
    public func updateRecord(
        _ update: RecordUpdate, verifying: Bool, progress: TagProgress?
    ) async throws(TagError) {
        var store = try await store()
        try await store.update(update, verifying: verifying, progress: progress)
    }

    /// The data area, with what has been read of it.
    private func store() async throws(TagError) -> TLVMessageStore<Type1Blocks> {
        let header = try await connect()
        guard header.isNDEF else {
            return TLVMessageStore(memory: memory(header), layout: .absent(Type1Header.noNDEF))
        }
        let content = try await load(header)
        return TLVMessageStore(memory: content.memory, layout: content.layout)
    }

    /// RID, once for a connection.
    private func connect() async throws(TagError) -> Type1Header {
        if let header { return header }
        let answer = try await link.send(.rid, to: [])
        guard let found = Type1Header(answer) else {
            throw TagError(.tagResponseError, "RID answered with \(answer.count) bytes", response: answer)
        }
        if let expected, expected != found.identifier {
            throw TagError(.tagConnectionLost, "another tag answered", response: answer)
        }
        header = found
        return found
    }

    private func memory(_ header: Type1Header) -> LazyMemory<Type1Blocks> {
        LazyMemory(
            reader: Type1Blocks(link: link, header: header), pageSize: Type1Blocks.blockSize,
            pageCount: Self.blockLimit)
    }

    /// The first 120 or 128 bytes.
    private func load(_ header: Type1Header) async throws(TagError) -> Type1Content {
        var memory = memory(header)
        try await memory.fetch(0, count: Type1Blocks.staticBlocks)
        try await memory.load(0..<16)
        guard case .bytes(let bytes) = memory.image.contents(of: [8..<12]),
            let container = Type1CapabilityContainer(bytes)
        else { throw TagError(.tagResponseError, "the capability container was not read") }
        return Type1Content(header: header, container: container, memory: memory)
    }
}

extension Type1Tag {
    /// Writes capability container and TLVs of a Topaz or Topaz 512 without a message; their first byte last.
    ///
    /// - Throws: ``TagError`` 1 for other products, and where it holds other data; 400 if a block is locked.
    public func formatNDEF(overwriting: Bool) async throws(TagError) {
        guard let plan = try await formatting() else { return }
        if let foreign = plan.foreign, !overwriting { throw ForeignData.refusal(foreign) }
        var store = plan.store
        try await store.load(plan.writes)
        var blocks = store.memory.reader
        try await blocks.checkWritable(plan.writes.map(\.block), extent: 8..<104, image: store.memory.image)
        for write in plan.writes.reversed() {
            try await changingTag { () async throws(TagError) in try await blocks.write(write) }
        }
    }

    /// A Topaz or Topaz 512 without a message.
    public func formatState() async throws(TagError) -> TagFormatState {
        try await .of { () async throws(TagError) in
            try await formatting().map { TagFormatState(overwriting: $0.foreign) } ?? .formatted
        }
    }

    /// What formatting writes, and what it would overwrite; nil where the tag is formatted.
    private func formatting() async throws(TagError) -> (
        store: TLVMessageStore<Type1Blocks>, writes: [BlockWrite], foreign: String?
    )? {
        let header = try await connect()
        let content = try await load(header)
        var store = TLVMessageStore(memory: content.memory, layout: content.layout)
        if header.isNDEF, try await store.messagePlace() != nil { return nil }
        guard let product = header.product else {
            throw TagError(.unsupportedFeature, "the product with header \(header.hr0) \(header.hr1) is unknown")
        }
        if content.container.fault == nil, !content.container.isWritable {
            throw TagError(.unsupportedFeature, "the tag is marked as read-only and has no message")
        }
        var memory = content.memory
        try await memory.load(0..<product.blockCount * Type1Blocks.blockSize)
        let start = Type1CapabilityContainer.offset
        let data =
            memory.bytes(start..<header.reserved.lowerBound)
            + memory.bytes(header.reserved.upperBound..<memory.image.pageCount * 8)
        let foreign = ForeignData.description(
            of: data, formatted: product.formatted, first: 1, blockSize: Type1Blocks.blockSize)
        let writes = BlockWrite.blocks(of: product.formatted, at: start, size: header.blockSize)
        return (store, writes, foreign)
    }

    /// Sets byte 11 to 0F and all lock bits of a Topaz or Topaz 512. It cannot be undone. The lock bytes of some tags cannot
    /// be written; then the message is marked as read-only, and the error reports that.
    ///
    /// - Throws: ``TagError`` 1 for other products, 400 if the tag is already read-only, 401 if not everything
    ///   was set.
    public func makeReadOnly() async throws(TagError) {
        let header = try await connect()
        guard header.isNDEF else { throw TagError(.unsupportedFeature, Type1Header.noNDEF) }
        let content = try await load(header)
        if let fault = content.container.fault { throw TagError(.unsupportedFeature, fault) }
        guard let product = header.product else {
            throw TagError(.unsupportedFeature, "the lock bytes of this product are unknown")
        }
        guard content.container.isWritable else { throw TagError(.tagNotWritable, "the tag is read-only") }
        var commands: [Type1Command] = [.setBits(11, 0x0F), .setBits(112, 0xFF), .setBits(113, 0xFF)]
        // Its Lock Control TLV puts the dynamic lock bits at 122, other programs at 120: the whole block holds nothing else.
        if product == .topaz512 { commands.append(.setBlockBits(15, [UInt8](repeating: 0xFF, count: 8))) }
        for (index, command) in commands.enumerated() {
            let stored = try await answer(to: command, header)
            guard !stored.isEmpty, command.isDone(stored) else {
                let done = index == 0 ? "nothing is locked" : "only marked as read-only, not all lock bytes are set"
                throw TagError(.tagUpdateFailure, done, response: stored)
            }
        }
    }

    /// What the tag reports it stored; nothing where it is silent.
    private func answer(to command: Type1Command, _ header: Type1Header) async throws(TagError) -> [UInt8] {
        do throws(TagError) {
            return try await link.send(command, to: header.identifier)
        } catch {
            guard error.code == .tagResponseError else { throw error }
            return []
        }
    }
}

extension Type1Command {
    /// Whether the bits that were to be set are in what the tag reports it stored.
    fileprivate func isDone(_ stored: [UInt8]) -> Bool {
        switch self {
        case .setBits(_, let byte): stored.allSatisfy { $0 & byte == byte }
        case .setBlockBits(_, let bytes): zip(stored, bytes).allSatisfy { $0 & $1 == $1 }
        default: true
        }
    }
}

extension Type1Tag {
    /// What the tag is: product and memory by its header ROM, capability container, lock bytes.
    ///
    /// - Throws: ``TagError`` 100 when the tag leaves or another one answers, 102 when its answer is malformed.
    public func describe() async throws(TagError) -> TagDescription {
        let header = try await connect()
        let content: Type1Content
        do throws(TagError) {
            content = try await load(header)
        } catch {
            guard error.code == .tagResponseError else { throw error }
            return TagDescription(
                product: header.product?.name, manufacturer: header.product.map { _ in Self.manufacturer },
                blockSize: Type1Blocks.blockSize,
                fields: Self.proof(header) + [
                    .init("Header ROM", Hexadecimal.string([header.hr0, header.hr1])), .refused("memory", error),
                ])
        }
        var fields =
            Self.proof(header) + [
                .init("Header ROM", Hexadecimal.string([header.hr0, header.hr1])),
                .init("Capability container", Hexadecimal.string(content.container.bytes)),
                .init("Static lock bytes", Hexadecimal.string(content.memory.bytes(112..<114))),
            ]
        if header.product == .topaz512 {
            fields.append(.init("Dynamic lock bytes", Hexadecimal.string(content.memory.bytes(122..<128))))
        }
        if header.isNDEF, let fault = content.container.fault { fields.append(.init("NDEF", fault)) }
        return TagDescription(
            product: header.product?.name, manufacturer: header.product.map { _ in Self.manufacturer },
            memorySize: content.blockCount.map { $0 * Type1Blocks.blockSize }, blockSize: Type1Blocks.blockSize,
            lockState: content.lockState, fields: fields)
    }

    private static let manufacturer = "Broadcom (Innovision)"

    /// Nothing for an unknown product.
    private static func proof(_ header: Type1Header) -> [TagDescription.Field] {
        header.product.map { _ in [ProofStrength.withoutSecret.field] } ?? []
    }

    /// Every block, with its purpose: one exchange for 120 or 128 bytes.
    ///
    /// - Throws: ``TagError`` 100 when the tag leaves or another one answers, 102 when its answer is malformed.
    public func dump(progress: TagProgress?) async throws(TagError) -> TagDump {
        let header = try await connect()
        let content = try await load(header)
        var memory = content.memory
        // A tag is silent where it refuses; RSEG and READ8 have both been tried then.
        let pages = try await memory.pages(
            content.blockCount ?? Type1Blocks.segmentBlocks, isAnswer: { _ in false }, progress: progress)
        let blocks = pages.enumerated().map { number, bytes in
            TagBlock(number: number, bytes: bytes, meaning: content.meaning(ofBlock: number))
        }
        return TagDump(
            layout: .type1, product: header.product?.name, blockSize: Type1Blocks.blockSize,
            sections: [.init(blocks: blocks)])
    }
}

extension Type1Content {
    /// The blocks of the whole memory; nil if neither the product nor a container shows it.
    var blockCount: Int? {
        if let product = header.product { return product.blockCount }
        if header.isStatic { return Type1Blocks.staticBlocks }
        return container.fault == nil ? container.end / Type1Blocks.blockSize : nil
    }

    /// Of the blocks that hold data. A container that forbids writing locks what NDEF devices see, and no more.
    var lockState: LockState {
        guard header.product != nil, let count = blockCount else { return .unknown }
        let blocks = (1..<count).filter { !header.reserved.contains($0 * Type1Blocks.blockSize) }
        let locked = blocks.count(where: isLocked)
        if locked == blocks.count { return .locked }
        return locked == 0 && (container.fault != nil || container.isWritable) ? .unlocked : .partlyLocked
    }

    /// Nil for plain data.
    func meaning(ofBlock block: Int) -> String? {
        switch block {
        case 0: "identifier"
        case 1: "capability container"
        case 0x0D: "reserved"
        case 0x0E: "static lock and one-way bits"
        case 0x0F where !header.isStatic: "dynamic lock"
        default: nil
        }
    }
}
