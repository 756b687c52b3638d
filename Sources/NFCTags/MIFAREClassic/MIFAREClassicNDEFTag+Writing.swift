extension MIFAREClassicNDEFTag {
    /// Puts a message in place of the one that is there, with key A, or a key B where the access bits ask for it.
    ///
    /// - Throws: ``TagError`` as ``NDEFTag/writeNDEF(_:verifying:progress:)`` says; 400 also where no key at hand may write a block.
    public func writeNDEF(_ message: [UInt8], verifying: Bool, progress: TagProgress?) async throws(TagError) {
        var state = try await state()
        let status = try state.result().status
        guard status != .notSupported, let tlv = state.scan.message else {
            throw TagError(.unsupportedFeature, try state.result().reason ?? "no NDEF")
        }
        guard status == .readWrite else { throw TagError(.tagNotWritable, "the card's trailers make it read-only") }
        let write = TLVMessageWrite(
            area: state.scan.area, typeAt: tlv.offset, blockSize: MIFAREClassicSize.blockSize)
        guard let extent = write.extent(messageLength: message.count) else {
            throw TagError(.tagSizeTooSmall, "the message has \(message.count) bytes, \(write.capacity) fit")
        }
        let image = try await load(extent, &state)
        guard let steps = write.plan(message, in: image) else {
            throw TagError(.tagResponseError, "the blocks to write were not read")
        }
        let openings = try await openings(for: Set(steps.steps.map(\.block)))
        try await steps.run(progress: progress) { (step: BlockWrite) async throws(TagError) in
            try await put(step, openings[MIFAREClassicSize.sector(ofBlock: step.block)], verifying: verifying)
        }
    }

    /// The image with all data blocks of an extent, and with the trailers of its sectors read along the way; holes are
    /// zeros, they are never written.
    private func load(_ extent: Range<Int>, _ state: inout State) async throws(TagError) -> MemoryImage {
        let size = MIFAREClassicSize.blockSize
        let data = state.scan.area.data(from: extent.lowerBound).map { $0.clamped(to: extent) }.filter { !$0.isEmpty }
        for piece in data {
            let sectors = MIFAREClassicSize.sector(ofBlock: piece.lowerBound / size)
            try await state.memory.load(piece)
            if trailers[sectors] == nil, try await card.isOpen(sectors, or: .ndef) {
                _ = try await trailer(of: sectors)
            }
        }
        var image = state.memory.image
        for block in extent.lowerBound / size..<extent.upperBound / size
        where !data.contains(where: { $0.contains(block * size) }) {
            image.store([UInt8](repeating: 0, count: size), at: block)
        }
        return image
    }

    /// What opens a sector.
    struct Opening: Sendable, Hashable {
        let key: MIFAREClassicKey
        let type: MIFAREClassicKeyType
    }

    /// What opens the sectors of these blocks for writing.
    ///
    /// - Throws: ``TagError`` 400 where a block cannot be written with any key at hand.
    private func openings(for blocks: Set<Int>) async throws(TagError) -> [Int: Opening] {
        var openings: [Int: Opening] = [:]
        for sector in Set(blocks.map(MIFAREClassicSize.sector(ofBlock:))).sorted() {
            let inSector = blocks.filter { MIFAREClassicSize.sector(ofBlock: $0) == sector }
            openings[sector] = try await opening(sector, blocks: inSector)
        }
        return openings
    }

    private func opening(_ sector: Int, blocks: Set<Int>) async throws(TagError) -> Opening {
        let access = trailers[sector]?.access
        let permissions = blocks.map { access?.data(MIFAREClassicSize.accessGroup(ofBlock: $0))?.write ?? .never }
        if permissions.allSatisfy({ $0.allows(.a) }) { return Opening(key: .ndef, type: .a) }
        guard permissions.allSatisfy({ $0.allows(.b) }), let key = try await keyB(of: sector) else {
            throw TagError(.tagNotWritable, "sector \(sector) cannot be written with the keys at hand")
        }
        return Opening(key: key, type: .b)
    }

    /// The first of the given keys B that opens a sector. Without a way to reconnect, only one can be tried.
    func keyB(of sector: Int) async throws(TagError) -> MIFAREClassicKey? {
        for key in card.canReconnect ? keys.keysB : Array(keys.keysB.prefix(1)) {
            if try await card.opens(sector: sector, key: key, type: .b) { return key }
        }
        return nil
    }

    /// Writes one block and, where asked for, reads it back.
    func put(_ step: BlockWrite, _ opening: Opening?, verifying: Bool) async throws(TagError) {
        let sector = MIFAREClassicSize.sector(ofBlock: step.block)
        guard let opening else { throw TagError(.tagNotWritable, "sector \(sector) was not looked at") }
        try await card.authenticate(sector: sector, key: opening.key, type: opening.type)
        try await card.write(block: step.block, step.bytes)
        if verifying { try await verify(step) }
    }

    /// A refusal here must not look like one of the write, so it goes without its status word.
    private func verify(_ step: BlockWrite) async throws(TagError) {
        let found: [UInt8]
        do throws(TagError) {
            found = try await card.read(block: step.block)
        } catch {
            throw TagError(error.code, "reading back: \(error.detail)", response: error.response)
        }
        guard found == step.bytes else {
            throw TagError(.tagUpdateFailure, "block \(step.block) reads back differently", response: found)
        }
    }
}

extension MIFAREClassic {
    /// Whether a wrong key can be followed by another one.
    nonisolated var canReconnect: Bool { reconnection != nil }
}
