/// An NFC Forum Type 3 Tag: FeliCa Lite, Lite-S, and other FeliCa cards with an NDEF system.
///
/// A tag whose last write was interrupted (WriteFlag 0F) reads as empty, with the warning
/// ``NDEFReadWarning/interruptedWrite``, and can be written again.
public actor Type3Tag: NDEFTag {
    private let card: Type3Card

    /// A tag behind a reader that supports FeliCa packets.
    ///
    /// - Parameter identifier: the IDm the reader gave; where another card answers, every call fails with 100. One that
    ///   is not 8 bytes long is not compared.
    public init(channel: some FeliCaChannel, identifier: [UInt8]? = nil) {
        card = Type3Card(channel: channel, expected: identifier.flatMap { FeliCaIdentifier($0) })
    }

    /// Reads the message in commands of Nbr blocks, after one exchange for polling and one for the attribute block.
    ///
    /// - Throws: ``TagError`` 102 when the tag's answer is malformed, refuses its own blocks or declares a message that is
    ///   longer than its memory; 100 when it leaves or another one answers.
    public func readNDEF() async throws(TagError) -> NDEFReadResult { try await result(wantsMessage: true) }

    /// Status and capacity: polling and the attribute block.
    public func queryStatus() async throws(TagError) -> NDEFStatusResult {
        NDEFStatusResult(try await result(wantsMessage: false))
    }

    private func result(wantsMessage: Bool) async throws(TagError) -> NDEFReadResult {
        let system = try await card.connect()
        guard system.isNDEF else { return .notSupported(system.noNDEF) }
        let header = try await card.readHeader(of: system)
        switch header.attribute {
        case .failure(let fault): return .notSupported("\(fault)")
        case .success(let attribute):
            let message = attribute.hasMessage && wantsMessage ? try await readMessage(attribute, of: system) : nil
            return NDEFReadResult(
                status: header.isWritable(attribute) ? .readWrite : .readOnly,
                capacity: try await card.connect().capacity(attribute),
                message: message, warnings: attribute.warnings)
        }
    }

    private func readMessage(_ attribute: AttributeInformation, of system: Type3System) async throws(TagError)
        -> [UInt8]
    {
        guard attribute.length <= attribute.capacity else {
            throw TagError(
                .tagResponseError,
                "a message of \(attribute.length) bytes is declared in a memory of \(attribute.capacity)",
                response: attribute.bytes)
        }
        let data = try await card.readData(count: attribute.length.inBlocks, attribute, of: system)
        return Array(data.prefix(attribute.length))
    }
}

extension Type3Tag {
    /// Replaces the message: WriteFlag 0F, data in commands of Nbw blocks, then WriteFlag
    /// 00 with the new Ln (NFC Forum Type 3 Tag, write procedure). Blocks that hold the right bytes already are not
    /// written, and WriteFlag is not set if there is no message to take away, or one block replaces it.
    ///
    /// - Throws: ``TagError`` as for ``NDEFTag/writeNDEF(_:verifying:overwriting:progress:)``; 400 also if a FeliCa Lite has blocks
    ///   locked or wants a key for them.
    public func writeNDEF(
        _ message: [UInt8], verifying: Bool, overwriting: Bool, progress: TagProgress?
    ) async throws(TagError) {
        let (system, header, attribute) = try await formatted()
        guard header.isWritable(attribute) else { throw TagError(.tagNotWritable, "\(system.name) is read-only") }
        let capacity = system.capacity(attribute)
        guard message.count <= capacity else {
            throw TagError(
                .tagSizeTooSmall, "the message has \(message.count) bytes, the tag has room for \(capacity)")
        }
        let count = message.count.inBlocks
        guard header.isWritable(attribute, dataBlocks: count) else {
            throw TagError(.tagNotWritable, "not all \(count + 1) blocks can be written without a key")
        }
        let current = try await card.readData(count: count, attribute, of: system)
        var write = Type3Write(
            message: message, current: current, attribute: attribute,
            blocksPerCommand: max(1, min(attribute.writeBlocks, card.writeLimit)))
        if verifying { write.addCheck() }
        try await perform(write, of: system, verifying: verifying, progress)
    }

    private func perform(
        _ write: Type3Write, of system: Type3System, verifying: Bool, _ progress: TagProgress?
    ) async throws(TagError) {
        try await write.steps.run(progress: progress) { step throws(TagError) in
            switch step {
            case .write(let blocks, let data): try await card.write(data, to: blocks, of: system)
            case .check(let data): try await self.check(data, write.attribute, of: system)
            }
        }
        guard verifying, !write.steps.steps.isEmpty else { return }
        do throws(TagError) {
            if let only = write.onlyBlock {
                try await self.check([only], of: system)
            } else {
                try await checkAttribute(write.finalAttribute, of: system)
            }
        } catch {
            let last = write.steps.steps.count - 1
            throw error.whileWriting(leaving: write.steps.state(afterFailureAt: last, wasRefused: false))
        }
    }

    private func check(_ data: [UInt8], _ attribute: AttributeInformation, of system: Type3System)
        async throws(TagError)
    {
        let found = try await card.readData(count: data.count.inBlocks, attribute, of: system)
        guard found == data else { throw TagError(.tagUpdateFailure, "the data does not read back as written") }
    }

    /// Reads blocks back, one at a time.
    private func check(_ writes: [BlockWrite], of system: Type3System) async throws(TagError) {
        for write in writes {
            let found = try await card.read([UInt16(truncatingIfNeeded: write.block)], of: system)
            guard found == write.bytes else {
                throw TagError(
                    .tagUpdateFailure, "block \(write.block) does not read back as written", response: found)
            }
        }
    }

    private func checkAttribute(_ attribute: AttributeInformation, of system: Type3System) async throws(TagError) {
        let found = try await card.read([0], of: system)
        guard found == attribute.bytes else {
            throw TagError(.tagUpdateFailure, "the attribute block does not read back as written", response: found)
        }
    }

    /// The attribute block of a tag with NDEF.
    ///
    /// - Throws: ``TagError`` 1 if there is none.
    private func formatted() async throws(TagError) -> (Type3System, Type3Header, AttributeInformation) {
        let system = try await card.connect()
        guard system.isNDEF else { throw TagError(.unsupportedFeature, system.noNDEF) }
        let header = try await card.readHeader(of: system)
        switch header.attribute {
        case .success(let attribute): return (try await card.connect(), header, attribute)
        case .failure(let fault): throw TagError(.unsupportedFeature, "\(fault)")
        }
    }
}

extension Type3Tag {
    /// Changes bytes inside a record, one block with each command, see ``NDEFTag/updateRecord(_:verifying:progress:)``. The attribute
    /// block is not written.
    public func updateRecord(
        _ update: RecordUpdate, verifying: Bool, progress: TagProgress?
    ) async throws(TagError) {
        let (system, header, attribute) = try await formatted()
        let count = attribute.hasMessage ? attribute.length : 0
        guard count <= system.capacity(attribute) else {
            throw TagError(
                .tagResponseError,
                "a message of \(count) bytes is declared in a memory of \(system.capacity(attribute)); write it again",
                response: attribute.bytes)
        }
        let blocks = Type3DataBlocks(card: card, attribute: attribute, system: system)
        let start = FeliCaBlock.size
        var message = LazyMessage(
            memory: LazyMemory(reader: blocks, pageSize: start, pageCount: 1 + count.inBlocks),
            pieces: [start..<start + count])
        let places = message.places(of: try await update.locate(in: &message))
        let plan = update.writes(on: try RecordBlocks(places, blockSize: start, image: message.memory.image))
        if let locked = plan.result.first(where: { header.locks(block: $0.block) }) {
            throw TagError(
                .tagNotWritable, "block \(locked.block) of \(system.name) is locked or needs a key; nothing was written"
            )
        }
        try await plan.run(progress: progress) { (write: BlockWrite) async throws(TagError) in
            try await card.write(write.bytes, to: [UInt16(truncatingIfNeeded: write.block)], of: system)
        }
        if verifying {
            try await plan.verify { () async throws(TagError) in try await check(plan.result, of: system) }
        }
    }
}

/// The blocks of a message on a Type 3 Tag, from block 1 on.
private struct Type3DataBlocks: BlockReader {
    let card: Type3Card
    let attribute: AttributeInformation
    let system: Type3System

    /// As many as tag and reader allow in one command, at least one.
    func read(from page: Int, count: Int) async throws(TagError) -> [UInt8] {
        let step = max(1, min(attribute.readBlocks, card.readLimit, count))
        return try await card.read((page..<page + step).map { UInt16(truncatingIfNeeded: $0) }, of: system)
    }
}

/// The commands that write a message to a Type 3 Tag, in an order that leaves the old one, none or the new one.
struct Type3Write: Sendable {
    enum Step: Sendable, Hashable {
        /// One command.
        case write(blocks: [UInt16], data: [UInt8])
        /// The data blocks from 1 on have to hold these bytes.
        case check([UInt8])
    }

    /// The attribute block as it was.
    let attribute: AttributeInformation
    /// The attribute block that shows the new message.
    let finalAttribute: AttributeInformation
    private(set) var steps = TearSafeWrite<Step>()
    /// The block that changes, where it is the only one: one write replaces the message then.
    let onlyBlock: BlockWrite?
    private let data: [UInt8]

    /// - Parameters:
    ///   - message: at most as long as the tag's capacity.
    ///   - current: what the blocks for the message hold now, all of them.
    ///   - blocksPerCommand: at least 1.
    init(message: [UInt8], current: [UInt8], attribute: AttributeInformation, blocksPerCommand: Int) {
        self.attribute = attribute
        finalAttribute = attribute.holding(length: message.count)
        data = message + [UInt8](repeating: 0, count: message.count.inBlocks * FeliCaBlock.size - message.count)
        let changed = Self.differences(data, current)
        guard changed.count != 1 || !attribute.hasMessage || finalAttribute != attribute else {
            onlyBlock = BlockWrite(block: Int(changed[0].block), bytes: changed[0].data)
            steps.commit = [.write(blocks: [changed[0].block], data: changed[0].data)]
            return
        }
        onlyBlock = nil
        steps.data = stride(from: 0, to: changed.count, by: blocksPerCommand).map { first in
            let group = changed[first..<min(first + blocksPerCommand, changed.count)]
            return .write(blocks: group.map(\.block), data: group.flatMap(\.data))
        }
        if attribute.hasMessage && !changed.isEmpty { steps.invalidate = [Self.write(attribute.writing)] }
        if !steps.invalidate.isEmpty || finalAttribute != attribute { steps.commit = [Self.write(finalAttribute)] }
    }

    /// Reads the data back before it is shown.
    mutating func addCheck() {
        if !steps.data.isEmpty { steps.data.append(.check(data)) }
    }

    private static func write(_ attribute: AttributeInformation) -> Step { .write(blocks: [0], data: attribute.bytes) }

    private static func differences(_ new: [UInt8], _ old: [UInt8]) -> [(block: UInt16, data: [UInt8])] {
        stride(from: 0, to: new.count, by: FeliCaBlock.size).compactMap { start in
            let bytes = Array(new.dropFirst(start).prefix(FeliCaBlock.size))
            guard !old.dropFirst(start).prefix(FeliCaBlock.size).elementsEqual(bytes) else { return nil }
            return (UInt16(truncatingIfNeeded: start / FeliCaBlock.size + 1), bytes)
        }
    }
}

extension Type3Tag {
    /// What formatting writes.
    private struct Formatting {
        let system: Type3System
        let configuration: FeliCaLiteConfiguration
        let attribute: AttributeInformation
    }

    /// Makes a FeliCa Lite or Lite-S an empty Type 3 Tag with 4 blocks a read and 1 a write: writes block 0, then sets
    /// SYS_OP in the memory configuration. The card may answer to system 12FC only after it left the field.
    ///
    /// - Throws: ``TagError`` 1 for any other card, where block 0 or the memory configuration is locked, and where the
    ///   blocks for data hold other data; 401 when the card refuses a write.
    public func formatNDEF(overwriting: Bool) async throws(TagError) {
        guard let plan = try await formatting() else { return }
        if !overwriting, let foreign = try await foreignData(plan) { throw ForeignData.refusal(foreign) }
        try await update(plan.attribute.bytes, 0, of: plan.system)
        if !plan.configuration.isNDEF {
            try await update(plan.configuration.withNDEF.bytes, FeliCaLiteConfiguration.block, of: plan.system)
        }
        card.hasBecomeNDEF(plan.system)
    }

    /// A FeliCa Lite or Lite-S without an attribute block that is valid, and what its blocks for data hold.
    public func formatState() async throws(TagError) -> TagFormatState {
        try await .of { () async throws(TagError) in
            guard let plan = try await formatting() else { return .formatted }
            return TagFormatState(overwriting: try await foreignData(plan))
        }
    }

    /// What formatting writes; nil where the tag is formatted.
    private func formatting() async throws(TagError) -> Formatting? {
        let system = try await card.connect()
        if system.isNDEF, case .success = try await card.readHeader(of: system).attribute { return nil }
        guard let product = system.product else {
            throw TagError(.unsupportedFeature, "\(system.name) cannot be formatted, only FeliCa Lite and Lite-S can")
        }
        let configuration = try await readConfiguration(of: system, product)
        let blocks = configuration.writableBlocks - 1
        guard blocks > 0 else { throw TagError(.unsupportedFeature, "the user blocks are locked or need a key") }
        guard configuration.isNDEF || configuration.isOpen else {
            throw TagError(.unsupportedFeature, "the memory configuration is locked, without NDEF")
        }
        let attribute = AttributeInformation(
            readBlocks: FeliCaLiteProduct.readBlocks, writeBlocks: 1, blocks: UInt16(truncatingIfNeeded: blocks))
        return Formatting(system: system, configuration: configuration, attribute: attribute)
    }

    /// What the blocks hold that would be block 0 and the memory of the message; nil where they are blank. A block that cannot be
    /// read may hold anything.
    private func foreignData(_ plan: Formatting) async throws(TagError) -> String? {
        let blocks = (0..<plan.configuration.writableBlocks).map { UInt16(truncatingIfNeeded: $0) }
        var memory: [UInt8] = []
        for group in blocks.groups(of: max(1, min(Int(FeliCaLiteProduct.readBlocks), card.readLimit))) {
            let content = try await card.readable(group, of: plan.system)
            for block in group {
                guard let bytes = content[block] else {
                    return "block \(block) cannot be read without a key and may hold other data"
                }
                memory += bytes
            }
        }
        return ForeignData.description(
            of: memory, formatted: plan.attribute.bytes, first: 0, blockSize: FeliCaBlock.size)
    }

    /// Clears RWFlag, which every device that follows the standard respects. Only FeliCa Lite could be locked
    /// physically, in its memory configuration; that would freeze its keys as well, and is not done.
    ///
    /// - Throws: ``TagError`` 400 if the tag is already read-only, 1 after a write that was interrupted, 401 when the card
    ///   refuses or the block does not read back as written.
    public func makeReadOnly() async throws(TagError) {
        let (system, header, attribute) = try await formatted()
        guard header.isWritable(attribute) else { throw TagError(.tagNotWritable, "\(system.name) is read-only") }
        guard !attribute.isWriting else {
            throw TagError(.unsupportedFeature, "the last write was interrupted; write a message first")
        }
        try await update(attribute.readOnly.bytes, 0, of: system)
        try await checkAttribute(attribute.readOnly, of: system)
    }

    private func readConfiguration(
        of system: Type3System, _ product: FeliCaLiteProduct
    ) async throws(TagError) -> FeliCaLiteConfiguration {
        let bytes = try await card.read([FeliCaLiteConfiguration.block], of: system)
        guard let configuration = FeliCaLiteConfiguration(bytes, product: product) else {
            throw TagError(.tagResponseError, "the memory configuration was not read", response: bytes)
        }
        return configuration
    }

    /// One block outside of a message; a refusal is 401.
    private func update(_ data: [UInt8], _ block: UInt16, of system: Type3System) async throws(TagError) {
        try await changingTag { () async throws(TagError) in try await card.write(data, to: [block], of: system) }
    }
}

extension Type3Tag {
    /// Describes the card: identifiers, product by the IC type of its PMm, systems, attribute information, lock state.
    ///
    /// - Throws: ``TagError`` 100 when the card leaves or another one answers, 102 when its answer is malformed.
    public func describe() async throws(TagError) -> TagDescription { try await card.describe() }

    /// Reads the blocks of a Lite that can be read without a key, of other cards those of the NDEF system, up to Nmaxb.
    ///
    /// - Throws: ``TagError`` 100 when the card leaves or another one answers, 102 when its answer is malformed.
    public func dump(progress: TagProgress?) async throws(TagError) -> TagDump {
        try await card.dump(progress: progress)
    }
}
