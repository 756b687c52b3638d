internal import CPCSC

/// A connection to pcscd (SCARDCONTEXT), released when it goes out of scope.
///
/// libpcsclite locks a context for the duration of each call: use it from one thread only. When pcscd ends, the context
/// becomes permanently invalid; establish a new one.
public struct Context: ~Copyable, Sendable {
    private let handle: Int

    /// Connects to pcscd, which systemd starts if it is socket-activated.
    public init() throws(PCSCError) {
        handle = try SCard.establish()
    }

    deinit {
        SCard.release(handle)
    }

    /// The current readers, in pcscd's order.
    public borrowing func readers() throws(PCSCError) -> [ReaderName] {
        try SCard.listReaders(handle)
    }

    /// Blocks until a state differs from its known flags.
    ///
    /// - Returns: false if the timeout expired or the wait was cancelled.
    public borrowing func waitForChange(
        in states: inout [ReaderState], timeout: Duration?
    ) throws(PCSCError) -> Bool {
        try SCard.getStatusChange(handle, timeout: timeout, states: &states)
    }

    /// Connects to the card on a reader, shared. Blocks while another program holds a transaction.
    public borrowing func connect(to reader: ReaderName) throws(PCSCError) -> Card {
        let (card, active) = try SCard.connect(handle, reader, .card)
        return Card(handle: card, activeProtocol: active)
    }

    /// Connects to a reader itself, with or without a card (SCARD_SHARE_DIRECT, protocol 0), for ``Card/control(_:_:)`` and
    /// ``Card/attribute(_:)``. Blocks as ``connect(to:)`` does. With pcsc-lite the connection is not exclusive.
    public borrowing func connectDirectly(to reader: ReaderName) throws(PCSCError) -> Card {
        let (card, active) = try SCard.connect(handle, reader, .reader)
        return Card(handle: card, activeProtocol: active)
    }

    /// Cancels a wait on this context from another thread.
    public var canceller: Canceller { Canceller(handle: handle) }

    /// Cancels a wait on a context, from any thread.
    public struct Canceller: Sendable {
        fileprivate let handle: Int

        /// SCardCancel. A cancel without a waiting call has no effect: repeat it until the waiting call has returned.
        public func cancel() {
            SCard.cancel(handle)
        }
    }
}

/// The bits of `dwCurrentState` and `dwEventState` (PC/SC Part 5, SCARD_STATE_*); the high 16 bits count card events.
public struct StateFlags: OptionSet, Sendable, Hashable {
    /// The bits of the PC/SC state.
    public let rawValue: UInt32

    /// Creates flags from any bits.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// SCARD_STATE_CHANGED: the entry differs from its known flags.
    public static let changed = StateFlags(rawValue: 0x0002)
    /// SCARD_STATE_UNKNOWN: no such reader.
    public static let unknown = StateFlags(rawValue: 0x0004)
    /// SCARD_STATE_UNAVAILABLE: the driver cannot talk to the reader.
    public static let unavailable = StateFlags(rawValue: 0x0008)
    /// SCARD_STATE_EMPTY: no card.
    public static let empty = StateFlags(rawValue: 0x0010)
    /// SCARD_STATE_PRESENT: a card.
    public static let present = StateFlags(rawValue: 0x0020)
    /// SCARD_STATE_EXCLUSIVE: a program holds the card exclusively.
    public static let exclusive = StateFlags(rawValue: 0x0080)
    /// SCARD_STATE_INUSE: a program is connected to the card.
    public static let inUse = StateFlags(rawValue: 0x0100)
    /// SCARD_STATE_MUTE: a card is present and does not answer.
    public static let mute = StateFlags(rawValue: 0x0200)

    /// Insertions and removals since the reader was plugged in, modulo 65,536.
    public var cardCounter: UInt16 { UInt16(truncatingIfNeeded: rawValue >> 16) }
}

/// One entry of a status-change wait: the known state of a reader, and the state that the wait reported.
public struct ReaderState: Sendable, Hashable {
    /// The reader.
    public let name: ReaderName
    /// The state known to the caller; the wait ends as soon as the actual state differs.
    public var known: StateFlags = []
    /// The state that the last wait reported.
    public var event: StateFlags = []
    /// The card's answer to reset, at most 33 bytes; empty without a card.
    public var answerToReset: [UInt8] = []

    /// An entry without known state: the next wait returns at once.
    public init(name: ReaderName) {
        self.name = name
    }

    /// Makes the reported state the known state, without the bits about other programs: their connections must not end a
    /// wait.
    public mutating func acknowledge() {
        known = event.subtracting([.changed, .inUse, .exclusive])
    }
}

/// A reader's name as pcscd reports it: bytes without the final NUL, since a driver may use any encoding.
public struct ReaderName: Sendable, Hashable, CustomStringConvertible {
    let bytes: [CChar]

    init(bytes: [CChar]) {
        self.bytes = bytes
    }

    /// Creates a name in UTF-8; everything after a NUL is dropped.
    public init(_ name: String) {
        bytes = name.utf8.prefix { $0 != 0 }.map { CChar(bitPattern: $0) }
    }

    /// The pseudo-reader that signals added and removed readers (pcsc-lite, "PnP notification").
    public static let plugAndPlayNotification = ReaderName("\\\\?PnP?\\Notification")

    /// The display name; invalid UTF-8 is replaced.
    public var description: String {
        String(decoding: bytes.lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
