internal import CPCSC

/// A connection to pcscd (SCARDCONTEXT), released when it goes out of scope.
///
/// libpcsclite locks a context for the length of each call: use it from one thread only. After pcscd ends, a context
/// is dead for ever; establish a new one.
public struct Context: ~Copyable, Sendable {
    private let handle: Int

    /// Connects to pcscd; starts it where systemd activates it by its socket.
    public init() throws(PCSCError) {
        handle = try SCard.establish()
    }

    deinit {
        SCard.release(handle)
    }

    /// The readers of the moment, in pcscd's order.
    public borrowing func readers() throws(PCSCError) -> [ReaderName] {
        try SCard.listReaders(handle)
    }

    /// Blocks until a state differs from what is known of it. False: the time ran out, or the wait was cancelled.
    public borrowing func waitForChange(
        in states: inout [ReaderState], timeout: Duration?
    ) throws(PCSCError) -> Bool {
        try SCard.getStatusChange(handle, timeout: timeout, states: &states)
    }

    /// Connects to the card on a reader, shared. Blocks for as long as another program holds a transaction.
    public borrowing func connect(to reader: ReaderName) throws(PCSCError) -> Card {
        let (card, active) = try SCard.connect(handle, reader, .card)
        return Card(handle: card, activeProtocol: active)
    }

    /// Connects to a reader itself, with or without a card on it (SCARD_SHARE_DIRECT, protocol 0): for `control` and
    /// `attribute`. Blocks as `connect` does; pcsc-lite lets others in beside it.
    public borrowing func connectDirectly(to reader: ReaderName) throws(PCSCError) -> Card {
        let (card, active) = try SCard.connect(handle, reader, .reader)
        return Card(handle: card, activeProtocol: active)
    }

    /// What ends a wait on this context from another thread.
    public var canceller: Canceller { Canceller(handle: handle) }

    /// Ends a wait on the context it was made from, from any thread.
    public struct Canceller: Sendable {
        fileprivate let handle: Int

        /// SCardCancel. A cancel while nobody waits is lost: repeat it until the waiter has answered.
        public func cancel() {
            SCard.cancel(handle)
        }
    }
}
