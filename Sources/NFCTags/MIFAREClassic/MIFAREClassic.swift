import ISO7816

/// A MIFARE Classic card behind the pseudo-APDUs of a reader (PC/SC Part 3: Load Keys, General Authenticate, Read Binary,
/// Update Binary). Keys go into the reader's volatile memory only.
///
/// A card that refused a key is halted: everything fails until the connection is reset, see ``CardReconnection``.
public actor MIFAREClassic {
    /// How the memory is laid out.
    public nonisolated let size: MIFAREClassicSize
    let channel: any CardChannel
    let reader: MIFAREClassicReader
    let reconnection: CardReconnection?

    /// The sector that is open, and what opened it.
    struct Session: Sendable, Hashable {
        let sector: Int
        let type: MIFAREClassicKeyType
        let key: MIFAREClassicKey
    }

    private(set) var session: Session?
    private(set) var isHalted = false
    /// Whether the reader knows `FF 88` only.
    private var usesObsoleteForm = false

    /// A card of this size behind a channel.
    public init(
        channel: some CardChannel, size: MIFAREClassicSize, reader: MIFAREClassicReader = MIFAREClassicReader(),
        reconnection: CardReconnection? = nil
    ) {
        self.channel = channel
        self.size = size
        self.reader = reader
        self.reconnection = reconnection
    }

    /// Opens a sector; nothing is sent where it is open already with this key.
    ///
    /// - Throws: ``TagError`` 102 where the key is wrong; the card is halted then. 100 where another card came back.
    public func authenticate(
        sector: Int, key: MIFAREClassicKey, type: MIFAREClassicKeyType
    ) async throws(TagError) {
        let refusal = try await refusal(sector: sector, key: key, type: type)
        if let refusal {
            throw TagError(
                .tagResponseError,
                "sector \(sector) does not open with this \(type); the card is halted until the connection is reset",
                response: refusal)
        }
    }

    /// The same, with a wrong key as an answer.
    func opens(
        sector: Int, key: MIFAREClassicKey, type: MIFAREClassicKeyType
    ) async throws(TagError) -> Bool {
        try await refusal(sector: sector, key: key, type: type) == nil
    }

    /// Sends one command; what broke the session is noted.
    func exchange(_ command: CommandAPDU) async throws(TagError) -> ResponseAPDU {
        try await note { () async throws(TagError) in try await channel.exchange(command) }
    }

    private func note(_ send: () async throws(TagError) -> ResponseAPDU) async throws(TagError) -> ResponseAPDU {
        do throws(TagError) {
            let response = try await send()
            if response.statusWord == .operationFailed { halt() }
            return response
        } catch {
            session = nil
            throw error
        }
    }

    /// Forgets what opened the sector, where its keys have changed.
    func closeSector() { session = nil }

    private func halt() {
        session = nil
        isHalted = true
    }
}

extension MIFAREClassic {
    /// The answer that refused the key, nil where the sector is open.
    private func refusal(
        sector: Int, key: MIFAREClassicKey, type: MIFAREClassicKeyType
    ) async throws(TagError) -> ResponseAPDU? {
        guard let block = size.blocks(of: sector)?.lowerBound else {
            throw TagError(.unsupportedFeature, "there is no sector \(sector)")
        }
        let wanted = Session(sector: sector, type: type, key: key)
        if session == wanted { return nil }
        try await revive()
        session = nil
        try await load(key, slot: reader.keySlot(type))
        let response = try await generalAuthenticate(block: block, type: type)
        guard response.statusWord.isSuccess else {
            halt()
            return response
        }
        session = wanted
        return nil
    }

    /// `FF 82 00 slot 06 key`: into the volatile memory, right before it is used, as the slots are everybody's.
    private func load(_ key: MIFAREClassicKey, slot: UInt8) async throws(TagError) {
        let response = try await exchange(CommandAPDU.storageCard(0x82, 0x00, slot, data: key.bytes))
        guard response.statusWord.isSuccess else {
            let code: NFCErrorCode = response.statusWord.isUnknownCommand ? .unsupportedFeature : .tagResponseError
            throw TagError(code, "the reader takes no key: \(response.statusWord)", response: response)
        }
    }

    /// `FF 86 00 00 05 01 00 block type slot`, or the obsolete `FF 88 00 block type slot` where that is all there is.
    private func generalAuthenticate(block: Int, type: MIFAREClassicKeyType) async throws(TagError) -> ResponseAPDU {
        let (number, slot) = (UInt8(truncatingIfNeeded: block), reader.keySlot(type))
        if !usesObsoleteForm {
            let data = [0x01, 0x00, number, type.rawValue, slot]
            let response = try await exchange(CommandAPDU.storageCard(0x86, 0x00, 0x00, data: data))
            guard response.statusWord.isUnknownCommand else { return response }
            usesObsoleteForm = true
        }
        return try await note { () async throws(TagError) in
            try await channel.exchange(raw: [0xFF, 0x88, 0x00, number, type.rawValue, slot])
        }
    }

    /// Gets a halted card back, if there is a way to.
    private func revive() async throws(TagError) {
        guard isHalted else { return }
        guard let reconnection else {
            throw TagError(.tagResponseError, "the card is halted after a refusal; reset the connection")
        }
        do throws(CardChannelError) {
            try await reconnection.perform()
        } catch {
            throw TagError(error.code, "no new connection: \(error)")
        }
        isHalted = false
        let found = try await identifier()
        guard found == reconnection.identifier else {
            halt()
            throw TagError(.tagConnectionLost, "another card came back: \(Hexadecimal.string(found))")
        }
    }

    private func identifier() async throws(TagError) -> [UInt8] {
        try await Self.identifier(channel)
    }

    private static func identifier(_ channel: some CardChannel) async throws(TagError) -> [UInt8] {
        try await IdentifierReader(channel: channel, technology: .mifareClassic).read()
    }
}

extension StatusWord {
    /// Whether the reader does not know the command.
    var isUnknownCommand: Bool { self == .instructionNotSupported || self == .functionNotSupported }
}

extension CommandAPDU {
    /// A pseudo-APDU of a reader (PC/SC Part 3) with at most 255 bytes of data and no response data.
    static func storageCard(_ ins: UInt8, _ p1: UInt8, _ p2: UInt8, data: [UInt8]) -> CommandAPDU {
        CommandAPDU(cla: 0xFF, ins: ins, p1: p1, p2: p2, shortData: data)
    }
}
