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
