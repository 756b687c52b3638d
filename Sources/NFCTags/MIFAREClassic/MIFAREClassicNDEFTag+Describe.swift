extension MIFAREClassicNDEFTag {
    /// What the card is: size, sectors with NDEF, and what their access bits permit. The manufacturer block is not asked
    /// for.
    ///
    /// - Throws: ``TagError`` 100 when the card leaves or another one comes back, 102 when it refuses what its directory
    ///   promises.
    public func describe() async throws(TagError) -> TagDescription {
        let size = card.size
        var fields = [
            TagDescription.Field("Sectors", "\(size.sectorCount)"), .init("Blocks", "\(size.blockCount) of 16 bytes"),
        ]
        var lockState = TagDescription.LockState.unknown
        switch try await access() {
        case .none(let reason): fields.append(.init("NDEF", reason))
        case .found(let sectors, let state):
            fields.append(.init("NDEF sectors", Set(sectors).inWords))
            lockState = state
        }
        return TagDescription(
            productName: size.productName, manufacturer: "NXP",
            memorySize: size.blockCount * MIFAREClassicSize.blockSize,
            blockSize: MIFAREClassicSize.blockSize, lockState: lockState, fields: fields)
    }

    private enum Access {
        case none(String)
        case found([Int], TagDescription.LockState)
    }

    /// As the first sector with NDEF has it, which is locked last.
    private func access() async throws(TagError) -> Access {
        guard case .found(let found) = try await ndefSectors() else {
            if case .none(let reason)? = sectors { return .none(reason) }
            return .none("no NDEF")
        }
        let state = try await opened(found)
        if let reason = state.reason { return .none(reason) }
        if state.status == .readOnly { return .found(found, .locked) }
        return .found(found, state.warnings.contains(.writeNeedsPermission) ? .passwordProtected : .unlocked)
    }
}

extension MIFAREClassicSize {
    /// NXP's name for a card of this size.
    var productName: String {
        switch self {
        case .mini: "MIFARE Mini"
        case .oneK: "MIFARE Classic 1K"
        case .twoK: "MIFARE Plus 2K"
        case .fourK: "MIFARE Classic 4K"
        }
    }
}
