/// NDEF on a MIFARE Classic card: the sectors that its application directory gives to E103, read as one TLV area
/// (NXP AN1304 and AN1305).
///
/// Only public keys are used, and the keys B that are given. Directory and trailers are read once for a connection.
public actor MIFAREClassicNDEFTag: NDEFTag {
    let card: MIFAREClassic
    let keys: MIFAREClassicNDEFKeys
    var sectors: NDEFSectors?
    var trailers: [Int: MIFAREClassicTrailer] = [:]

    /// What the directory says.
    enum NDEFSectors: Sendable, Hashable {
        /// The sectors with NDEF, in order, at least one.
        case found([Int])
        /// Why there are none.
        case none(String)
    }

    /// A card of this size behind a channel.
    ///
    /// - Parameters:
    ///   - reader: what the reader does differently.
    ///   - reconnection: how to get the card back after a wrong key; without, the first wrong key is the last.
    ///   - keys: the keys B to try where a sector can only be written with one.
    public init(
        channel: some CardChannel, size: MIFAREClassicSize, reader: MIFAREClassicReader = MIFAREClassicReader(),
        reconnection: CardReconnection? = nil, keys: MIFAREClassicNDEFKeys = MIFAREClassicNDEFKeys()
    ) {
        card = MIFAREClassic(channel: channel, size: size, reader: reader, reconnection: reconnection)
        self.keys = keys
    }

    /// Status, capacity and message; ``TagError`` 102 where the card refuses what its directory promises.
    public func readNDEF() async throws(TagError) -> NDEFReadResult {
        try await state().result()
    }

    /// Status and capacity, without the message.
    public func queryStatus() async throws(TagError) -> NDEFStatusResult {
        NDEFStatusResult(try await state(wantsMessage: false).result())
    }

    /// What reading came to, with what writing needs besides.
    struct State: Sendable {
        var memory: LazyMemory
        var scan: TLVScan
        /// Why there is no NDEF, before any TLV was looked at.
        var reason: String?
        var status = NDEFStatus.readWrite
        var warnings: [NDEFReadWarning] = []

        func result() throws(TagError) -> NDEFReadResult {
            if let reason { return .notSupported(reason) }
            return try scan.result(status: status, warnings: warnings)
        }
    }

    /// Reads directory, first trailer and TLVs up to the end of the message, or only to its place.
    func state(wantsMessage: Bool = true) async throws(TagError) -> State {
        switch try await ndefSectors() {
        case .none(let reason): return State(memory: memory(), scan: scan(of: [], wantsMessage), reason: reason)
        case .found(let sectors):
            var state = try await opened(sectors, wantsMessage)
            if state.reason == nil { try await state.scan.run(over: &state.memory) }
            return state
        }
    }

    /// What the first sector with NDEF says about access.
    func opened(_ sectors: [Int], _ wantsMessage: Bool = true) async throws(TagError) -> State {
        var state = State(memory: memory(), scan: scan(of: sectors, wantsMessage))
        guard let first = sectors.first else { return state }
        guard try await card.isOpen(first, or: .ndef) else {
            state.reason = "sector \(first) is for NDEF, but does not open with the public key"
            return state
        }
        try await judge(first, &state)
        return state
    }

    private func memory() -> LazyMemory {
        LazyMemory(
            reader: MIFAREClassicBlockReader(card: card), pageSize: MIFAREClassicSize.blockSize,
            pageCount: card.size.blockCount)
    }

    /// The data blocks of these sectors, trailers and all other sectors being holes.
    private func scan(of sectors: [Int], _ wantsMessage: Bool) -> TLVScan {
        let pieces = sectors.map { MIFAREClassicSize.blocks(ofSector: $0).dropLast() }
        let start = pieces.first?.lowerBound ?? 0
        let size = MIFAREClassicSize.blockSize
        var area = TLVArea(bounds: start * size..<(pieces.last?.upperBound ?? start) * size)
        for (piece, next) in zip(pieces, pieces.dropFirst()) {
            area.skip(piece.upperBound * size..<next.lowerBound * size)
        }
        return TLVScan(area: area, wantsMessage: wantsMessage)
    }

    /// What the first trailer says about access.
    private func judge(_ sector: Int, _ state: inout State) async throws(TagError) {
        let trailer = try await trailer(of: sector)
        let byte = MIFARENDEFByte(rawValue: trailer.generalPurpose)
        guard let access = trailer.access, byte.majorVersion == 1, byte.isReadable else {
            state.reason = "the trailer of sector \(sector) grants no access to NDEF of version 1"
            return
        }
        let permission = (0..<3).compactMap { access.data($0)?.write }
        if !byte.isWritable || permission.contains(.never) {
            state.status = .readOnly
        } else if permission.contains(.b) {
            state.warnings.append(.writeNeedsPermission)
        }
    }
}

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

/// Reads blocks of NFC sectors, which it opens with the public key.
struct MIFAREClassicBlockReader: BlockReader {
    let card: MIFAREClassic

    func read(from page: Int, count: Int) async throws(TagError) -> [UInt8] {
        let sector = MIFAREClassicSize.sector(ofBlock: page)
        guard try await card.isOpen(sector, or: .ndef) else {
            throw TagError(
                .tagResponseError, "sector \(sector) is for NDEF, but does not open with the public key")
        }
        return try await card.read(block: page, count: count)
    }
}

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
