/// NDEF on a MIFARE Classic card: the sectors that its application directory assigns to E103, read as one TLV area
/// (NXP AN1304 and AN1305).
///
/// Only public keys are used, and the keys B that are given. Directory and trailers are read once for a connection.
public actor MIFAREClassicNDEFTag: NDEFTag {
    private let sectors: MIFAREClassicSectors

    /// A card of this size behind a channel.
    ///
    /// - Parameters:
    ///   - reader: how the reader differs from others.
    ///   - reconnection: how to reconnect to the card after a wrong key; without it, the first wrong key is the last.
    ///   - keys: the keys B to try where a sector can only be written with one.
    public init(
        channel: some CardChannel, size: MIFAREClassicSize, reader: MIFAREClassicReader = MIFAREClassicReader(),
        reconnection: CardReconnection? = nil, keys: MIFAREClassicNDEFKeys = MIFAREClassicNDEFKeys()
    ) {
        sectors = MIFAREClassicSectors(
            card: MIFAREClassic(channel: channel, size: size, reader: reader, reconnection: reconnection), keys: keys)
    }

    /// Status, capacity and message; ``TagError`` 102 if the card refuses what its directory declares.
    public func readNDEF() async throws(TagError) -> NDEFReadResult {
        var store = try await sectors.store()
        return try await store.read()
    }

    /// Status and capacity, without the message.
    public func queryStatus() async throws(TagError) -> NDEFStatusResult {
        var store = try await sectors.store()
        return try await store.status()
    }

    /// Replaces the message, with key A, or a key B where the access bits require it.
    ///
    /// - Throws: ``TagError`` as for ``NDEFTag/writeNDEF(_:verifying:overwriting:progress:)``; 400 also if no known key may write a
    ///   block.
    public func writeNDEF(
        _ message: [UInt8], verifying: Bool, overwriting: Bool, progress: TagProgress?
    ) async throws(TagError) {
        var store = try await sectors.store(forWriting: true)
        if let fault = store.fault, let content = try await sectors.content() {
            throw TagError(.unsupportedFeature, "\(fault); \(ForeignData.description(of: content))")
        }
        try await store.write(message, verifying: verifying, overwriting: overwriting, progress: progress)
    }

    /// Changes bytes inside a record, with key A, or a key B where the access bits require it; see
    /// ``NDEFTag/updateRecord(_:verifying:progress:)``.
    public func updateRecord(
        _ update: RecordUpdate, verifying: Bool, progress: TagProgress?
    ) async throws(TagError) {
        var store = try await sectors.store(forWriting: true)
        try await store.update(update, verifying: verifying, progress: progress)
    }

    /// Formats a card as delivered: all sectors open with the transport key, and all data blocks are zeros. Keys B are not changed.
    ///
    /// Everything is checked first. Then data and directory are written, at last the trailers, that of sector 0 at the very
    /// end: formatting that was interrupted can be started again.
    /// - Throws: ``TagError`` 1 if the card has other content or keys, 400 if its access bits forbid writing.
    public func formatNDEF(overwriting: Bool) async throws(TagError) {
        try await sectors.format(overwriting: overwriting)
    }

    /// A card as delivered, or one whose directory names sectors without a message.
    public func formatState() async throws(TagError) -> TagFormatState { try await sectors.formatState() }

    /// A spool in a format without keys, on a card as delivered.
    public func findContent() async throws(TagError) -> TagContent? { try await sectors.content() }

    /// Makes data and trailers of all NFC and directory sectors read-only, by their access bits. It cannot be undone.
    ///
    /// All sectors are opened with a key that may do it before the first one is changed. The first NFC sector, which shows
    /// that the card is read-only, comes last.
    public func makeReadOnly() async throws(TagError) { try await sectors.makeReadOnly() }

    /// What the card is: size, sectors with NDEF, and what their access bits permit. The manufacturer block is not read.
    ///
    /// - Throws: ``TagError`` 100 when the card leaves or another one comes back, 102 when it refuses what its directory
    ///   promises.
    public func describe() async throws(TagError) -> TagDescription { try await sectors.describe() }

    /// Every sector that opens with a public key A: that of the directory, that of NDEF, or that of a card as delivered.
    /// Each is tried once a sector; where the card cannot be reconnected, the first refusal ends the dump.
    ///
    /// - Throws: ``TagError`` 100 when the card leaves or another one comes back, 102 when the reader rejects a key.
    public func dump(progress: TagProgress?) async throws(TagError) -> TagDump {
        try await sectors.dump(progress: progress)
    }
}

extension MIFAREClassicSectors {
    /// The data blocks of the sectors with NDEF as one data area.
    func store(forWriting: Bool = false) async throws(TagError) -> TLVMessageStore<MIFAREClassicBlocks> {
        let names = try await ndefSectors()
        var sectors: [Int] = []
        if case .found(let found) = names { sectors = found }
        let memory = LazyMemory(
            reader: MIFAREClassicBlocks(self, ndef: sectors, needsTrailers: forWriting),
            pageSize: MIFAREClassicSize.blockSize, pageCount: card.size.blockCount)
        return TLVMessageStore(memory: memory, layout: try await layout(of: names))
    }

    /// What directory and first trailer declare.
    func layout(of names: NDEFSectors) async throws(TagError) -> TLVLayout {
        switch names {
        case .none(let reason): return .absent(reason)
        case .found(let sectors):
            guard let first = sectors.first else {
                return .absent("the application directory names no sector for NDEF")
            }
            guard try await card.isOpen(first, or: .ndef) else {
                return .absent("sector \(first) is for NDEF, but does not open with the public key")
            }
            return Self.layout(area: Self.area(of: sectors), try await trailer(of: first), ofSector: first)
        }
    }

    /// The data blocks of these sectors; trailers and all other sectors are holes.
    private static func area(of sectors: [Int]) -> TLVArea {
        let pieces = sectors.map { MIFAREClassicSize.blocks(ofSector: $0).dropLast() }
        let start = pieces.first?.lowerBound ?? 0
        let size = MIFAREClassicSize.blockSize
        var area = TLVArea(bounds: start * size..<(pieces.last?.upperBound ?? start) * size)
        for (piece, next) in zip(pieces, pieces.dropFirst()) {
            area.skip(piece.upperBound * size..<next.lowerBound * size)
        }
        return area
    }

    /// What the first trailer allows.
    private static func layout(
        area: TLVArea, _ trailer: MIFAREClassicTrailer, ofSector sector: Int
    ) -> TLVLayout {
        let byte = MIFARENDEFByte(rawValue: trailer.generalPurpose)
        guard let access = trailer.access, byte.majorVersion == 1, byte.isReadable else {
            return .absent("the trailer of sector \(sector) grants no access to NDEF of version 1")
        }
        var layout = TLVLayout(area: area)
        let permissions = (0..<3).compactMap { access.data($0)?.write }
        if !byte.isWritable || permissions.contains(.never) {
            layout.status = .readOnly
            layout.writeRefusal = "the card's trailers make it read-only"
        } else if permissions.contains(.b) {
            layout.warnings = [.writeNeedsPermission]
        }
        return layout
    }
}
