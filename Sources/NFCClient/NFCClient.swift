import FoundationEssentials
import Synchronization

/// A connection to nfcd.
///
/// ``beginSession(_:)`` and ``withSession(_:_:)`` begin reader sessions, ``observeEvents()`` and ``observeTaps(matching:removals:requiring:)``
/// observe readers and taps, ``observeRecordedTaps(consumer:after:requiring:)`` the taps of the journal, and ``call(_:_:)`` calls any other
/// method of the socket. All of it may be used from any task at the same time; each session and each observation gets its own
/// events.
///
/// Events wait in memory until the program reads them: up to 4 MiB for each session and each observation. One that holds
/// more ends: the session with 202, the observation with ``NFCClientError/fellBehind``. The connection and all else
/// on it continue.
public final class NFCClient: Sendable {
    private let connection: any LineConnection
    private let inbox: Inbox
    /// How long an answer may take that no tag is needed for; nil: any time.
    private let answerLimit: AnswerLimit?

    private init(connection: any LineConnection, inbox: Inbox, answerLimit: AnswerLimit?) {
        self.connection = connection
        self.inbox = inbox
        self.answerLimit = answerLimit
    }

    /// Connects to the daemon. The connection lasts until ``close()``.
    ///
    /// - Parameter path: the daemon's socket; by default the usual one.
    /// - Throws: `NFCClientError`.
    public static func connect(to path: String = NFCClient.defaultPath) async throws -> NFCClient {
        try await connect(to: SocketEndpoint(path: path))
    }

    /// Connects to a daemon. The connection lasts until ``close()``.
    ///
    /// - Throws: `NFCClientError`.
    package static func connect(to endpoint: any DaemonEndpoint) async throws -> NFCClient {
        try await connect(to: endpoint, answerLimit: nil)
    }

    /// Connects to a daemon that has to answer in time: a request that no tag is needed for fails otherwise, and the connection is
    /// closed. The connection lasts until ``close()``.
    ///
    /// - Throws: `NFCClientError`.
    package static func connect(to path: String, answersWithin limit: Duration) async throws -> NFCClient {
        try await connect(
            to: SocketEndpoint(path: path, acceptsWithin: limit / .seconds(1)),
            answerLimit: AnswerLimit(path: path, duration: limit))
    }

    private static func connect(
        to endpoint: any DaemonEndpoint, answerLimit: AnswerLimit?
    ) async throws -> NFCClient {
        let inbox = Inbox()
        let connection = try await endpoint.connect(inbox)
        inbox.reply(over: connection)
        return NFCClient(connection: connection, inbox: inbox, answerLimit: answerLimit)
    }

    /// Connects to the daemon for as long as `body` runs.
    ///
    /// - Parameters:
    ///   - path: the daemon's socket; by default the usual one.
    ///   - body: uses the connection.
    /// - Throws: `NFCClientError` if there is no connection; otherwise what `body` throws.
    public static func withConnection<Value>(
        to path: String = NFCClient.defaultPath, _ body: (NFCClient) async throws -> Value
    ) async throws -> Value {
        try await withConnection(to: SocketEndpoint(path: path), body)
    }

    /// Connects to a daemon for as long as `body` runs.
    ///
    /// - Throws: `NFCClientError` if there is no connection; otherwise what `body` throws.
    package static func withConnection<Value>(
        to endpoint: any DaemonEndpoint, _ body: (NFCClient) async throws -> Value
    ) async throws -> Value {
        try await connect(to: endpoint).closing(after: body)
    }

    /// Runs `body`, and closes the connection whether or not it throws.
    ///
    /// - Throws: what `body` throws.
    package func closing<Value>(after body: (NFCClient) async throws -> Value) async throws -> Value {
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(self))
        } catch {
            result = .failure(error)
        }
        await close()
        return try result.get()
    }

    /// The socket of the usual daemon: the one that `NFCD_SOCKET` names, the user's own if it exists, otherwise the system's.
    public static var defaultPath: String {
        SocketPath.client(option: nil, environment: ProcessInfo.processInfo.environment) {
            FileManager.default.fileExists(atPath: $0)
        }
    }

    /// Closes the connection. Its sessions end with 202, its observations and calls with `connectionLost`.
    public func close() async {
        await connection.close()
    }

    /// Waits until the connection ends.
    ///
    /// - Returns: why it ended.
    /// - Throws: `CancellationError`.
    public func waitForEnd() async throws -> NFCClientError {
        try await inbox.waitForEnd()
    }

    // MARK: Calls

    /// Calls a method of the daemon.
    ///
    /// Where the task is cancelled, the request is taken back if the daemon has not started it; whether a started one
    /// is carried out is not known then.
    ///
    /// - Throws: `NFCClientError`, `.refused` with the daemon's own error; `CancellationError`.
    public func call<M: Method>(_ method: M.Type, _ parameters: M.Parameters) async throws -> M.Result {
        try await call(method, parameters, onProgress: nil, onLateResult: nil)
    }

    /// Calls a method that takes no parameters.
    ///
    /// - Throws: `NFCClientError`, `.refused` with the daemon's own error; `CancellationError`.
    public func call<M: Method>(_ method: M.Type) async throws -> M.Result where M.Parameters == Empty {
        try await call(method, Empty())
    }

    /// Calls a method that reports its progress.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - parameters: its parameters.
    ///   - onProgress: is called with the number of steps done and of all steps, one call at a time, for the last time before this
    ///     returns; it must not block.
    /// - Throws: `NFCClientError`, `.refused` with the daemon's own error; `CancellationError`.
    public func call<M: Method>(
        _ method: M.Type, _ parameters: M.Parameters,
        progress onProgress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) async throws -> M.Result where M.Parameters: ProgressParameters {
        var parameters = parameters
        parameters.progress = true
        return try await call(method, parameters, onProgress: onProgress, onLateResult: nil)
    }

    /// Calls a method.
    ///
    /// - Parameter onLateResult: is called with a result that comes after the call was cancelled.
    private func call<M: Method>(
        _ method: M.Type, _ parameters: M.Parameters, onProgress: PendingRequests.ProgressHandler?,
        onLateResult: (@Sendable (M.Result) -> Void)?
    ) async throws -> M.Result {
        let id = inbox.pending.makeID()
        let request = try JSONLine.encode(Request(id: .integer(id), method: M.name, params: parameters))
        let onLateAnswer: PendingRequests.LateAnswerHandler? =
            if let onLateResult {
                { line in if let result = try? Self.result(of: M.self, in: line) { onLateResult(result) } }
            } else {
                nil
            }
        let limit = M.self is any TagMethod.Type || M.self == SessionConnect.self ? nil : answerLimit
        let answer = try await limit.run(M.name, closing: connection) { [inbox, connection] in
            try await inbox.pending.answer(to: id, onProgress: onProgress, onLateAnswer: onLateAnswer) {
                connection.send(request)
            } cancel: {
                connection.notify(CancelRequest.self, .init(id: .integer(id)))
            }
        }
        return try Self.result(of: M.self, in: answer)
    }

    private static func result<M: Method>(of method: M.Type, in line: Data) throws -> M.Result {
        let answer: Answer<M.Result>
        do {
            answer = try JSONLine.decode(Answer<M.Result>.self, from: line)
        } catch {
            throw NFCClientError.protocolViolation("\(M.name): \(error)")
        }
        if let error = answer.error { throw NFCClientError.refused(error) }
        guard let result = answer.result else { throw NFCClientError.protocolViolation("\(M.name): no result") }
        return result
    }

    // MARK: Sessions and observations

    /// Begins a reader session. It lasts until ``ReaderSession/invalidate(errorMessage:)``, until the daemon ends it, or until
    /// the connection ends.
    ///
    /// Whether the session becomes active is one of its events: a session without a reader ends with 1, for example.
    ///
    /// - Throws: `NFCClientError`; `CancellationError`.
    public func beginSession(_ parameters: SessionBegin.Parameters) async throws -> ReaderSession {
        try await inbox.router.opening {
            let session = try await call(SessionBegin.self, parameters, onProgress: nil) { [connection] late in
                connection.notify(SessionInvalidate.self, .init(session: late.session))
            }.session
            return ReaderSession(client: self, id: session, queue: inbox.router.open(session))
        }
    }

    /// Shows a text to people who monitor the daemon, until it is hidden or the connection ends.
    ///
    /// - Returns: the name of the notice, for ``hideNotice(_:)``.
    /// - Throws: `NFCClientError`; `CancellationError`.
    public func showNotice(_ text: String) async throws -> String {
        try await call(NoticesShow.self, .init(text: text)).notice
    }

    /// Hides a notice of this connection.
    ///
    /// - Throws: `NFCClientError`; `CancellationError`.
    public func hideNotice(_ notice: String) async throws {
        _ = try await call(NoticesHide.self, .init(notice: notice))
    }

    /// Runs `body` with a reader session, which is invalidated afterwards, also where the task is cancelled.
    ///
    /// - Throws: `NFCClientError` if the session cannot begin; otherwise what `body` throws.
    public func withSession<Value>(
        _ parameters: SessionBegin.Parameters, _ body: (ReaderSession) async throws -> Value
    ) async throws -> Value {
        let session = try await beginSession(parameters)
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(session))
        } catch {
            result = .failure(error)
        }
        await session.end()
        return try result.get()
    }

    /// Observes readers, tags and the sessions of all clients. Needs the capability `monitor`.
    ///
    /// - Throws: `NFCClientError`; `CancellationError`.
    public func observeEvents() async throws -> Observation {
        let queue = ObservationQueue(includesEvents: true)
        inbox.router.add(queue)
        do {
            _ = try await call(EventsSubscribe.self)
        } catch {
            inbox.router.remove(queue)
            throw error
        }
        return Observation(client: self, queue: queue)
    }

    /// Observes taps on readers that no session holds. Needs the capability `background`.
    ///
    /// - Parameters:
    ///   - filter: the taps that are wanted; nil for all.
    ///   - removals: whether an event follows each tap when its tag leaves.
    ///   - requirement: `.proven`: only taps whose tag has proven itself, and their removals.
    /// - Throws: `NFCClientError`, also if the daemon does not know the requirement; `CancellationError`.
    public func observeTaps(
        matching filter: BackgroundSubscribe.Filter? = nil, removals: Bool = false,
        requiring requirement: ProofRequirement? = nil
    ) async throws -> Observation {
        let queue = ObservationQueue(includesEvents: false)
        inbox.router.add(queue)
        do {
            try await subscribe(queue, matching: filter, removals: removals, requiring: requirement)
        } catch {
            inbox.router.remove(queue)
            throw error
        }
        return Observation(client: self, queue: queue)
    }

    /// Records the exchanges with tags and the events of readers. Needs the capability `manage`.
    ///
    /// The observation has the lines as ``ObservedEvent/didRecord(_:)``. `recording.stop` ends it, with a last line whose event is `end`.
    ///
    /// - Parameters:
    ///   - reader: the id or name of the reader; nil for all.
    ///   - withContent: whether the contents of tags are recorded; needs `read` and `raw` as well.
    /// - Returns: the name of the recording, and its lines.
    /// - Throws: `NFCClientError`; `CancellationError`.
    public func observeRecording(
        reader: String? = nil, withContent: Bool = false
    ) async throws -> (name: String, lines: Observation) {
        let queue = ObservationQueue(includesEvents: false)
        inbox.router.add(queue)
        do {
            let name = try await inbox.router.opening {
                let parameters = RecordingStart.Parameters(reader: reader, withContent: withContent ? true : nil)
                let name = try await call(RecordingStart.self, parameters).recording
                inbox.router.open(name, for: queue)
                return name
            }
            return (name, Observation(client: self, queue: queue))
        } catch {
            inbox.router.remove(queue)
            throw error
        }
    }

    /// Adds taps to an observation.
    func subscribe(
        _ queue: ObservationQueue, matching filter: BackgroundSubscribe.Filter?, removals: Bool,
        requiring requirement: ProofRequirement?
    ) async throws {
        // A daemon that does not know the parameter refuses it, so it is sent only where it is needed.
        let parameters = BackgroundSubscribe.Parameters(
            filter: filter, removals: removals ? true : nil, require: requirement)
        try await inbox.router.opening {
            let subscription = try await call(BackgroundSubscribe.self, parameters, onProgress: nil) {
                [connection] late in
                connection.notify(BackgroundUnsubscribe.self, .init(subscription: late.subscription))
            }.subscription
            inbox.router.open(subscription, for: queue)
        }
    }

    /// Ends an observation.
    func unsubscribe(_ queue: ObservationQueue) {
        inbox.router.remove(queue)
        for subscription in queue.subscriptions {
            connection.notify(BackgroundUnsubscribe.self, .init(subscription: subscription))
        }
        WokenReaders.resume { queue.finish(nil, &$0) }
    }

    /// Subscribes to the taps of the journal.
    func subscribe(_ parameters: TapsSubscribe.Parameters) async throws -> (TapsSubscribe.Result, RecordedTapQueue) {
        try await inbox.router.opening {
            let result = try await call(TapsSubscribe.self, parameters, onProgress: nil) { [connection] late in
                connection.notify(TapsUnsubscribe.self, .init(subscription: late.subscription))
            }
            return (result, inbox.router.openTaps(result.subscription))
        }
    }

    /// Ends a subscription to the taps of the journal.
    func unsubscribe(_ queue: RecordedTapQueue, from subscription: String) {
        inbox.router.closeTaps(subscription)
        connection.notify(TapsUnsubscribe.self, .init(subscription: subscription))
        WokenReaders.resume { queue.finish(nil, &$0) }
    }
}

/// How long an answer of the daemon may take.
private struct AnswerLimit: Sendable {
    struct Reached: Error {}

    /// The daemon's socket.
    let path: String
    let duration: Duration
}

extension Optional<AnswerLimit> {
    /// Waits for an answer. Where it does not come in time, the connection is closed: nothing else can be expected of it.
    fileprivate func run(
        _ method: String, closing connection: any LineConnection, _ answer: @escaping @Sendable () async throws -> Data
    ) async throws -> Data {
        guard let limit = self else { return try await answer() }
        do {
            return try await withThrowingTaskGroup(of: Data.self) { group in
                group.addTask { try await answer() }
                group.addTask {
                    try await Task.sleep(for: limit.duration)
                    throw AnswerLimit.Reached()
                }
                defer { group.cancelAll() }
                guard let first = try await group.next() else { throw CancellationError() }
                return first
            }
        } catch is AnswerLimit.Reached {
            await connection.close()
            let seconds = limit.duration.components.seconds
            throw NFCClientError.connectionFailed(
                path: limit.path,
                reason: "no answer to \(method) within \(seconds) s; the program there may hang: restart it")
        }
    }
}

/// The answer to a request.
private struct Answer<Result: Decodable>: Decodable {
    let result: Result?
    let error: RPCError?
}

extension LineConnection {
    /// Calls a method whose answer is of no interest.
    fileprivate func notify<M: Method>(_ method: M.Type, _ parameters: M.Parameters) {
        guard let line = try? JSONLine.encode(NotificationMessage(method: M.name, params: parameters)) else { return }
        send(line)
    }
}

/// Where the lines of a connection go: answers to their requests, events to their sessions and observations.
private final class Inbox: LineRecipient {
    let pending = PendingRequests()
    let router = EventRouter()
    /// Ends with the connection.
    private let life = EventQueue<Never>(budget: 0)
    private let reason = Mutex(NFCClientError.connectionLost)
    /// Why the daemon ends the connection.
    private let refusal = Mutex<RPCError?>(nil)
    private let connection = Mutex<(any LineConnection)?>(nil)

    /// Sends what the daemon has to be notified of over this connection.
    func reply(over connection: any LineConnection) {
        self.connection.withLock { $0 = connection }
    }

    func waitForEnd() async throws -> NFCClientError {
        _ = await life.next()
        try Task.checkCancellation()
        return reason.withLock { $0 }
    }

    func receive(_ line: Data) {
        switch DaemonLine(line: line) {
        case .answer(let id): pending.resume(id, with: line)
        case .progress(let progress): pending.report(progress)
        case .event(let event):
            guard let unread = router.deliver(event, size: line.count) else { return }
            let connection = connection.withLock { $0 }
            switch unread {
            case .session(let id): connection?.notify(SessionInvalidate.self, .init(session: id))
            case .taps(let id): connection?.notify(TapsUnsubscribe.self, .init(subscription: id))
            }
        case .refusal(let error): refusal.withLock { $0 = error }
        case .unknown: break
        }
    }

    func end(_ reason: NFCClientError) {
        var reason = reason
        if case .connectionLost = reason, let refusal = refusal.withLock({ $0 }) { reason = .refused(refusal) }
        pending.end(reason)
        router.end(reason)
        self.reason.withLock { $0 = reason }
        WokenReaders.resume { life.finish(&$0) }
        // Released without the lock.
        _ = connection.withLock { $0.take() }
    }
}
