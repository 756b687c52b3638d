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

/// A connection to a card (SCARDHANDLE). Left silently when it goes out of scope; `disconnect` reports.
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

    /// Scratch space that holds the longest response libpcsclite knows (65,548 bytes).
    public static func makeBuffer() -> [UInt8] {
        [UInt8](repeating: 0, count: Int(CPCSC_MAX_RESPONSE))
    }
}
