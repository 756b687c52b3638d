import SpoolTags

extension MIFAREClassicSectors {
    /// Formats a card as delivered, or writes an empty message where the directory names sectors and there is none.
    func format(overwriting: Bool) async throws(TagError) {
        switch try await formatting() {
        case .nothing: return
        case .delivered(let plan):
            if let foreign = plan.foreign, !overwriting { throw ForeignData.refusal(foreign) }
            try await format(plan)
        case .emptyMessage(let write, let opening, let holdsData):
            if holdsData, !overwriting { throw ForeignData.refusal(Self.holdsData(write.block)) }
            try await changingTag { () async throws(TagError) in try await self.write(write, opening) }
        }
    }

    /// What ``format(overwriting:)`` would find.
    func formatState() async throws(TagError) -> TagFormatState {
        try await .of { () async throws(TagError) in
            switch try await formatting() {
            case .nothing: return .formatted
            case .delivered(let plan): return TagFormatState(overwriting: plan.foreign)
            case .emptyMessage(let write, _, let holdsData):
                return TagFormatState(overwriting: holdsData ? Self.holdsData(write.block) : nil)
            }
        }
    }

    /// A spool in a format without keys, where sectors 0 and 1 open as on a card as delivered.
    ///
    /// - Throws: ``TagError`` 100 when the card leaves.
    func content() async throws(TagError) -> TagContent? {
        do throws(TagError) {
            guard await card.canGoOn, try await isDelivered() else { return nil }
            var image = MemoryImage(pageSize: MIFAREClassicSize.blockSize, pageCount: card.size.blockCount)
            image.store(try await blocks(1..<3), at: 1)
            guard try await card.opens(sector: 1, key: .transport, type: .a) else { return nil }
            image.store(try await blocks(4..<7), at: 4)
            return TagContent(.mifareClassic, in: image)
        } catch {
            guard error.code == .tagResponseError else { throw error }
            return nil
        }
    }

    private static func holdsData(_ block: Int) -> String { "block \(block) holds other data" }

    /// What formatting writes.
    private enum Formatting {
        /// There is a message.
        case nothing
        case delivered(DeliveredCard)
        case emptyMessage(BlockWrite, Opening, holdsData: Bool)
    }

    /// What formatting writes to a card as delivered.
    private struct DeliveredCard {
        var data: [BlockWrite] = []
        var trailers: [TrailerWrite] = []
        /// What it holds that is overwritten.
        var foreign: String?
    }

    private func formatting() async throws(TagError) -> Formatting {
        if try await isDelivered() { return .delivered(try await deliveredCard()) }
        var store = try await store()
        let status = try await store.status()
        if status.status != .notSupported { return .nothing }
        guard store.fault == nil, status.warnings.allSatisfy({ $0 == .writeNeedsPermission }),
            case .found(let found) = try await ndefSectors(), let first = found.first
        else { throw Self.notFormattable(explained(status.reason ?? "unknown content")) }
        return try await emptyMessage(in: first)
    }

    /// Why there is no NDEF, with the makers of filament tags whose cards look the same.
    private func explained(_ reason: String) -> String {
        reason == Self.closedDirectory && card.size == .oneK
            ? "\(reason), \(ClosedSpoolFormat.remark([.bambu, .snapmaker]))" : reason
    }

    /// Whether sector 0 opens with the transport key. Not asked where the directory is known already.
    private func isDelivered() async throws(TagError) -> Bool {
        if isDirectoryKnown { return false }
        return try await card.opens(sector: 0, key: .transport, type: .a)
    }

    /// An empty message for a card with a directory.
    private func emptyMessage(in sector: Int) async throws(TagError) -> Formatting {
        let block = MIFAREClassicSize.blocks(ofSector: sector).lowerBound
        guard try await card.isOpen(sector, or: .ndef) else {
            throw Self.notFormattable("sector \(sector) does not open with the public key")
        }
        let found = try await card.read(block: block).prefix(MIFAREClassicSize.blockSize)
        let access = try await trailer(of: sector).access
        guard access?.data(0)?.write.allows(.a) == true else {
            throw TagError(.tagNotWritable, "sector \(sector) cannot be written with the public key")
        }
        return .emptyMessage(
            BlockWrite(block: block, bytes: Self.emptyMessage), Opening(key: .ndef, type: .a),
            holdsData: !found.allSatisfy { $0 == 0 })
    }

    private func format(_ card: DeliveredCard) async throws(TagError) {
        forgetDirectory()
        try await changingTag("formatting was interrupted and can be started again") { () async throws(TagError) in
            for step in card.data { try await write(step, Opening(key: .transport, type: .a)) }
            for trailer in card.trailers { try await write(trailer) }
        }
    }

    private func deliveredCard() async throws(TagError) -> DeliveredCard {
        var found = DeliveredCard()
        for sector in (0..<card.size.sectorCount).reversed() {
            if let trailer = try await formattedTrailer(sector) { found.trailers.append(trailer) }
        }
        // A trailer is only ever changed after all data was written: these sectors still have their transport trailer.
        let content = Dictionary(uniqueKeysWithValues: Self.content(of: card.size).map { ($0.block, $0) })
        var image = MemoryImage(pageSize: MIFAREClassicSize.blockSize, pageCount: card.size.blockCount)
        for sector in found.trailers.map(\.sector).reversed() {
            try await card.authenticate(sector: sector, key: .transport, type: .a)
            for block in MIFAREClassicSize.blocks(ofSector: sector).dropLast() where block != 0 {
                let bytes = Array(try await card.read(block: block).prefix(MIFAREClassicSize.blockSize))
                image.store(bytes, at: block)
                let wanted = content[block]
                if bytes == wanted?.bytes { continue }
                if !bytes.allSatisfy({ $0 == 0 }) { found.foreign = found.foreign ?? Self.holdsData(block) }
                if let wanted { found.data.append(wanted) }
            }
        }
        if found.foreign != nil, let content = TagContent(.mifareClassic, in: image) {
            found.foreign = ForeignData.description(of: content)
        }
        return found
    }

    /// The trailer a sector gets; nil if it has it from an earlier start.
    private func formattedTrailer(_ sector: Int) async throws(TagError) -> TrailerWrite? {
        let keyA: MIFAREClassicKey = isDirectory(sector) ? .directory : .ndef
        let access: [UInt8] = isDirectory(sector) ? [0x78, 0x77, 0x88] : [0x7F, 0x07, 0x88]
        guard try await card.opens(sector: sector, key: .transport, type: .a) else {
            guard try await card.opens(sector: sector, key: keyA, type: .a),
                try await trailer(of: sector).access?.bytes == access
            else {
                let maker = sector == 1 && card.size == .oneK ? ", " + ClosedSpoolFormat.remark([.creality]) : ""
                throw Self.notFormattable("sector \(sector) does not open with the transport key\(maker)")
            }
            return nil
        }
        let old = try await trailer(of: sector)
        guard let current = old.access, current.trailer.writeAccessBits == .a, current.trailer.readKeyB == .a,
            current.data(0)?.write.allows(.a) == true
        else { throw Self.notFormattable("the access bits of sector \(sector) are not the factory ones") }
        let bytes = MIFAREClassicTrailer.bytes(
            keyA: keyA, access: access, generalPurpose: generalPurpose(sector), keyB: old.keyB)
        return TrailerWrite(sector: sector, opening: Opening(key: .transport, type: .a), bytes: bytes)
    }

    private func generalPurpose(_ sector: Int) -> UInt8 {
        switch sector {
        case 0: card.size.sectorCount > Self.secondDirectory ? 0xC2 : 0xC1
        case Self.secondDirectory: 0x00
        default: MIFARENDEFByte.readWrite
        }
    }

    /// The blocks of a formatted card that are not zeros: empty message and directories.
    private static func content(of size: MIFAREClassicSize) -> [BlockWrite] {
        let first = MIFAREApplicationDirectory(entries: 15, ndef: min(size.sectorCount - 1, 15))
        let second = MIFAREApplicationDirectory(entries: 23, ndef: max(size.sectorCount - secondDirectory - 1, 0))
        let hasSecond = size.sectorCount > secondDirectory
        return [BlockWrite(block: 4, bytes: emptyMessage)] + blocks(first.bytes, at: 1)
            + (hasSecond ? blocks(second.bytes, at: 64) : [])
    }

    private static func blocks(_ bytes: [UInt8], at block: Int) -> [BlockWrite] {
        let size = MIFAREClassicSize.blockSize
        return BlockWrite.blocks(of: bytes, at: block * size, size: size)
    }

    private static let emptyMessage: [UInt8] = [0x03, 0x00, 0xFE] + [UInt8](repeating: 0, count: 13)

    private static func notFormattable(_ why: String) -> TagError {
        TagError(.unsupportedFeature, "the card cannot be formatted safely: \(why)")
    }
}

extension MIFAREClassicSectors {
    /// Makes the sectors with NDEF and the directories read-only, that of the first trailer last.
    func makeReadOnly() async throws(TagError) {
        var store = try await store()
        let status = try await store.status()
        guard status.status != .notSupported, case .found(let found) = try await ndefSectors(), let first = found.first
        else { throw TagError(.unsupportedFeature, status.reason ?? "the tag has no NDEF message to lock") }
        guard status.status == .readWrite else { throw TagError(.tagNotWritable, "the card is already read-only") }
        var locks: [TrailerWrite] = []
        for sector in lockOrder(found, first: first) {
            if let lock = try await lock(of: sector) { locks.append(lock) }
        }
        for lock in locks {
            try await changingTag("locking was interrupted at sector \(lock.sector)") { () async throws(TagError) in
                try await write(lock)
            }
        }
    }

    private func lockOrder(_ found: [Int], first: Int) -> [Int] {
        let directories = found.contains { $0 > Self.secondDirectory } ? [Self.secondDirectory, 0] : [0]
        return found.dropFirst() + directories + [first]
    }

    /// The write that locks a sector; nil if it is locked.
    private func lock(of sector: Int) async throws(TagError) -> TrailerWrite? {
        let keyA: MIFAREClassicKey = isDirectory(sector) ? .directory : .ndef
        guard try await card.isOpen(sector, or: keyA) else { throw Self.notLockable(sector) }
        let trailer = try await trailer(of: sector)
        guard let access = trailer.access else { throw Self.notLockable(sector) }
        if access.bytes == Self.readOnlyAccess { return nil }
        let byte = isDirectory(sector) ? trailer.generalPurpose : MIFARENDEFByte.readOnly
        if access.trailer.writeAccessBits == .a, access.trailer.readKeyB == .a {
            let bytes = MIFAREClassicTrailer.bytes(
                keyA: keyA, access: Self.readOnlyAccess, generalPurpose: byte, keyB: trailer.keyB)
            return TrailerWrite(sector: sector, opening: Opening(key: keyA, type: .a), bytes: bytes)
        }
        guard access.trailer.writeAccessBits == .b, let keyB = try await keyB(of: sector) else {
            throw Self.notLockable(sector)
        }
        let bytes = MIFAREClassicTrailer.bytes(
            keyA: keyA, access: Self.readOnlyAccess, generalPurpose: byte, keyB: keyB.bytes)
        return TrailerWrite(sector: sector, opening: Opening(key: keyB, type: .b), bytes: bytes)
    }

    /// Data blocks read-only, trailer fixed: 07 8F 0F (conditions 010 and 110).
    private static let readOnlyAccess: [UInt8] = [0x07, 0x8F, 0x0F]

    private static func notLockable(_ sector: Int) -> TagError {
        TagError(.unsupportedFeature, "sector \(sector) cannot be locked with the known keys; nothing was changed")
    }
}
