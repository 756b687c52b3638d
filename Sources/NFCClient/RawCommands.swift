// Raw commands: the daemon sends them unchanged. They need a session of kind `tag`.

extension RemoteTag {
    /// Sends a command APDU (ISO/IEC 7816-4) to a tag of type `iso7816`. A status word other than 9000 is not an error.
    ///
    /// - Parameters:
    ///   - apdu: the whole command, header and Le included.
    ///   - timeout: the limit of the command, at most 60 s; nil for the reader's own limit of each exchange. After a time-out (102)
    ///     the tag has to be detected again.
    public func sendISO7816Command(
        _ apdu: some Sequence<UInt8>, timeout: Duration? = nil
    ) async throws -> ISO7816SendCommand.Result {
        try await session.client.call(
            ISO7816SendCommand.self,
            .init(address, .init(apdu: HexBytes(Array(apdu))), timeout: timeout?.seconds))
    }

    /// Sends a command APDU to a tag of type `miFare` that takes them: Plus and DESFire.
    ///
    /// - Parameters:
    ///   - apdu: the whole command, header and Le included.
    ///   - timeout: as in ``sendISO7816Command(_:timeout:)``.
    public func sendMiFareISO7816Command(
        _ apdu: some Sequence<UInt8>, timeout: Duration? = nil
    ) async throws -> ISO7816SendCommand.Result {
        try await session.client.call(
            MiFareSendISO7816Command.self,
            .init(address, .init(apdu: HexBytes(Array(apdu))), timeout: timeout?.seconds))
    }

    /// Sends a native command to a tag of type `miFare`. The reader adds the CRC.
    ///
    /// - Parameters:
    ///   - command: the command without CRC.
    ///   - timeout: as in ``sendISO7816Command(_:timeout:)``.
    /// - Returns: the answer without CRC.
    public func sendMiFareCommand(_ command: some Sequence<UInt8>, timeout: Duration? = nil) async throws -> [UInt8] {
        try await session.client.call(
            MiFareSendCommand.self,
            .init(address, .init(command: HexBytes(Array(command))), timeout: timeout?.seconds)
        ).data.bytes
    }

    /// Sends a FeliCa command, from its command code on. The length byte and the CRC are added.
    ///
    /// - Parameters:
    ///   - packet: the command code and what follows it.
    ///   - timeout: as in ``sendISO7816Command(_:timeout:)``.
    /// - Returns: the answer from its response code on.
    public func sendFeliCaCommand(_ packet: some Sequence<UInt8>, timeout: Duration? = nil) async throws -> [UInt8] {
        try await session.client.call(
            FeliCaSendCommand.self,
            .init(address, .init(packet: HexBytes(Array(packet))), timeout: timeout?.seconds)
        ).data.bytes
    }

    /// Sends a request of ISO/IEC 15693. Where the address flag is set, `data` begins with the UID.
    ///
    /// - Parameters:
    ///   - flags: the request flags (ISO/IEC 15693-3, 7.3.1).
    ///   - commandCode: the command code.
    ///   - data: what follows the command code, without CRC.
    ///   - timeout: as in ``sendISO7816Command(_:timeout:)``.
    /// - Returns: the answer; its error flag (01) is not an error here.
    public func sendISO15693Request(
        flags: UInt8, commandCode: UInt8, data: some Sequence<UInt8> = [UInt8](), timeout: Duration? = nil
    ) async throws -> ISO15693SendRequest.Result {
        let data = HexBytes(Array(data))
        return try await session.client.call(
            ISO15693SendRequest.self,
            .init(
                address,
                .init(requestFlags: flags, commandCode: commandCode, data: data.bytes.isEmpty ? nil : data),
                timeout: timeout?.seconds))
    }
}

/// The commands of MIFARE Classic. One sector at a time is open: that of the block that was authenticated last.
public struct MIFAREClassicCommands: Sendable {
    private let tag: RemoteTag

    fileprivate init(_ tag: RemoteTag) {
        self.tag = tag
    }

    /// Opens the sector of a block. A wrong key halts the card.
    ///
    /// - Parameters:
    ///   - block: the number of any block of the sector, counted from 0.
    ///   - keyType: which of the two keys of the sector it is.
    ///   - key: 6 bytes.
    public func authenticate(
        block: Int, keyType: MiFareClassicAuthenticate.KeyType, key: some Sequence<UInt8>
    ) async throws {
        _ = try await tag.session.client.call(
            MiFareClassicAuthenticate.self,
            .init(tag.address, .init(block: block, keyType: keyType, key: HexBytes(Array(key)))))
    }

    /// Reads the 16 bytes of a block. Key A of a trailer reads as zeros.
    public func readBlock(_ block: Int) async throws -> [UInt8] {
        try await tag.session.client.call(
            MiFareClassicReadBlock.self, .init(tag.address, .init(block: block))
        ).data.bytes
    }

    /// Writes the 16 bytes of a block. Block 0 is refused.
    ///
    /// - Parameters:
    ///   - block: the number of the block, counted from 0.
    ///   - data: 16 bytes.
    ///   - allowTrailer: whether the block may be a trailer: a wrong one makes its sector useless permanently.
    public func writeBlock(_ block: Int, _ data: some Sequence<UInt8>, allowTrailer: Bool = false) async throws {
        _ = try await tag.session.client.call(
            MiFareClassicWriteBlock.self,
            .init(
                tag.address,
                .init(block: block, data: HexBytes(Array(data)), allowTrailer: allowTrailer ? true : nil)))
    }

    /// Adds to a value block.
    ///
    /// - Parameters:
    ///   - block: the number of the block, counted from 0.
    ///   - amount: 0 or more.
    public func increment(block: Int, by amount: Int32) async throws {
        _ = try await tag.session.client.call(
            MiFareClassicIncrement.self, .init(tag.address, .init(block: block, amount: amount)))
    }

    /// Subtracts from a value block.
    ///
    /// - Parameters:
    ///   - block: the number of the block, counted from 0.
    ///   - amount: 0 or more.
    public func decrement(block: Int, by amount: Int32) async throws {
        _ = try await tag.session.client.call(
            MiFareClassicDecrement.self, .init(tag.address, .init(block: block, amount: amount)))
    }

    /// Copies a value block to another one of the same sector.
    public func restore(block: Int, to destination: Int) async throws {
        _ = try await tag.session.client.call(
            MiFareClassicRestore.self,
            .init(tag.address, .init(block: block, destination: destination)))
    }
}

extension RemoteTag {
    /// The commands of MIFARE Classic.
    public var mifareClassic: MIFAREClassicCommands { MIFAREClassicCommands(self) }
}

extension Duration {
    /// The duration in seconds, as it is on the wire.
    fileprivate var seconds: Double { self / .seconds(1) }
}
