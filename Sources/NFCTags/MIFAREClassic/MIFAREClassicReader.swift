/// What a reader does differently with MIFARE Classic cards.
public struct MIFAREClassicReader: Sendable, Hashable {
    /// The commands for value blocks, which no standard settles.
    public enum ValueCommands: Sendable, Hashable {
        /// `FF D7` and `FF B1`, most significant byte first: ACS.
        case acs
        /// `FF D4` and `FF D8`, least significant byte first: HID Omnikey.
        case hid
    }

    /// The number of the volatile slot a key A is loaded into.
    public var keySlotA: UInt8
    /// The number of the volatile slot a key B is loaded into.
    public var keySlotB: UInt8
    /// The most `FF B0` gives at once, in bytes: 16, or 48 and 240 on newer ACS readers.
    public var maximumRead: Int
    /// How values are counted; nil where the reader does not.
    public var valueCommands: ValueCommands?

    /// A reader with slot 0, reads of one block and no value commands.
    public init(
        keySlotA: UInt8 = 0, keySlotB: UInt8 = 0, maximumRead: Int = 16, valueCommands: ValueCommands? = nil
    ) {
        self.keySlotA = keySlotA
        self.keySlotB = keySlotB
        self.maximumRead = maximumRead
        self.valueCommands = valueCommands
    }

    /// Blocks per `FF B0`: at least one, at most the 15 of a large sector.
    var blocksPerRead: Int { min(max(maximumRead / MIFAREClassicSize.blockSize, 1), 15) }

    func keySlot(_ type: MIFAREClassicKeyType) -> UInt8 { type == .a ? keySlotA : keySlotB }
}

/// How a driver gets a card back that is halted, as it is after every wrong key.
public struct CardReconnection: Sendable {
    /// The identifier of the card, so that it is not taken for another one.
    public let identifier: [UInt8]
    /// Resets the connection; the card is selected afresh then.
    public let perform: @Sendable () async throws(CardChannelError) -> Void

    /// A way to reset the connection to the card with this identifier.
    public init(
        identifier: [UInt8], perform: @escaping @Sendable () async throws(CardChannelError) -> Void
    ) {
        self.identifier = identifier
        self.perform = perform
    }
}
