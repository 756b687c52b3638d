extension MIFAREClassicNDEFTag {
    /// Makes data and trailers of all NFC and directory sectors read-only, by their access bits. It cannot be undone.
    ///
    /// All sectors are opened with a key that may do it before the first one is changed. The first NFC sector, which tells
    /// that the card is read-only, comes last.
    public func makeReadOnly() async throws(TagError) {
        let result = try await state().result()
        guard result.status != .notSupported, case .found(let found)? = sectors, let first = found.first else {
            throw TagError(.unsupportedFeature, result.reason ?? "no NDEF")
        }
        guard result.status == .readWrite else { throw TagError(.tagNotWritable, "the card is read-only already") }
        var locks: [TrailerWrite] = []
        for sector in lockOrder(found, first: first) {
            if let lock = try await lock(of: sector) { locks.append(lock) }
        }
        for lock in locks {
            do throws(TagError) {
                try await write(lock)
            } catch {
                throw error.duringWrite("locking broke off at sector \(lock.sector)")
            }
        }
    }

    private func lockOrder(_ found: [Int], first: Int) -> [Int] {
        let directories = found.contains { $0 > Self.secondDirectory } ? [Self.secondDirectory, 0] : [0]
        return found.dropFirst() + directories + [first]
    }

    /// The write that locks a sector; nil where it is locked.
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
        TagError(.unsupportedFeature, "sector \(sector) cannot be locked with the keys at hand; nothing was changed")
    }
}

/// A trailer to be written, with both keys in it.
struct TrailerWrite: Sendable, Hashable {
    let sector: Int
    let opening: MIFAREClassicNDEFTag.Opening
    let bytes: [UInt8]
}

extension MIFAREClassicNDEFTag {
    /// Writes a trailer. What was known of the sector is forgotten, and it has to be opened anew.
    func write(_ trailer: TrailerWrite) async throws(TagError) {
        let (sector, opening) = (trailer.sector, trailer.opening)
        trailers[sector] = nil
        try await card.authenticate(sector: sector, key: opening.key, type: opening.type)
        try await card.write(
            block: MIFAREClassicSize.trailer(ofSector: sector), trailer.bytes, allowing: .trailers)
        await card.closeSector()
    }
}
