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

extension MIFAREClassic {
    /// Whether a sector is open, with whatever key, or opens with this key A.
    func isOpen(_ sector: Int, or key: MIFAREClassicKey) async throws(TagError) -> Bool {
        if session?.sector == sector { return true }
        return try await opens(sector: sector, key: key, type: .a)
    }
}
