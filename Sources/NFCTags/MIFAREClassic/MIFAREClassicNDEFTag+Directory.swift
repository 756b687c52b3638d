extension MIFAREClassicNDEFTag {
    /// The sectors with NDEF, read once.
    func ndefSectors() async throws(TagError) -> NDEFSectors {
        if let sectors { return sectors }
        let found = try await readDirectory()
        sectors = found
        return found
    }

    private func readDirectory() async throws(TagError) -> NDEFSectors {
        guard try await card.isOpen(0, or: .directory) else {
            return .none("sector 0 does not open with the public key of the application directory")
        }
        let byte = MIFAREDirectoryByte(rawValue: try await trailer(of: 0).generalPurpose)
        guard byte.hasDirectory, [1, 2].contains(byte.version) else {
            return .none("sector 0 has no application directory of version 1 or 2")
        }
        guard let first = MIFAREApplicationDirectory(try await blocks(1..<3)) else {
            return .none("the checksum of the application directory is wrong")
        }
        var sectors = first.ndefEntries.map { $0 + 1 }
        if byte.version == 2, card.size.sectorCount > Self.secondDirectory {
            guard try await card.isOpen(Self.secondDirectory, or: .directory) else {
                return .none("sector 16 does not open with the public key of the application directory")
            }
            guard let second = MIFAREApplicationDirectory(try await blocks(64..<67)) else {
                return .none("the checksum of the second application directory is wrong")
            }
            sectors += second.ndefEntries.map { $0 + Self.secondDirectory + 1 }
        }
        sectors.removeAll { $0 >= card.size.sectorCount }
        return sectors.isEmpty ? .none("the application directory names no sector for NDEF") : .found(sectors)
    }

    /// The sector of MAD2.
    static let secondDirectory = 16

    /// Whether a sector holds a directory and not data.
    func isDirectory(_ sector: Int) -> Bool { sector == 0 || sector == Self.secondDirectory }

    /// Blocks of the open sector, in as many exchanges as it takes.
    func blocks(_ range: Range<Int>) async throws(TagError) -> [UInt8] {
        var bytes: [UInt8] = []
        var next = range.lowerBound
        while next < range.upperBound {
            let part = try await card.read(block: next, count: range.upperBound - next)
            bytes += part
            next += part.count / MIFAREClassicSize.blockSize
        }
        return bytes
    }

    /// The trailer of the open sector, read once.
    func trailer(of sector: Int) async throws(TagError) -> MIFAREClassicTrailer {
        if let known = trailers[sector] { return known }
        let block = try await card.read(block: MIFAREClassicSize.trailer(ofSector: sector))
        guard let trailer = MIFAREClassicTrailer(block) else {
            throw TagError(.tagResponseError, "the trailer of sector \(sector) has \(block.count) bytes")
        }
        trailers[sector] = trailer
        return trailer
    }
}
