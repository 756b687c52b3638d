import Synchronization

/// A session that has begun and is not over.
protocol OpenSession: AnyObject, Sendable {
    /// Whether its delegate still exists: nothing else receives its events.
    var hasDelegate: Bool { get }
    /// Ends it, as its delegate is gone.
    func endWithoutDelegate()
}

/// The sessions of this process that have begun and are not over. Those whose delegate is gone are ended, so that they do not
/// keep a reader from others.
///
/// Swift on Linux has no notification of the end of an object. So the delegates are checked: always before another session of this
/// process begins, which therefore finds the reader free, and at a short interval while a session is open, for the sake of other
/// processes.
final class OpenSessions: Sendable {
    /// The sessions of this process.
    static let process = OpenSessions()

    /// The time between two checks of the delegates.
    static let interval = Duration.milliseconds(100)

    private struct State {
        var sessions: [ObjectIdentifier: any OpenSession] = [:]
        var watch: Task<Void, Never>?
    }

    private let clock: any Clock<Duration>
    private let state = Mutex(State())

    init(clock: any Clock<Duration> = ContinuousClock()) {
        self.clock = clock
    }

    /// Adds a session that begins, and keeps it. Those without a delegate end before it.
    func add(_ session: any OpenSession) {
        endAbandoned()
        state.withLock { state in
            state.sessions[ObjectIdentifier(session)] = session
            if state.watch == nil { state.watch = Task { await self.watch() } }
        }
    }

    /// Removes a session that is over.
    func remove(_ session: any OpenSession) {
        state.withLock { state in
            state.sessions[ObjectIdentifier(session)] = nil
            guard state.sessions.isEmpty else { return }
            state.watch?.cancel()
            state.watch = nil
        }
    }

    private func watch() async {
        while (try? await clock.sleep(for: Self.interval)) != nil { endAbandoned() }
    }

    /// Not under the lock: where the last reference to a delegate goes away meanwhile, its `deinit` runs here.
    private func endAbandoned() {
        let sessions = state.withLock { Array($0.sessions.values) }
        for session in sessions where !session.hasDelegate { session.endWithoutDelegate() }
    }
}
