import NFCProtocol

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

/// What a session asks nfcd for.
typealias SessionParameters = SessionBegin.Parameters

/// The engine's listener: the session itself, under names that a client's subclass does not see.
final class SessionCallbacks: SessionListener {
    private let session: NFCReaderSession

    init(_ session: NFCReaderSession) {
        self.session = session
    }

    var hasDelegate: Bool { session.delegate != nil }
    func sessionBecameActive() { session.notify { [session] in session.becameActive() } }
    func sessionDetected(_ tags: [LiveTag]) { session.notify { [session] in session.detected(tags) } }
    func sessionEnded(_ error: NFCReaderError) { session.notify { [session] in session.ended(error) } }
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
