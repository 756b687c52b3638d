import NFCReaders
public import NFCTags

// Commands as they are. Of what a driver knew of the tag, nothing is counted on afterwards.

extension HeldTag {
    /// Sends a command APDU as it is and returns the response as it is: data, SW1, SW2.
    ///
    /// - Throws: ``TagError``, before anything is sent: 1 in a session that is not of kind tag, 2 for a SELECT of an
    ///   application that is not on the session's list. Then 100 when the tag left, 102 when there is no answer or one
    ///   without a status word.
    public func sendCommand(_ apdu: [UInt8]) async throws(TagError) -> (data: [UInt8], sw1: UInt8, sw2: UInt8) {
        try rules.check(apdu: apdu)
        let response = try await raw { () throws(TagError) in try await self.transmit(apdu) }
        let status = Array(response.suffix(2))
        guard status.count == 2 else {
            throw TagError(.tagResponseError, "the answer has no status word", response: response)
        }
        return (Array(response.dropLast(2)), status[0], status[1])
    }

    /// Sends a frame of a MIFARE tag's own command set, without CRC both ways.
    ///
    /// - Throws: ``TagError``, before anything is sent: 1 for another kind of tag or of session, or a reader that lets no frame pass, 105
    ///   for a frame of no bytes. Then 100 when the tag left, 102 when it refuses or is silent.
    public func sendMiFareCommand(_ frame: [UInt8]) async throws(TagError) -> [UInt8] {
        try rules.checkKind()
        try require([.miFare], "miFare commands")
        guard !frame.isEmpty else { throw TagError(.packetTooLong, "a frame has at least 1 byte") }
        guard let channel = drivers.profile.nativeChannel(over: connection) else {
            throw noWay("frames of MIFARE tags")
        }
        return try await raw { () throws(TagError) in try await channel.transceive(frame) }
    }

    /// Sends a FeliCa packet, from the command code on.
    ///
    /// - Returns: the answer from the response code on.
    /// - Throws: ``TagError``, before anything is sent: 1 for another kind of tag or of session, 105 unless there are 1 to
    ///   254 bytes, 2 for polling a system that is not on the session's list. Then 1 where a reader of which no way is known refuses, 100 when the card left, 102 when it is silent.
    public func sendFeliCaCommand(_ packet: [UInt8]) async throws(TagError) -> [UInt8] {
        try rules.checkKind()
        try require([.feliCa], "feliCa commands")
        guard let length = UInt8(exactly: packet.count + 1), length > 1 else {
            throw TagError(.packetTooLong, "a FeliCa packet has 1 to 254 bytes, not \(packet.count)")
        }
        try rules.check(packet: packet)
        let channel = drivers.profile.feliCaChannel(over: connection)
        let answer = try await raw { () throws(TagError) in
            do throws(TagError) {
                return try await channel.transceive([length] + packet)
            } catch {
                guard !self.drivers.profile.knowsFeliCaTransport, error.statusWord != nil else { throw error }
                throw self.noWay("FeliCa packets")
            }
        }
        guard let first = answer.first, Int(first) == answer.count, answer.count > 1 else {
            throw TagError(.tagResponseError, "an answer whose length byte is wrong", response: answer)
        }
        return Array(answer.dropFirst())
    }

    /// Sends a request of ISO/IEC 15693; `data` is everything behind flags and command code, the UID included.
    ///
    /// - Returns: the flags of the answer, and what follows; an error of the tag is an answer.
    /// - Throws: ``TagError``, before anything is sent: 1 for another kind of tag or of session, or a reader that lets no request pass.
    ///   Then 100 when the tag left, 102 when it is silent.
    public func sendRequest(
        flags: UInt8, command: UInt8, data: [UInt8]
    ) async throws(TagError) -> (flags: UInt8, data: [UInt8]) {
        try rules.checkKind()
        try require([.iso15693], "iso15693 requests")
        guard let channel = drivers.profile.iso15693Channel(over: connection) else {
            throw noWay("requests of ISO/IEC 15693")
        }
        let answer = try await raw { () throws(TagError) in try await channel.transceive([flags, command] + data) }
        guard let flags = answer.first else { throw TagError(.tagResponseError, "an answer without flags") }
        return (flags, Array(answer.dropFirst()))
    }

    /// Refuses what is meant for another kind of tag.
    ///
    /// - Throws: ``TagError`` 1.
    public func require(_ types: Set<TagType>, _ what: String) throws(TagError) {
        guard !types.contains(identity.type) else { return }
        throw TagError(
            .unsupportedFeature,
            "\(what) are not for this tag: it is \(identity.technology), type \(identity.type.rawValue)")
    }

    private func raw(
        _ command: @escaping @Sendable () async throws(TagError) -> [UInt8]
    ) async throws(TagError) -> [UInt8] {
        try await perform { () throws(TagError) in
            self.drivers.forget()
            return try await command()
        }
    }

    private func noWay(_ what: String) -> TagError {
        TagError(.unsupportedFeature, "no way is known to send \(what) through this reader (\(drivers.profile.name))")
    }

    private func transmit(_ apdu: [UInt8]) async throws(TagError) -> [UInt8] {
        do throws(CardChannelError) {
            return try await connection.transmit(apdu)
        } catch {
            throw TagError(error.code, "no answer: \(error)")
        }
    }
}

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
