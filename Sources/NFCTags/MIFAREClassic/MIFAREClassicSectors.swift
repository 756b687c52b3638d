/// The sectors of a MIFARE Classic card as an NDEF driver uses them (NXP AN10787): opened with public keys and the keys B that
/// are given. Directory and trailers are read once for a connection.
final class MIFAREClassicSectors {
    /// The sectors that the application directory assigns to NDEF.
    enum NDEFSectors: Sendable, Hashable {
        /// The sectors with NDEF, in order, at least one.
        case found([Int])
        /// Why there are none.
        case none(String)
    }

    /// The key that opens a sector.
    struct Opening: Sendable, Hashable {
        let key: MIFAREClassicKey
        let type: MIFAREClassicKeyType
    }

    /// Why there is no directory on a card whose first sector has another key.
    static let closedDirectory = "sector 0 does not open with the public key of the application directory"
    /// The sector of MAD2.
    static let secondDirectory = 16

    let card: MIFAREClassic
    private let keys: MIFAREClassicNDEFKeys
    private var directory: NDEFSectors?
    private var trailers: [Int: MIFAREClassicTrailer] = [:]

    init(card: MIFAREClassic, keys: MIFAREClassicNDEFKeys) {
        self.card = card
        self.keys = keys
    }

    /// Whether a sector holds a directory and not data.
    func isDirectory(_ sector: Int) -> Bool { sector == 0 || sector == Self.secondDirectory }

    /// Whether the directory has been read and names sectors.
    var isDirectoryKnown: Bool {
        if case .found? = directory { return true }
        return false
    }

    /// Marks the directory as changed, so that it is read again.
    func forgetDirectory() { directory = nil }

    /// The sectors with NDEF, read once.
    func ndefSectors() async throws(TagError) -> NDEFSectors {
        if let directory { return directory }
        let found = try await readDirectory()
        directory = found
        return found
    }

    private func readDirectory() async throws(TagError) -> NDEFSectors {
        guard try await card.isOpen(0, or: .directory) else {
            return .none(Self.closedDirectory)
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

    /// Blocks of the open sector, in as many exchanges as needed.
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
    @discardableResult
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

extension MIFAREClassicSectors {
    /// Returns the key that opens a sector to write these blocks.
    ///
    /// - Throws: ``TagError`` 400 if no known key may write them all.
    func opening(_ sector: Int, toWrite blocks: [Int]) async throws(TagError) -> Opening {
        let access = trailers[sector]?.access
        let permissions = blocks.map { access?.data(MIFAREClassicSize.accessGroup(ofBlock: $0))?.write ?? .never }
        if permissions.allSatisfy({ $0.allows(.a) }) { return Opening(key: .ndef, type: .a) }
        guard permissions.allSatisfy({ $0.allows(.b) }), let key = try await keyB(of: sector) else {
            throw TagError(.tagNotWritable, "sector \(sector) cannot be written with the known keys; give its key B")
        }
        return Opening(key: key, type: .b)
    }

    /// Returns the first of the given keys B that opens a sector. Only one is tried if the card cannot be reconnected.
    func keyB(of sector: Int) async throws(TagError) -> MIFAREClassicKey? {
        for key in card.canReconnect ? keys.keysB : Array(keys.keysB.prefix(1)) {
            if try await card.opens(sector: sector, key: key, type: .b) { return key }
        }
        return nil
    }

    /// Opens the sector of a block and writes it.
    func write(_ write: BlockWrite, _ opening: Opening) async throws(TagError) {
        let sector = MIFAREClassicSize.sector(ofBlock: write.block)
        try await card.authenticate(sector: sector, key: opening.key, type: opening.type)
        try await card.write(block: write.block, write.bytes)
    }

    /// Writes a trailer. The sector has to be opened again afterwards.
    func write(_ trailer: TrailerWrite) async throws(TagError) {
        let (sector, opening) = (trailer.sector, trailer.opening)
        trailers[sector] = nil
        try await card.authenticate(sector: sector, key: opening.key, type: opening.type)
        try await card.write(
            block: MIFAREClassicSize.trailer(ofSector: sector), trailer.bytes, allowing: .trailers)
        await card.closeSector()
    }
}

/// A trailer to be written, with both keys in it.
struct TrailerWrite: Sendable, Hashable {
    let sector: Int
    let opening: MIFAREClassicSectors.Opening
    let bytes: [UInt8]
}

/// The blocks of the sectors with NDEF, which are opened with the public key. All others read as zeros: they are not part of
/// the data area and never written.
struct MIFAREClassicBlocks: BlockMemory {
    private let sectors: MIFAREClassicSectors
    private let ndef: Set<Int>
    /// Whether the trailers of the sectors are read as well, which a write needs.
    private let needsTrailers: Bool
    private var openings: [Int: MIFAREClassicSectors.Opening] = [:]

    init(_ sectors: MIFAREClassicSectors, ndef: [Int], needsTrailers: Bool) {
        self.sectors = sectors
        self.ndef = Set(ndef)
        self.needsTrailers = needsTrailers
    }

    var writeSize: Int { MIFAREClassicSize.blockSize }
    /// The sector would have to be opened again later.
    var verification: WriteVerification { .eachBlock }

    /// The directory's sectors are on the card; their trailers are holes.
    func messageEnd(declared: Int, needed: Int?) -> Int { declared }

    func read(from page: Int, count: Int) async throws(TagError) -> [UInt8] {
        let sector = MIFAREClassicSize.sector(ofBlock: page)
        guard ndef.contains(sector), page != MIFAREClassicSize.trailer(ofSector: sector) else {
            return [UInt8](repeating: 0, count: MIFAREClassicSize.blockSize)
        }
        guard try await sectors.card.isOpen(sector, or: .ndef) else {
            throw TagError(.tagResponseError, "sector \(sector) is for NDEF, but does not open with the public key")
        }
        let bytes = try await sectors.card.read(block: page, count: count)
        if needsTrailers { try await sectors.trailer(of: sector) }
        return bytes
    }

    mutating func checkWritable(
        _ blocks: [Int], extent: Range<Int>?, image: MemoryImage
    ) async throws(TagError) {
        let written = Dictionary(grouping: Set(blocks), by: MIFAREClassicSize.sector(ofBlock:))
        for (sector, blocks) in written.sorted(by: { $0.key < $1.key }) {
            openings[sector] = try await sectors.opening(sector, toWrite: blocks)
        }
    }

    /// False: the access conditions of the sectors decide, and the layout follows them.
    func isLocked(_ blocks: [Int], image: MemoryImage) async throws(TagError) -> Bool { false }

    func write(_ write: BlockWrite) async throws(TagError) {
        let sector = MIFAREClassicSize.sector(ofBlock: write.block)
        guard let opening = openings[sector] else {
            throw TagError(.tagNotWritable, "sector \(sector) was not checked before it was written")
        }
        try await sectors.write(write, opening)
    }
}
