import ISO7816

extension MIFAREClassicNDEFTag {
    /// Every sector that opens with a public key A: that of the directory, that of NDEF, or that of a card as delivered.
    /// Each is tried once a sector; without a way to get the card back, the first refusal ends the dump.
    ///
    /// - Throws: ``TagError`` 100 when the card leaves or another one comes back, 102 when the reader takes no key.
    public func dump(progress: TagProgress?) async throws(TagError) -> TagDump {
        var progress = DumpProgress(progress, total: card.size.blockCount)
        var sectors: [MIFAREClassicSectorDump] = []
        var lastKey: MIFAREClassicKey?
        for sector in 0..<card.size.sectorCount {
            var content = MIFAREClassicSectorDump(sector: sector)
            if try await card.canGoOn, let key = try await openingKey(of: sector, likely: lastKey) {
                if !isDirectory(sector) { lastKey = key }
                try await read(&content, key)
            }
            sectors.append(content)
            progress.reach(content.blocks.upperBound)
        }
        let ndef = MIFAREClassicSectorDump.ndefSectors(sectors)
        return TagDump(
            layout: .mifareClassic, productName: card.size.productName, blockSize: MIFAREClassicSize.blockSize,
            sections: [.init(blocks: sectors.flatMap { $0.dump(ndef: ndef) })])
    }

    /// The key that opens a sector, the likeliest tried first.
    private func openingKey(
        of sector: Int, likely: MIFAREClassicKey?
    ) async throws(TagError) -> MIFAREClassicKey? {
        let usual: [MIFAREClassicKey] =
            isDirectory(sector) ? [.directory, .transport, .ndef] : [.ndef, .transport, .directory]
        let first = isDirectory(sector) ? nil : likely
        for key in (first.map { [$0] } ?? []) + usual.filter({ $0 != first }) {
            guard await card.canGoOn else { return nil }
            if try await card.opens(sector: sector, key: key, type: .a) { return key }
        }
        return nil
    }

    /// The trailer, then those blocks that its access bits let key A read.
    private func read(_ content: inout MIFAREClassicSectorDump, _ key: MIFAREClassicKey) async throws(TagError) {
        content.keyA = key
        guard let trailer = try await readable(content.trailer, 1) else { return }
        content.bytes[content.trailer] = trailer
        guard let access = MIFAREClassicTrailer(trailer)?.access else { return }
        var block = content.blocks.lowerBound
        while block < content.trailer {
            let next = block
            guard access.data(MIFAREClassicSize.accessGroup(ofBlock: next))?.read.allows(.a) == true else {
                block += 1
                continue
            }
            let run = (next..<content.trailer).prefix {
                access.data(MIFAREClassicSize.accessGroup(ofBlock: $0))?.read.allows(.a) == true
            }
            guard let found = try await readable(next, run.count) else { return }
            for part in found.groups(of: MIFAREClassicSize.blockSize) {
                content.bytes[block] = part
                block += 1
            }
        }
    }

    /// Whole blocks from one on, nil where the card refuses against what its access bits say.
    private func readable(_ block: Int, _ count: Int) async throws(TagError) -> [UInt8]? {
        do throws(TagError) {
            return try await card.read(block: block, count: count)
        } catch {
            guard error.code == .tagResponseError else { throw error }
            return nil
        }
    }
}

extension MIFAREClassic {
    /// Whether the card answers, or can be got back.
    var canGoOn: Bool { !isHalted || canReconnect }
}
