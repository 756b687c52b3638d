import ISO7816

extension TagIdentity {
    /// Settles what a tag is that the reader calls an Ultralight and whose identifier has 4 bytes: chips with Type 2 pages
    /// have 7, and some readers take MIFARE Classic cards for them. A page is read; where it is refused, the directory's key
    /// is tried once, after a reset. Any other tag is left alone.
    ///
    /// - Parameter reconnection: the reset; the card is fresh again in the end.
    /// - Throws: ``TagError`` when tag, reader or connection are gone.
    public func settled(
        over channel: some CardChannel, reconnection: CardReconnection
    ) async throws(TagError) -> TagIdentity {
        guard technology == .type2, identifier.count == 4 else { return self }
        let page = try await channel.exchange(CommandAPDU(cla: 0xFF, ins: 0xB0, p1: 0, p2: 0, le: 16))
        guard !page.statusWord.isSuccess, page.statusWord != .endOfData else { return self }
        try await reset(reconnection)
        let isClassic = try await opensAsClassic(channel)
        try await reset(reconnection)
        return isClassic ? TagIdentity(technology: .mifareClassic, identifier: identifier, atr: atr) : self
    }

    /// Whether the first sector opens with the directory's key.
    private func opensAsClassic(_ channel: some CardChannel) async throws(TagError) -> Bool {
        do throws(TagError) {
            return try await MIFAREClassic(channel: channel, size: .oneK).opens(sector: 0, key: .directory, type: .a)
        } catch {
            // A reader that takes no key, and a tag that does not know the command.
            guard error.code == .tagResponseError || error.code == .unsupportedFeature else { throw error }
            return false
        }
    }

    private func reset(_ reconnection: CardReconnection) async throws(TagError) {
        do throws(CardChannelError) {
            try await reconnection.perform()
        } catch {
            throw TagError(error.code, "no new connection: \(error)")
        }
    }
}
