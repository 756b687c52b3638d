import ISO7816

extension MIFAREClassicSectors {
    /// What the card is.
    func describe() async throws(TagError) -> TagDescription {
        let size = card.size
        var fields = [
            ProofStrength.brokenCipher.field, .init("Sectors", "\(size.sectorCount)"),
            .init("Blocks", "\(size.blockCount) of 16 bytes"),
        ]
        var lockState = LockState.unknown
        switch try await access() {
        case .none(let reason): fields.append(.init("NDEF", reason))
        case .found(let sectors, let state):
            fields.append(.init("NDEF sectors", Set(sectors).inWords))
            lockState = state
        }
        return TagDescription(
            product: size.productName, manufacturer: "NXP",
            memorySize: size.blockCount * MIFAREClassicSize.blockSize,
            blockSize: MIFAREClassicSize.blockSize, lockState: lockState, fields: fields)
    }

    private enum Access {
        case none(String)
        case found([Int], LockState)
    }

    /// As the first sector with NDEF has it, which is locked last.
    private func access() async throws(TagError) -> Access {
        let names = try await ndefSectors()
        let layout = try await layout(of: names)
        guard layout.fault == nil, case .found(let found) = names else { return .none(layout.fault ?? "no NDEF") }
        if layout.status == .readOnly { return .found(found, .locked) }
        return .found(found, layout.warnings.contains(.writeNeedsPermission) ? .passwordProtected : .unlocked)
    }
}

extension MIFAREClassicSectors {
    /// Every sector that opens with a public key A.
    func dump(progress: TagProgress?) async throws(TagError) -> TagDump {
        var progress = DumpProgress(progress, total: card.size.blockCount)
        var sectors: [MIFAREClassicSectorDump] = []
        var lastKey: MIFAREClassicKey?
        for sector in 0..<card.size.sectorCount {
            var content = MIFAREClassicSectorDump(sector: sector)
            if await card.canGoOn, let key = try await openingKey(of: sector, likely: lastKey) {
                if !isDirectory(sector) { lastKey = key }
                try await read(&content, key)
            }
            sectors.append(content)
            progress.reach(content.blocks.upperBound)
        }
        let ndef = MIFAREClassicSectorDump.ndefSectors(sectors)
        return TagDump(
            layout: .mifareClassic, product: card.size.productName, blockSize: MIFAREClassicSize.blockSize,
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

    /// Whole blocks from one on, nil if the card refuses although its access bits allow it.
    private func readable(_ block: Int, _ count: Int) async throws(TagError) -> [UInt8]? {
        do throws(TagError) {
            return try await card.read(block: block, count: count)
        } catch {
            guard error.code == .tagResponseError else { throw error }
            return nil
        }
    }
}

/// What could be read of one sector.
struct MIFAREClassicSectorDump: Sendable {
    let sector: Int
    /// The key A that opened it, nil if none did.
    var keyA: MIFAREClassicKey?
    /// The blocks that were read; of the trailer, what the card shows.
    var bytes: [Int: [UInt8]] = [:]

    init(sector: Int) { self.sector = sector }

    var blocks: Range<Int> { MIFAREClassicSize.blocks(ofSector: sector) }
    var trailer: Int { blocks.upperBound - 1 }

    /// The blocks of the dump, if these sectors belong to NDEF.
    func dump(ndef sectors: Set<Int>) -> [TagBlock] {
        blocks.map { block in
            block == trailer
                ? trailerBlock
                : TagBlock(
                    number: block, bytes: bytes[block], meaning: meaning(of: block, isNDEF: sectors.contains(sector)))
        }
    }

    private func meaning(of block: Int, isNDEF: Bool) -> String? {
        switch block {
        case 0: "manufacturer"
        case 1, 2, 64, 65, 66: keyA == .directory ? "application directory" : isNDEF ? "NDEF" : nil
        default: isNDEF ? "NDEF" : nil
        }
    }

    /// The trailer with the key A that is known to be right, as the card shows zeros there.
    private var trailerBlock: TagBlock {
        guard let keyA, let shown = bytes[trailer], let content = MIFAREClassicTrailer(shown) else {
            return TagBlock(number: trailer, bytes: nil, meaning: "trailer")
        }
        let whole = keyA.bytes + shown.dropFirst(keyA.bytes.count)
        let parts = [
            "key A \(Hexadecimal.string(keyA.bytes))",
            content.isKeyBShown ? "key B can be read" : "key B is hidden",
            content.access.map(\.summary) ?? "access bits that contradict themselves",
        ]
        return TagBlock(number: trailer, bytes: Array(whole), meaning: "trailer: " + parts.joined(separator: ", "))
    }
}

extension MIFAREClassicTrailer {
    /// Whether key A may read key B, which is not a key then.
    fileprivate var isKeyBShown: Bool { access?.trailer.readKeyB.allows(.a) == true }
}

extension MIFAREClassicSectorDump {
    /// The sectors that the directories on the card give to NDEF.
    static func ndefSectors(_ sectors: [MIFAREClassicSectorDump]) -> Set<Int> {
        guard let first = sectors.first, let trailer = first.bytes[first.trailer].flatMap({ MIFAREClassicTrailer($0) })
        else { return [] }
        let byte = MIFAREDirectoryByte(rawValue: trailer.generalPurpose)
        guard byte.hasDirectory, [1, 2].contains(byte.version) else { return [] }
        let second = byte.version == 2 ? sectors.dropFirst(MIFAREClassicSectors.secondDirectory).first : nil
        let entries = first.directory(1..<3).map { $0 + 1 }
        let more = (second?.directory(64..<67) ?? []).map { $0 + MIFAREClassicSectors.secondDirectory + 1 }
        return Set(entries + more)
    }

    /// The NDEF entries of the directory in these blocks; none where it is not whole.
    private func directory(_ blocks: Range<Int>) -> [Int] {
        MIFAREApplicationDirectory(blocks.flatMap { bytes[$0] ?? [] })?.ndefEntries ?? []
    }
}
