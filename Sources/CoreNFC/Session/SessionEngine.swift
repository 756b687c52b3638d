import NFCClient
import NFCProtocol
import Synchronization

/// What a session does, whatever its kind: its connection to nfcd, its tags, and the one order of its callbacks.
///
/// Every callback and completion handler is posted while the state is locked. So nothing can follow the end of the session, and
/// the handlers of commands that it cut short come before it.
final class SessionEngine: Sendable {
    /// Something to do with the session of the daemon, once there is one.
    typealias Job = @Sendable (ReaderSession) async -> Void

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
        /// The polling whose tags have been delivered.
        var detectedPolling: Int?
        /// Whether tags are read for a delegate that does not want them.
        var readsMessages = false
        /// Commands without an answer: each value fails its command.
        var unanswered: [UInt64: @Sendable (NFCReaderError) -> Void] = [:]
        var nextCommand: UInt64 = 0
        /// The handler for tags that leave.
        var onRemoval: (@Sendable (LiveTag) -> Void)?
    }

    let queue: CallbackQueue
    /// The session, for its tags.
    private let session = Mutex(WeakSession())
    let state = Mutex(State())
    /// Commands to tags, one after another.
    let commands = JobLane()
    /// Requests that must not wait for a slow tag.
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

    /// Ends the session: commands without an answer fail with 103, then `notify` is called, once.
    func end(_ error: NFCReaderError, notify: @escaping @Sendable (NFCReaderError) -> Void) {
        state.withLock { state in
            guard state.phase != .over else { return }
            state.phase = .over
            for id in state.unanswered.keys.sorted() { state.unanswered[id]?(.overSession) }
            let reason = state.wantedEnd ?? error
            queue.post { notify(reason) }
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

/// The callbacks of an engine, on the session's queue.
protocol SessionListener: AnyObject, Sendable {
    /// Whether the session's delegate still exists.
    var hasDelegate: Bool { get }
    /// The readers are the session's.
    func sessionBecameActive()
    /// Tags came into the field.
    func sessionDetected(_ tags: [LiveTag])
    /// The session is over.
    func sessionEnded(_ error: NFCReaderError)
}

extension SessionEngine {
    /// Begins the session, unless it has begun or is over. The listener is kept until the session has ended.
    ///
    /// - Parameter request: what to ask nfcd for; its error ends the session at once.
    func begin(_ listener: any SessionListener, _ request: @escaping @Sendable () throws -> SessionBegin.Parameters) {
        let isFirst = state.withLock { state in
            guard state.phase == .created, state.wantedEnd == nil else { return false }
            state.phase = .starting
            return true
        }
        guard isFirst else { return }
        Task { await self.run(listener, request) }
    }

    private func run(_ listener: any SessionListener, _ request: () throws -> SessionBegin.Parameters) async {
        let error: NFCReaderError
        do {
            var request = try request()
            request.alertMessage = state.withLock { $0.alertMessage }
            let parameters = request
            try await NFCClient.withConnection(to: DaemonAddress.path) { client in
                await self.serve(try await client.beginSession(parameters), listener)
            }
            error = .connectionEnded
        } catch let failure {
            error = NFCReaderError(start: failure)
            Log.once("a session could not begin: \(error.localizedDescription): \(error.reason)")
        }
        end(error) { listener.sessionEnded($0) }
    }

    private func serve(_ session: ReaderSession, _ listener: any SessionListener) async {
        await withTaskGroup { group in
            for lane in [commands, controls] {
                group.addTask { await lane.work { await $0(session) } }
            }
            await follow(session, listener)
            commands.close()
            controls.close()
        }
    }

    /// Follows the session until it is over, also by the end of the connection.
    private func follow(_ session: ReaderSession, _ listener: any SessionListener) async {
        for await event in session.events {
            take(event, listener)
            if !listener.hasDelegate {
                requestEnd(.init(.readerSessionInvalidationErrorUserCanceled, reason: "the delegate is gone"))
            }
        }
    }

    private func take(_ event: ReaderSession.Event, _ listener: any SessionListener) {
        switch event {
        case .didBecomeActive: becomeActive(listener)
        case .didDetectTags(let tags): detected(tags, listener)
        case .tagRemoved(let tag): removed(tag)
        case .tagFailed(let failure):
            Log.once("a tag on \(failure.reader) could not be delivered: \(failure.name): \(failure.detail)")
        case .didInvalidate(let end): self.end(NFCReaderError(end)) { listener.sessionEnded($0) }
        case .didDetectNDEFs: break
        }
    }

    private func becomeActive(_ listener: any SessionListener) {
        state.withLock { state in
            guard state.phase == .starting else { return }
            state.phase = .active
            if state.wantedEnd == nil { queue.post { listener.sessionBecameActive() } }
        }
    }

    private func detected(_ found: [RemoteTag], _ listener: any SessionListener) {
        state.withLock { state in
            guard state.phase == .active, state.wantedEnd == nil else { return }
            // Those of an earlier polling were on their way when the client restarted it.
            let current = found.filter { $0.facts.polling ?? state.polling == state.polling }
            guard !current.isEmpty else { return }
            let tags = current.map { LiveTag.make($0, polling: state.polling, engine: self) }
            for tag in tags { state.tags[tag.name] = tag }
            queue.post { listener.sessionDetected(tags) }
        }
    }

    private func removed(_ name: String) {
        state.withLock { state in
            guard let tag = state.tags.removeValue(forKey: name) else { return }
            tag.place.leave(as: .gone)
            if state.connected === tag { state.connected = nil }
            if let onRemoval = state.onRemoval, state.phase != .over { queue.post { onRemoval(tag) } }
        }
    }
}

extension NFCReaderError {
    /// 202: nfcd is gone.
    fileprivate static var connectionEnded: NFCReaderError {
        .init(.readerSessionInvalidationErrorSessionTerminatedUnexpectedly, reason: "the connection to nfcd ended")
    }
}

/// What a session asks nfcd for.
typealias SessionRequest = SessionBegin.Parameters

/// The engine's listener: the session itself, under names that a client's subclass does not see.
final class SessionCallbacks: SessionListener {
    private let session: NFCReaderSession

    init(_ session: NFCReaderSession) {
        self.session = session
    }

    var hasDelegate: Bool { session.delegate != nil }
    func sessionBecameActive() { session.becameActive() }
    func sessionDetected(_ tags: [LiveTag]) { session.detected(tags) }
    func sessionEnded(_ error: NFCReaderError) { session.ended(error) }
}

/// The queue of a session's callbacks: the client's own or a private one, always one callback after the other.
struct CallbackQueue: Sendable {
    /// The queue as the client knows it.
    let visible: DispatchQueue
    /// Serial, and run by the visible one: callbacks keep their order on a concurrent queue, too.
    private let order: DispatchQueue

    init(_ queue: DispatchQueue?) {
        visible = queue ?? DispatchQueue(label: "CoreNFC session")
        order = DispatchQueue(label: "CoreNFC callbacks", target: visible)
    }

    /// Runs something after everything that was posted before it.
    func post(_ callback: @escaping @Sendable () -> Void) {
        order.async(execute: callback)
    }
}

/// Jobs that are done in their order over a session's connection; until there is one they wait.
final class JobLane: Sendable {
    private let jobs: AsyncStream<SessionEngine.Job>
    private let sink: AsyncStream<SessionEngine.Job>.Continuation

    init() {
        (jobs, sink) = AsyncStream.makeStream()
    }

    func add(_ job: @escaping SessionEngine.Job) {
        sink.yield(job)
    }

    /// Nothing comes any more.
    func close() {
        sink.finish()
    }

    /// Does the jobs until the lane is closed. For one caller.
    func work(_ job: (SessionEngine.Job) async -> Void) async {
        for await next in jobs { await job(next) }
    }
}
