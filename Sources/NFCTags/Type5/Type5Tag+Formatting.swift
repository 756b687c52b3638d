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

    /// Sets the container to read-only, locks the blocks of the message and then those of the container. It cannot be
    /// undone.
    ///
    /// - Throws: ``TagError`` 1 unless the container or the chip is known to have LOCK BLOCK; 400 where the tag is read-only.
    public func makeReadOnly() async throws(TagError) {
        let state = try await state()
        let result = try state.result()
        guard result.status != .notSupported, let tlv = state.scan.message else {
            throw TagError(.unsupportedFeature, result.reason ?? "no NDEF")
        }
        guard result.status == .readWrite else { throw TagError(.tagNotWritable, "the tag is read-only already") }
        let size = state.memory.image.pageSize
        guard transport.canLock, state.container.canLock || geometry?.isICODE == true else {
            throw TagError(.unsupportedFeature, "it is not known whether this tag, behind this reader, can lock blocks")
        }
        needsOption = needsOption || state.container.wantsOption
        let containerEnd = (state.container.bytes.count + size - 1) / size
        let end = ((tlv.pieces.last?.upperBound ?? tlv.offset + 2) + size - 1) / size
        let first = state.container.readOnly + state.memory.bytes(state.container.bytes.count..<containerEnd * size)
        do throws(TagError) {
            try await put(BlockWrite(block: 0, bytes: Array(first.prefix(size))))
            for block in Array(containerEnd..<max(end, containerEnd)) + (0..<containerEnd) {
                try await lock(block: block)
            }
        } catch {
            throw error.duringWrite("locking broke off")
        }
    }
}

extension TagError {
    /// The same error, as it happened while something other than a message was written.
    func duringWrite(_ what: String) -> TagError {
        let code = self.code == .tagResponseError ? .tagUpdateFailure : self.code
        return TagError(code, "\(what): \(detail)", response: response, statusWord: statusWord)
    }
}
