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

    private enum Phase: Sendable { case created, starting, active, over }

    private struct State: Sendable {
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
    private let state = Mutex(State())
    /// Commands to tags, one after another.
    private let commands = JobLane()
    /// Requests that must not wait for a slow tag.
    private let controls = JobLane()

    init(queue: DispatchQueue?) {
        self.queue = CallbackQueue(queue)
    }

    /// The session that this is the engine of.
    var owner: NFCReaderSession? {
        get { session.withLock { $0.session } }
        set { session.withLock { $0.session = newValue } }
    }

    /// Whether the session polls or uses tags.
    var isReady: Bool { state.withLock { $0.phase == .active && $0.wantedEnd == nil } }

    /// The tag that takes commands.
    var connectedTag: LiveTag? { state.withLock { $0.connected } }

    /// Whether the session reads the messages of its tags itself.
    var readsMessages: Bool { state.withLock { $0.readsMessages } }

    /// Has the session read the messages of its tags itself.
    func readMessages() {
        state.withLock { $0.readsMessages = true }
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
            request.alertMessage = state.withLock { $0.alertMessage }.shortened()
            let parameters = request
            try await NFCClient.withConnection(to: DaemonAddress.endpoint) { client in
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

// The requests of a program to its session and its tags.

extension SessionEngine {
    /// The text that is shown for the session.
    var alertMessage: String {
        get { state.withLock { $0.alertMessage } }
        set {
            let hasBegun = state.withLock { state in
                state.alertMessage = newValue
                return state.phase != .created
            }
            guard hasBegun else { return }
            // nfcd refuses a longer one.
            controls.add { try? await $0.setAlertMessage(newValue.shortened()) }
        }
    }

    /// Ends a session that has begun, with an error of the caller's choice.
    func requestEnd(_ error: NFCReaderError, message: String? = nil) {
        guard wantEnd(error) else { return }
        controls.add { try? await $0.invalidate(errorMessage: message?.shortened()) }
    }

    /// How long nfcd may take to end a session; then it is over for the client.
    private static let patience = DispatchTimeInterval.seconds(3)

    /// Ends the session as its client wants it, also one that has not begun.
    func invalidate(_ listener: any SessionListener, message: String? = nil) {
        let error = NFCReaderError(.readerSessionInvalidationErrorUserCanceled, reason: message)
        requestEnd(error, message: message)
        let hasBegun = state.withLock { $0.phase != .created }
        guard hasBegun else { return end(error) { listener.sessionEnded($0) } }
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) { [weak self] in
            guard let self, let session = owner else { return }
            end(error) { session.ended($0) }
        }
    }

    /// Makes the tags found so far stale and restarts polling, as `polling` says or as the session began.
    func restartPolling(_ polling: ProgramDeclarations.Polling? = nil) {
        let isActive = state.withLock { state in
            guard state.phase == .active, state.wantedEnd == nil else { return false }
            for tag in state.tags.values { tag.place.leave(as: .stale) }
            (state.tags, state.connected) = ([:], nil)
            state.polling += 1
            return true
        }
        guard isActive else { return }
        controls.add { session in
            do {
                try await session.restartPolling(
                    pollingOption: polling?.options, iso7816SelectIdentifiers: polling?.selectIdentifiers,
                    feliCaSystemCodes: polling?.systemCodes)
            } catch {
                // No tag would come any more.
                self.requestEnd(NFCReaderError(command: error))
            }
        }
    }

    /// Connects to a tag; `completion` gets why not.
    func connect(to tag: LiveTag, completion: @escaping @Sendable (NFCReaderError?) -> Void) {
        perform(on: tag) { remote in
            try await remote.connect()
            self.didConnect(to: tag)
        } completion: {
            completion($0.failure)
        }
    }

    /// A tag takes commands from now on.
    func didConnect(to tag: LiveTag) {
        state.withLock { state in
            if state.tags[tag.name] === tag { state.connected = tag }
        }
    }

    /// Whether a tag is in the field and takes commands.
    func isConnected(_ tag: LiveTag) -> Bool {
        state.withLock { $0.connected === tag }
    }

    /// Does something with a tag after everything that was asked for before it. `completion` is posted, once, whatever
    /// happens.
    func perform<Value: Sendable>(
        on tag: LiveTag,
        _ command: @escaping @Sendable (RemoteTag) async throws -> Value,
        completion: @escaping @Sendable (Result<Value, NFCReaderError>) -> Void
    ) {
        let id = expect { completion(.failure($0)) }
        guard let id else { return }
        commands.add { _ in
            do {
                if let objection = tag.place.objection { throw objection }
                self.answer(id, completion, .success(try await command(tag.remote)))
            } catch {
                let error = NFCReaderError(command: error)
                // That it has left comes as an event, too, but a program may look at once.
                if error.code == .readerTransceiveErrorTagConnectionLost { self.lose(tag) }
                self.answer(id, completion, .failure(error))
            }
        }
    }

    /// A tag takes no commands any more: it has left the field.
    func lose(_ tag: LiveTag) {
        tag.place.leave(as: .gone)
        state.withLock { state in
            if state.connected === tag { state.connected = nil }
        }
    }

    /// Posts an error to a handler.
    func refuse(_ error: NFCReaderError, _ handler: @escaping @Sendable (NFCReaderError) -> Void) {
        queue.post { handler(error) }
    }

    /// Registers a command that waits for its answer; nil where there will be none, and then the reason has been posted.
    private func expect(_ fail: @escaping @Sendable (NFCReaderError) -> Void) -> UInt64? {
        state.withLock { state in
            guard state.phase != .over, state.wantedEnd == nil else {
                queue.post { fail(.overSession) }
                return nil
            }
            defer { state.nextCommand += 1 }
            let queue = queue
            state.unanswered[state.nextCommand] = { error in queue.post { fail(error) } }
            return state.nextCommand
        }
    }

    private func answer<Value: Sendable>(
        _ id: UInt64, _ completion: @escaping @Sendable (Result<Value, NFCReaderError>) -> Void,
        _ result: Result<Value, NFCReaderError>
    ) {
        state.withLock { state in
            guard state.unanswered.removeValue(forKey: id) != nil else { return }
            queue.post { completion(result) }
        }
    }
}

extension Result {
    /// The error; nil for a value.
    var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}

// Connecting, in the forms that sessions have it.

extension SessionEngine {
    /// Connects to a tag of this session. Another one, or a double of a test, is refused with 104.
    func connect(to tag: LiveTag?, _ handler: @escaping @Sendable ((any Error)?) -> Void) {
        guard let tag, tag.engine === self else {
            return refuse(
                .init(.readerTransceiveErrorTagNotConnected, reason: "the tag does not belong to this session"), handler
            )
        }
        connect(to: tag) { handler($0) }
    }

    /// The same for those who wait.
    func connect(to tag: LiveTag?) async throws {
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            connect(to: tag) { (error: (any Error)?) in
                if let error { done.resume(throwing: error) } else { done.resume() }
            }
        }
    }

    /// Whether a detection is the first of its polling: an iPhone delivers no more until polling is restarted. Of a polling
    /// before that, none is.
    func takeDetection(of tags: [LiveTag]) -> Bool {
        state.withLock { state in
            guard state.detectedPolling != state.polling, tags.contains(where: { $0.polling == state.polling }) else {
                return false
            }
            state.detectedPolling = state.polling
            return true
        }
    }

    /// Sets the handler for tags that leave; nil for none.
    func onRemoval(_ handler: (@Sendable (any NFCNDEFTag) -> Void)?) {
        guard let handler else { return state.withLock { $0.onRemoval = nil } }
        state.withLock { $0.onRemoval = { tag in handler(tag) } }
    }
}

private struct WeakSession: Sendable {
    weak var session: NFCReaderSession?
}
