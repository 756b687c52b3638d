public import NFCTags

// The blocks of a MIFARE Classic. Each sector has to be opened first, and again after anything else was done with the card.

extension HeldTag {
    /// Opens the sector of a block.
    ///
    /// - Throws: ``TagError``, before anything is sent: 1 for another kind of tag or of session, a block that is not there, or a key that has
    ///   not 6 bytes. Then 102 where the key is wrong; the card is halted until polling is restarted.
    public func authenticate(block: Int, key: [UInt8], type: MIFAREClassicKeyType) async throws(TagError) {
        try await classic { card throws(TagError) in
            guard let sector = card.size.sector(of: block) else {
                throw TagError(.unsupportedFeature, "there is no block \(block)")
            }
            guard let key = MIFAREClassicKey(key) else {
                throw TagError(.unsupportedFeature, "a key has 6 bytes, not \(key.count)")
            }
            try await card.authenticate(sector: sector, key: key, type: type)
        }
    }

    /// The 16 bytes of a block of the open sector.
    ///
    /// - Throws: ``TagError`` 1 for another kind of tag, 102 where the sector is not open or the card refuses.
    public func readBlock(_ block: Int) async throws(TagError) -> [UInt8] {
        try await classic { card throws(TagError) in try await card.read(block: block) }
    }

    /// Writes a block of the open sector.
    ///
    /// - Parameter allowsTrailer: whether the block may be the trailer.
    /// - Throws: ``TagError`` 2 for block 0, and for a trailer unless that is allowed; 402 unless there are 16 bytes; else as
    ///   ``readBlock(_:)``.
    public func writeBlock(_ block: Int, _ bytes: [UInt8], allowsTrailer: Bool) async throws(TagError) {
        try await classic { card throws(TagError) in
            try await card.write(block: block, bytes, allowing: allowsTrailer ? .trailers : [])
        }
    }

    /// Adds to a value block of the open sector.
    ///
    /// - Throws: ``TagError`` 1 where no such command of the reader is known; else as ``readBlock(_:)``.
    public func increment(_ block: Int, by amount: Int32) async throws(TagError) {
        try await classic { card throws(TagError) in try await card.increment(block: block, by: amount) }
    }

    /// Takes from a value block of the open sector; errors as for ``increment(_:by:)``.
    public func decrement(_ block: Int, by amount: Int32) async throws(TagError) {
        try await classic { card throws(TagError) in try await card.decrement(block: block, by: amount) }
    }

    /// Copies a value block of the open sector to another of it; errors as for ``increment(_:by:)``.
    public func copyValue(from block: Int, to destination: Int) async throws(TagError) {
        try await classic { card throws(TagError) in try await card.copyValue(from: block, to: destination) }
    }

    private func classic<Value: Sendable>(
        _ command: @escaping @Sendable (MIFAREClassic) async throws(TagError) -> Value
    ) async throws(TagError) -> Value {
        try rules.checkKind()
        guard identity.technology == .mifareClassic else {
            throw TagError(
                .unsupportedFeature, "miFareClassic commands are not for this tag: it is \(identity.technology)")
        }
        return try await perform { () throws(TagError) in try await command(self.drivers.classic()) }
    }
}
