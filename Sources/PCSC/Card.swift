internal import CPCSC

/// What happens to the card when a connection or transaction ends (PC/SC Part 5, SCARD_*_CARD).
public enum Disposition: UInt32, Sendable {
    /// Nothing: the card stays powered for a while.
    case leave = 0
    /// A warm reset.
    case reset = 1
    /// Power off.
    case unpower = 2
}

/// An attribute of a reader (PC/SC Part 3, SCARD_ATTR_*).
public enum ReaderAttribute: UInt32, Sendable {
    /// SCARD_ATTR_VENDOR_IFD_SERIAL_NO: text.
    case serialNumber = 0x0001_0103
    /// SCARD_ATTR_ICC_PRESENCE: one byte, 0 without a card. The driver asks the reader.
    case cardPresence = 0x0009_0300
}

/// A connection to a card (SCARDHANDLE). It ends silently when the value goes out of scope; ``disconnect(_:)`` reports
/// errors.
public struct Card: ~Copyable, Sendable {
    private let handle: Int
    private let activeProtocol: UInt

    init(handle: Int, activeProtocol: UInt) {
        self.handle = handle
        self.activeProtocol = activeProtocol
    }

    deinit {
        try? SCard.disconnect(handle, .leave)
    }

    /// Ends the connection.
    public consuming func disconnect(_ disposition: Disposition) throws(PCSCError) {
        let handle = handle
        discard self
        try SCard.disconnect(handle, disposition)
    }

    /// Starts a transaction, which takes over the card: a card has at most one. Blocks while another program holds one; on
    /// failure the connection ends.
    public consuming func beginTransaction() throws(PCSCError) -> CardTransaction {
        do throws(PCSCError) {
            try SCard.beginTransaction(handle)
        } catch {
            _ = consume self
            throw error
        }
        let transaction = CardTransaction(handle: handle, activeProtocol: activeProtocol)
        discard self
        return transaction
    }

    /// Throws where the card cannot be used now, for example because another program holds a transaction. In a process with
    /// `PCSCLITE_NO_BLOCKING` it does not wait for that to end.
    public borrowing func checkAccess() throws(PCSCError) {
        _ = try SCard.answerToReset(handle)
    }

    /// The longest answer of ``control(_:_:)`` and ``attribute(_:)``, in bytes: pcscd's own limit for short exchanges.
    private static let longestReaderAnswer = 264

    /// Sends a command to the reader or its driver, by a control code (PC/SC Part 10); it does not reach the card.
    public borrowing func control(_ code: UInt32, _ command: [UInt8] = []) throws(PCSCError) -> [UInt8] {
        try SCard.control(handle, code: code, command, longestAnswer: Self.longestReaderAnswer)
    }

    /// Reads an attribute of the reader (PC/SC Part 3, SCARD_ATTR_*).
    public borrowing func attribute(_ attribute: ReaderAttribute) throws(PCSCError) -> [UInt8] {
        try SCard.attribute(handle, attribute.rawValue, longestAnswer: Self.longestReaderAnswer)
    }
}

/// A card that no other program can access. The transaction and the connection end silently when the value goes out of
/// scope; ``end(_:)`` and ``Card/disconnect(_:)`` report errors.
public struct CardTransaction: ~Copyable, Sendable {
    private let handle: Int
    private var activeProtocol: UInt

    fileprivate init(handle: Int, activeProtocol: UInt) {
        self.handle = handle
        self.activeProtocol = activeProtocol
    }

    deinit {
        try? SCard.endTransaction(handle, .leave)
        try? SCard.disconnect(handle, .leave)
    }

    /// Ends the transaction and returns the card, which stays connected.
    public consuming func end(_ disposition: Disposition = .leave) throws(PCSCError) -> Card {
        let card = Card(handle: handle, activeProtocol: activeProtocol)
        let handle = handle
        discard self
        try SCard.endTransaction(handle, disposition)
        return card
    }

    /// The card's answer to reset, at most 33 bytes.
    public borrowing func answerToReset() throws(PCSCError) -> [UInt8] {
        try SCard.answerToReset(handle)
    }

    /// Sends one command APDU and returns the response with SW1 SW2. `buffer` is scratch space, see ``makeBuffer()``.
    public mutating func transmit(_ command: [UInt8], buffer: inout [UInt8]) throws(PCSCError) -> [UInt8] {
        try SCard.transmit(handle, protocol: activeProtocol, command, into: &buffer)
    }

    /// Connects again with the same handle: with `.leave` the card keeps its state, with `.reset` it loses it. The
    /// transaction continues.
    public mutating func reconnect(_ disposition: Disposition) throws(PCSCError) {
        activeProtocol = try SCard.reconnect(handle, disposition)
    }

    /// Scratch space for the longest response that libpcsclite supports (65,548 bytes).
    public static func makeBuffer() -> [UInt8] {
        [UInt8](repeating: 0, count: Int(CPCSC_MAX_RESPONSE))
    }
}
