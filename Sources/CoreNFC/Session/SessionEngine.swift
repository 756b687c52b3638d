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
        /// Gets the events, and keeps the session alive; from the beginning to the end.
        var listener: (any SessionListener)?
        var alertMessage = ""
        /// What the end is called that the client has asked for.
        var wantedEnd: NFCReaderError?
        /// The text that is shown as its reason.
        var endMessage: String?
        var tags = SessionTags()
        /// Whether tags are read for a delegate that does not want them.
        var readsMessages = false
        var unanswered = UnansweredCommands()
        /// The handler for tags that leave.
        var onRemoval: (@Sendable (any NFCNDEFTag) -> Void)?
        /// The session of the daemon.
        var remote: ReaderSession?
        /// Follows the session of the daemon.
        var run: Task<Void, Never>?
    }

    let queue: CallbackQueue
    /// The session, for its tags.
    private let session = Mutex(WeakSession())
    private let state = Mutex(State())
    /// Commands to tags, one after another.
    private let commands = JobLane()

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
    var connectedTag: LiveTag? { state.withLock { $0.tags.connected } }

    /// Whether the session reads the messages of its tags itself.
    var readsMessages: Bool { state.withLock { $0.readsMessages } }

    /// Has the session read the messages of its tags itself.
    func readMessages() {
        state.withLock { $0.readsMessages = true }
    }

    /// The text that is shown for the session.
    var alertMessage: String {
        get { state.withLock { $0.alertMessage } }
        set {
            state.withLock { $0.alertMessage = newValue }
            call { await $0.show(newValue) }
        }
    }

    /// Sets the handler for tags that leave; nil for none.
    func onRemoval(_ handler: (@Sendable (any NFCNDEFTag) -> Void)?) {
        let former = state.withLock { state in
            defer { state.onRemoval = handler }
            return state.onRemoval
        }
        // The program's objects are released without the lock.
        withExtendedLifetime(former) {}
    }

    /// Does something with the session of the daemon, in the order of all calls of this process. Without effect if there is no
    /// such session.
    private func call(_ job: @escaping Job) {
        guard state.withLock({ $0.phase == .starting || $0.phase == .active }) else { return }
        CallOrder.process.add { [self] in
            if let remote = state.withLock({ $0.remote }) { await job(remote) }
        }
    }
}

// From the beginning to the end.

extension SessionEngine {
    /// Begins the session, unless it has begun or is over. The listener is kept until the session has ended.
    ///
    /// - Parameter request: what to ask nfcd for; its error ends the session at once.
    func begin(_ listener: any SessionListener, _ request: () throws -> SessionParameters) {
        let isFirst = state.withLock { state in
            guard state.phase == .created, state.wantedEnd == nil else { return false }
            (state.phase, state.listener) = (.starting, listener)
            return true
        }
        guard isFirst else { return }
        OpenSessions.process.add(self)
        let (endpoint, request) = (DaemonAddress.endpoint, Result(catching: request))
        CallOrder.process.add { [self] in
            let hasBegun = Moment()
            let run = Task { await self.run(request, endpoint, hasBegun) }
            state.withLock { $0.run = run }
            await hasBegun.wait()
        }
    }

    private func run(
        _ request: Result<SessionParameters, any Error>, _ endpoint: any DaemonEndpoint, _ hasBegun: Moment
    ) async {
        let error: NFCReaderError
        do {
            var request = try request.get()
            request.alertMessage = alertMessage.shortened()
            let parameters = request
            try await NFCClient.withConnection(to: endpoint) { client in
                await self.serve(try await client.beginSession(parameters), hasBegun)
            }
            error = .connectionEnded
        } catch let failure {
            error = NFCReaderError(start: failure)
            Log.once("a session could not begin: \(error.localizedDescription): \(error.reason)")
        }
        hasBegun.happen()
        end(error)
    }

    private func serve(_ session: ReaderSession, _ hasBegun: Moment) async {
        state.withLock { $0.remote = session }
        await withTaskGroup { group in
            group.addTask { await self.settle(session, hasBegun) }
            group.addTask { [commands] in await commands.work { await $0(session) } }
            for await event in session.events { take(event) }
            commands.close()
        }
    }

    /// Lets the next call of this process follow once nfcd has decided about the session. It carries the requests of a
    /// connection out one after another, so it has when it answers the next one.
    private func settle(_ session: ReaderSession, _ hasBegun: Moment) async {
        await session.show(alertMessage)
        hasBegun.happen()
        // Where nfcd was slow, the request for the end has found no session.
        let (isOver, message) = state.withLock { ($0.wantedEnd != nil, $0.endMessage) }
        if isOver { try? await session.invalidate(errorMessage: message) }
    }

    private func take(_ event: ReaderSession.Event) {
        switch event {
        case .didBecomeActive: becomeActive()
        case .didDetectTags(let tags): detected(tags)
        case .tagRemoved(let tag): removed(tag)
        case .tagFailed(let failure):
            Log.once("a tag on \(failure.reader) could not be delivered: \(failure.name): \(failure.detail)")
        case .didInvalidate(let end): self.end(NFCReaderError(end))
        case .didDetectNDEFs, .tagIgnored: break
        }
    }

    private func becomeActive() {
        state.withLock { state in
            guard state.phase == .starting else { return }
            state.phase = .active
            guard state.wantedEnd == nil, let listener = state.listener else { return }
            queue.post { listener.sessionBecameActive() }
        }
    }

    private func detected(_ found: [RemoteTag]) {
        state.withLock { state in
            guard state.phase == .active, state.wantedEnd == nil, let listener = state.listener else { return }
            let tags = state.tags.found(found, by: self)
            if !tags.isEmpty { queue.post { listener.sessionDetected(tags) } }
        }
    }

    private func removed(_ name: String) {
        state.withLock { state in
            guard let tag = state.tags.removed(name), let onRemoval = state.onRemoval else { return }
            queue.post { onRemoval(tag) }
        }
    }

    // MARK: The end

    /// Ends the session as its client wants it, also one that has not begun.
    func invalidate(_ listener: any SessionListener, message: String? = nil) {
        let error = NFCReaderError(.readerSessionInvalidationErrorUserCanceled, reason: message)
        let hasBegun = state.withLock { state in
            guard state.phase == .created else { return true }
            state.listener = listener
            return false
        }
        if hasBegun { requestEnd(error, message: message) } else { end(error) }
    }

    /// Ends a session that has begun, with an error of the caller's choice. Without effect where it is over, or to end already.
    func requestEnd(_ error: NFCReaderError, message: String? = nil) {
        let message = message?.shortened()
        let isFirst = state.withLock { state in
            guard state.phase == .starting || state.phase == .active, state.wantedEnd == nil else { return false }
            (state.wantedEnd, state.endMessage) = (error, message)
            return true
        }
        guard isFirst else { return }
        call { try? await $0.invalidate(errorMessage: message) }
        Task { [weak self] in
            try? await Task.sleep(for: CallOrder.patience)
            self?.abandonDaemon(error)
        }
    }

    /// Ends the session where nfcd has not, and its connection.
    private func abandonDaemon(_ error: NFCReaderError) {
        end(error)
        state.withLock { $0.run }?.cancel()
    }

    /// Ends the session: commands without an answer fail with 103, then the listener is notified, once.
    private func end(_ error: NFCReaderError) {
        let former = state.withLock { state -> State? in
            guard state.phase != .over else { return nil }
            let former = state
            state.phase = .over
            state.unanswered.fail(with: .overSession)
            let (reason, listener) = (state.wantedEnd ?? error, state.listener)
            queue.post { listener?.sessionEnded(reason) }
            state.tags.clear()
            (state.listener, state.onRemoval, state.remote) = (nil, nil, nil)
            return former
        }
        // What belongs to the program is released without the lock.
        withExtendedLifetime(former) {}
        commands.close()
        OpenSessions.process.remove(self)
    }
}

extension SessionEngine: OpenSession {
    var hasDelegate: Bool { state.withLock { $0.listener }?.hasDelegate ?? true }

    func endWithoutDelegate() {
        let reason = "the program has released the session's delegate"
        requestEnd(.init(.readerSessionInvalidationErrorUserCanceled, reason: reason), message: reason)
    }
}

extension ReaderSession {
    /// Shows a text for the session, as much of it as nfcd takes.
    fileprivate func show(_ message: String) async {
        try? await setAlertMessage(message.shortened())
    }
}

extension NFCReaderError {
    /// 103: a command of a session that is over.
    fileprivate static var overSession: NFCReaderError {
        .init(.readerTransceiveErrorSessionInvalidated, reason: "the session is over; begin a new one")
    }

    /// 202: nfcd is gone.
    fileprivate static var connectionEnded: NFCReaderError {
        .init(.readerSessionInvalidationErrorSessionTerminatedUnexpectedly, reason: "the connection to nfcd ended")
    }
}

// The requests of a program to its tags.

extension SessionEngine {
    /// Makes the tags found so far stale and restarts polling, as `polling` says or as the session began.
    func restartPolling(_ polling: ProgramDeclarations.Polling? = nil) {
        let isActive = state.withLock { state in
            guard state.phase == .active, state.wantedEnd == nil else { return false }
            state.tags.restart()
            return true
        }
        guard isActive else { return }
        call { session in
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

    /// Whether a detection is the first of its polling; see ``SessionTags/takeDetection(of:)``.
    func takeDetection(of tags: [LiveTag]) -> Bool {
        state.withLock { $0.tags.takeDetection(of: tags) }
    }

    /// Connects to a tag; `completion` gets why not.
    private func connect(to tag: LiveTag, completion: @escaping @Sendable (NFCReaderError?) -> Void) {
        perform(on: tag) { remote in
            try await remote.connect()
            self.didConnect(to: tag)
        } completion: {
            completion($0.failure)
        }
    }

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

    /// A tag takes commands from now on.
    func didConnect(to tag: LiveTag) {
        state.withLock { $0.tags.connect(tag) }
    }

    /// Whether a tag is in the field and takes commands.
    func isConnected(_ tag: LiveTag) -> Bool { connectedTag === tag }

    /// Does something with a tag after everything that was asked for before it. `completion` is posted, once, whatever
    /// happens.
    func perform<Value: Sendable>(
        on tag: LiveTag,
        _ command: @escaping @Sendable (RemoteTag) async throws -> Value,
        completion: @escaping @Sendable (Result<Value, NFCReaderError>) -> Void
    ) {
        guard let number = expect({ completion(.failure($0)) }) else { return }
        commands.add { _ in
            do {
                if let objection = self.state.withLock({ $0.tags.objection(to: tag) }) { throw objection }
                self.answer(number, completion, .success(try await command(tag.remote)))
            } catch {
                let failure = NFCReaderError(command: error)
                // That it has left comes as an event, too, but a program may look at once. A silent tag is still there.
                let hasLeft = failure.code == .readerTransceiveErrorTagConnectionLost && !(error is TagSilence)
                if hasLeft { self.state.withLock { $0.tags.lose(tag) } }
                self.answer(number, completion, .failure(failure))
            }
        }
    }

    /// Posts an error to a handler.
    func refuse(_ error: NFCReaderError, _ handler: @escaping @Sendable (NFCReaderError) -> Void) {
        queue.post { handler(error) }
    }

    /// Registers a command that waits for its answer.
    ///
    /// - Returns: its number; nil where it is not to be sent. Then it fails with 103: at once where the session is over, and with
    ///   the commands before it where the session is to end.
    private func expect(_ fail: @escaping @Sendable (NFCReaderError) -> Void) -> UInt64? {
        state.withLock { [queue] state in
            guard state.phase != .over else {
                queue.post { fail(.overSession) }
                return nil
            }
            let number = state.unanswered.add { error in queue.post { fail(error) } }
            return state.wantedEnd == nil ? number : nil
        }
    }

    private func answer<Value: Sendable>(
        _ number: UInt64, _ completion: @escaping @Sendable (Result<Value, NFCReaderError>) -> Void,
        _ result: Result<Value, NFCReaderError>
    ) {
        state.withLock { state in
            if state.unanswered.answer(number) { queue.post { completion(result) } }
        }
    }
}

extension Result {
    /// The error; nil for a value.
    var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}

private struct WeakSession: Sendable {
    weak var session: NFCReaderSession?
}
