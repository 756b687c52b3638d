internal import CPCSC

/// What becomes of the card when a connection or transaction ends (PC/SC Part 5, SCARD_*_CARD).
public enum Disposition: UInt32, Sendable {
    /// Nothing: the card stays powered for a while.
    case leave = 0
    /// A warm reset.
    case reset = 1
    /// Power off.
    case unpower = 2
}

/// What can be asked of a reader (PC/SC Part 3, SCARD_ATTR_*).
public enum ReaderAttribute: UInt32, Sendable {
    /// SCARD_ATTR_VENDOR_IFD_SERIAL_NO: text.
    case serialNumber = 0x0001_0103
}

/// A connection to a card (SCARDHANDLE). Left silently when it goes out of scope; `disconnect` reports.
public struct Card: ~Copyable, Sendable {
    private let handle: Int
    private var activeProtocol: UInt

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

    /// The card's answer to reset, at most 33 bytes.
    public borrowing func answerToReset() throws(PCSCError) -> [UInt8] {
        try SCard.answerToReset(handle)
    }

    /// Keeps other programs away from the card until `endTransaction`; blocks while one of them does the same.
    public mutating func beginTransaction() throws(PCSCError) {
        try SCard.beginTransaction(handle)
    }

    /// Lets other programs at the card again.
    public mutating func endTransaction(_ disposition: Disposition = .leave) throws(PCSCError) {
        try SCard.endTransaction(handle, disposition)
    }

    /// One command APDU; the response ends with SW1 SW2. `buffer` is scratch space, see `makeBuffer`.
    public mutating func transmit(_ command: [UInt8], buffer: inout [UInt8]) throws(PCSCError) -> [UInt8] {
        try SCard.transmit(handle, protocol: activeProtocol, command, into: &buffer)
    }

    /// Connects anew on the same handle: with `.leave` the card stays as it is, with `.reset` it forgets everything. A
    /// transaction goes on.
    public mutating func reconnect(_ disposition: Disposition) throws(PCSCError) {
        activeProtocol = try SCard.reconnect(handle, disposition)
    }

    /// The longest answer of `control` and `attribute`, in bytes: pcscd's own limit for short exchanges.
    static let longestReaderAnswer = 264

    /// A command to the reader or its driver, by a control code (PC/SC Part 10); never to the card.
    public borrowing func control(_ code: UInt32, _ command: [UInt8] = []) throws(PCSCError) -> [UInt8] {
        try SCard.control(handle, code: code, command, longestAnswer: Self.longestReaderAnswer)
    }

    /// An attribute of the reader (PC/SC Part 3, SCARD_ATTR_*).
    public borrowing func attribute(_ attribute: ReaderAttribute) throws(PCSCError) -> [UInt8] {
        try SCard.attribute(handle, attribute.rawValue, longestAnswer: Self.longestReaderAnswer)
    }

    /// Scratch space that holds the longest response libpcsclite knows (65,548 bytes).
    public static func makeBuffer() -> [UInt8] {
        [UInt8](repeating: 0, count: Int(CPCSC_MAX_RESPONSE))
    }
}
