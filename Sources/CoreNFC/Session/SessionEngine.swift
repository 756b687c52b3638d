import NFCClient
import Synchronization

/// What a session does, whatever its kind: its connection to nfcd, its tags, and the one order of its callbacks.
///
/// Everything that a client hears is posted while the state is locked. So nothing can follow the end of the session, and
/// the handlers of commands that it cut short come before it.
final class SessionEngine: Sendable {
    /// Something to do over the connection, once there is one.
    typealias Job = @Sendable (NFCClient, _ session: String) async -> Void

    enum Phase: Sendable { case created, starting, active, over }

    struct State: Sendable {
        var phase = Phase.created
        var alertMessage = ""
        /// What the end is called that the client has asked for.
        var wantedEnd: NFCReaderError?
        /// The tags of this polling that are in the field.
        var tags: [String: LiveTag] = [:]
        var connected: LiveTag?
        /// Goes up with every restart of polling.
        var polling = 0
        /// The polling of which tags have been told.
        var detectedPolling: Int?
        /// Whether tags are read for a delegate that does not want them.
        var readsMessages = false
        /// Commands without an answer: how to tell them that there will be none.
        var unanswered: [UInt64: @Sendable (NFCReaderError) -> Void] = [:]
        var nextCommand: UInt64 = 0
        /// Who wants to hear of tags that leave.
        var onRemoval: (@Sendable (LiveTag) -> Void)?
    }

    let queue: CallbackQueue
    /// The session, for its tags.
    private let session = Mutex(WeakSession())
    let state = Mutex(State())
    /// Commands to tags, one after another.
    let commands = JobLane()
    /// What must not wait for a slow tag.
    let controls = JobLane()

    init(queue: DispatchQueue?) {
        self.queue = CallbackQueue(queue)
    }

    /// The session that this is the engine of.
    var owner: NFCReaderSession? {
        get { session.withLock { $0.session } }
        set { session.withLock { $0.session = newValue } }
    }

    /// Posts a callback, unless the session is over.
    func post(_ callback: @escaping @Sendable () -> Void) {
        state.withLock { state in
            if state.phase != .over { queue.post(callback) }
        }
    }

    // MARK: The end

    /// Ends the session: commands without an answer fail with 103, then comes `tell`, once.
    func end(_ error: NFCReaderError, tell: @escaping @Sendable (NFCReaderError) -> Void) {
        state.withLock { state in
            guard state.phase != .over else { return }
            state.phase = .over
            for id in state.unanswered.keys.sorted() { state.unanswered[id]?(.overSession) }
            let reason = state.wantedEnd ?? error
            queue.post { tell(reason) }
            (state.tags, state.connected, state.unanswered) = ([:], nil, [:])
        }
        commands.close()
        controls.close()
    }

    /// The client, or this module for it, wants the session to end.
    ///
    /// - Returns: whether that is the first time, in a session that has begun.
    func wantEnd(_ error: NFCReaderError) -> Bool {
        state.withLock { state in
            guard state.phase != .over, state.wantedEnd == nil else { return false }
            state.wantedEnd = error
            return state.phase != .created
        }
    }
}

extension NFCReaderError {
    /// 103: a command of a session that is over.
    static var overSession: NFCReaderError {
        .init(.readerTransceiveErrorSessionInvalidated, reason: "the session is over")
    }
}

private struct WeakSession: Sendable {
    weak var session: NFCReaderSession?
}
