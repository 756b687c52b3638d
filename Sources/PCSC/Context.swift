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
