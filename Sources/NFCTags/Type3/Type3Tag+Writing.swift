extension Type3Tag {
    /// Puts a message in place of the one that is there: WriteFlag 0F, data in commands of Nbw blocks, then WriteFlag
    /// 00 with the new Ln (NFC Forum Type 3 Tag, write procedure). Blocks that hold the right bytes already are not
    /// written, and WriteFlag is not set where there is no message to take away.
    ///
    /// - Throws: ``TagError`` as ``NDEFTag/writeNDEF(_:verifying:progress:)`` says. 400 also where a FeliCa Lite has blocks
    ///   locked or wants a key for them.
    public func writeNDEF(_ message: [UInt8], verifying: Bool, progress: TagProgress?) async throws(TagError) {
        let (system, header, attribute) = try await formatted()
        guard header.isWritable(attribute) else { throw TagError(.tagNotWritable, "\(system.name) is read-only") }
        guard message.count <= attribute.capacity else {
            throw TagError(.tagSizeTooSmall, "\(message.count) bytes, the tag takes \(attribute.capacity)")
        }
        let count = message.count.inBlocks
        guard header.isWritable(attribute, dataBlocks: count) else {
            throw TagError(.tagNotWritable, "not all \(count + 1) blocks can be written without a key")
        }
        let current = try await readData(count: count, attribute, of: system)
        var write = Type3Write(
            message: message, current: current, attribute: attribute,
            blocksPerCommand: max(1, min(attribute.writeBlocks, channel.writeLimit)))
        if verifying { write.addCheck() }
        try await perform(write, of: system, verifying: verifying, progress)
    }

    private func perform(
        _ write: Type3Write, of system: System, verifying: Bool, _ progress: TagProgress?
    ) async throws(TagError) {
        try await write.steps.run(progress: progress) { step throws(TagError) in
            switch step {
            case .write(let blocks, let data): try await self.write(data, to: blocks, of: system)
            case .check(let data): try await self.check(data, write.attribute, of: system)
            }
        }
        guard verifying, !write.steps.steps.isEmpty else { return }
        do throws(TagError) {
            try await checkAttribute(write.finalAttribute, of: system)
        } catch {
            let last = write.steps.steps.count - 1
            throw error.duringWrite(leaving: write.steps.state(afterFailureAt: last, wasRefused: false))
        }
    }

    private func check(_ data: [UInt8], _ attribute: AttributeInformation, of system: System) async throws(TagError) {
        let found = try await readData(count: data.count.inBlocks, attribute, of: system)
        guard found == data else { throw TagError(.tagUpdateFailure, "the data reads back otherwise") }
    }

    func checkAttribute(_ attribute: AttributeInformation, of system: System) async throws(TagError) {
        let found = try await read([0], of: system)
        guard found == attribute.bytes else {
            throw TagError(.tagUpdateFailure, "the attribute block reads back otherwise", response: found)
        }
    }

    /// One command; never repeated.
    func write(_ data: [UInt8], to blocks: [UInt16], of system: System) async throws(TagError) {
        let status = try await felica.write(system.identifier, blocks: blocks, data: data)
        guard status.isSuccess else {
            throw TagError(
                .tagResponseError, "writing from block \(blocks.first ?? 0) refused: \(status)",
                response: [status.flag1, status.flag2])
        }
    }

    /// The attribute block of a tag with NDEF.
    ///
    /// - Throws: ``TagError`` 1 where there is none.
    func formatted() async throws(TagError) -> (System, Type3Header, AttributeInformation) {
        let system = try await connect()
        guard system.isNDEF else { throw TagError(.unsupportedFeature, "\(system.name) has no NDEF system 12FC") }
        let header = try await readHeader(of: system)
        switch header.attribute {
        case .success(let attribute): return (system, header, attribute)
        case .failure(let fault): throw TagError(.unsupportedFeature, "\(fault)")
        }
    }
}
