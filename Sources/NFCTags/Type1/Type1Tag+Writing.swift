extension Type1Tag {
    /// Puts a message in place of the one that is there: byte by byte with WRITE-E, on a tag with dynamic memory in
    /// blocks of 8 with WRITE-E8. The tag repeats what it stored, and that is compared, verifying or not.
    ///
    /// - Throws: ``TagError`` as ``NDEFTag/writeNDEF(_:verifying:progress:)`` says; 400 also where a block is locked.
    public func writeNDEF(_ message: [UInt8], verifying: Bool, progress: TagProgress?) async throws(TagError) {
        var content = try await formatted()
        guard content.container.isWritable else { throw TagError(.tagNotWritable, "the tag is read-only") }
        try await content.findMessage()
        let write = try content.scan.writing(blockSize: content.header.blockSize)
        guard let extent = write.extent(messageLength: message.count) else {
            throw TagError(.tagSizeTooSmall, "\(message.count) bytes, the tag takes \(write.capacity)")
        }
        try await content.memory.load(extent)
        try await content.memory.load(content.header.reserved)
        guard let plan = write.plan(message, in: content.memory.image) else {
            throw TagError(.tagResponseError, "the memory was not read")
        }
        let locked = plan.steps.map { $0.block * write.blockSize / Type1Reader.blockSize }.first(
            where: content.isLocked)
        if let locked { throw TagError(.tagNotWritable, "block \(locked) is locked") }
        let identifier = content.header.identifier
        try await plan.run(progress: progress) { step throws(TagError) in try await self.write(step, to: identifier) }
        if verifying && !plan.steps.isEmpty { try await check(message, plan) }
    }

    private func write(_ step: BlockWrite, to identifier: [UInt8]) async throws(TagError) {
        let place = UInt8(truncatingIfNeeded: step.block)
        let command: Type1Command =
            step.bytes.count == 1 ? .writeByte(place, step.bytes[0]) : .writeBlock(place, step.bytes)
        _ = try await link.send(command, to: identifier)
    }

    private func check(_ message: [UInt8], _ plan: TearSafeWrite<BlockWrite>) async throws(TagError) {
        let state = plan.state(afterFailureAt: plan.steps.count - 1, wasRefused: false)
        do throws(TagError) {
            let found = try await readNDEF()
            guard found.message ?? [] == message else {
                throw TagError(.tagUpdateFailure, "the message reads back otherwise")
            }
        } catch {
            throw error.duringWrite(leaving: state)
        }
    }

    /// - Throws: ``TagError`` 1 where there is no NDEF.
    private func formatted() async throws(TagError) -> Type1Content {
        let header = try await connect()
        guard header.isNDEF else { throw TagError(.unsupportedFeature, "the header ROM says that there is no NDEF") }
        let content = try await load(header)
        if let fault = content.container.fault { throw TagError(.unsupportedFeature, fault) }
        return content
    }
}

extension Type1Tag {
    /// Writes capability container and TLVs of a Topaz or Topaz 512 whose container is blank; its first byte last.
    ///
    /// - Throws: ``TagError`` 1 for other products, and where something else than NDEF is there.
    public func formatNDEF() async throws(TagError) {
        let header = try await connect()
        let content = try await load(header)
        if header.isNDEF, content.container.fault == nil { return }
        guard let product = header.product else {
            throw TagError(.unsupportedFeature, "the product with header \(header.hr0) \(header.hr1) is not known")
        }
        guard content.container.isBlank else {
            throw TagError(.unsupportedFeature, "the capability container holds something else")
        }
        let bytes = product.formatted
        let size = header.blockSize
        for start in stride(from: 0, to: bytes.count, by: size).reversed() {
            let block = (Type1CapabilityContainer.offset + start) / size
            try await update { () throws(TagError) in
                try await self.write(
                    BlockWrite(block: block, bytes: Array(bytes[start..<start + size])), to: header.identifier)
            }
        }
    }

    /// Sets byte 11 to 0F and all lock bits of a Topaz or Topaz 512: irreversible. The lock bytes of some tags cannot
    /// be written; then the message is marked as read-only, and the error says that this is all.
    ///
    /// - Throws: ``TagError`` 1 for other products, 400 where the tag is read-only already, 401 where not everything
    ///   was set.
    public func makeReadOnly() async throws(TagError) {
        let content = try await formatted()
        let header = content.header
        guard let product = header.product else {
            throw TagError(.unsupportedFeature, "the lock bytes of this product are not known")
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

    /// What the tag says it stored; nothing where it is silent.
    private func answer(to command: Type1Command, _ header: Type1Header) async throws(TagError) -> [UInt8] {
        do throws(TagError) {
            return try await link.send(command, to: header.identifier)
        } catch {
            guard error.code == .tagResponseError else { throw error }
            return []
        }
    }

    /// A refusal outside of a message is 401.
    private func update(_ body: () async throws(TagError) -> Void) async throws(TagError) {
        do throws(TagError) {
            try await body()
        } catch {
            guard error.code == .tagResponseError else { throw error }
            throw TagError(.tagUpdateFailure, error.detail, response: error.response, statusWord: error.statusWord)
        }
    }
}

extension Type1Command {
    /// Whether the bits that were to be set are in what the tag says it stored.
    fileprivate func isDone(_ stored: [UInt8]) -> Bool {
        switch self {
        case .setBits(_, let byte): stored.allSatisfy { $0 & byte == byte }
        case .setBlockBits(_, let bytes): zip(stored, bytes).allSatisfy { $0 & $1 == $1 }
        default: true
        }
    }
}
