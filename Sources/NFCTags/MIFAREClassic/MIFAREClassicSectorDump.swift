import ISO7816

/// What could be read of one sector.
struct MIFAREClassicSectorDump: Sendable {
    let sector: Int
    /// The key A that opened it, nil where none did.
    var keyA: MIFAREClassicKey?
    /// The blocks that were read; of the trailer, what the card shows.
    var bytes: [Int: [UInt8]] = [:]

    init(sector: Int) { self.sector = sector }

    var blocks: Range<Int> { MIFAREClassicSize.blocks(ofSector: sector) }
    var trailer: Int { blocks.upperBound - 1 }

    /// The blocks as they are shown, where these sectors belong to NDEF.
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
    /// Whether key A may read key B, which is no key then.
    fileprivate var isKeyBShown: Bool { access?.trailer.readKeyB.allows(.a) == true }
}

extension MIFAREClassicSectorDump {
    /// The sectors that the directories on the card give to NDEF.
    static func ndefSectors(_ sectors: [MIFAREClassicSectorDump]) -> Set<Int> {
        guard let first = sectors.first, let trailer = first.bytes[first.trailer].flatMap({ MIFAREClassicTrailer($0) })
        else { return [] }
        let byte = MIFAREDirectoryByte(rawValue: trailer.generalPurpose)
        guard byte.hasDirectory, [1, 2].contains(byte.version) else { return [] }
        let second = byte.version == 2 ? sectors.dropFirst(MIFAREClassicNDEFTag.secondDirectory).first : nil
        let entries = first.directory(1..<3).map { $0 + 1 }
        let more = (second?.directory(64..<67) ?? []).map { $0 + MIFAREClassicNDEFTag.secondDirectory + 1 }
        return Set(entries + more)
    }

    /// The NDEF entries of the directory in these blocks; none where it is not whole.
    private func directory(_ blocks: Range<Int>) -> [Int] {
        MIFAREApplicationDirectory(blocks.flatMap { bytes[$0] ?? [] })?.ndefEntries ?? []
    }
}
