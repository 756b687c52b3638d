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
