import NFCTags
import Synchronization

/// One reader's worker: a thread for the calls that block, and a deadline in front of each.
///
/// A call that misses its deadline cannot be taken back: its thread is abandoned, the reader is reported as failed, and
/// the next connection gets a new thread. When the stuck call returns, the reader is reported as recovered.
final class ReaderWorker: Sendable {
    /// How long the calls may take.
    struct Deadlines: Sendable {
        /// For connecting and for a reset, which wait for other programs' transactions.
        var connect: Duration = .seconds(5)
        /// For one exchange.
        var transmit: Duration = .seconds(5)
        /// For letting go.
        var disconnect: Duration = .seconds(2)
    }

    private struct State {
        var thread: BlockingThread?
        var stuck = 0
    }

    /// A reader that hangs again and again must not use up the machine's threads.
    private static let mostStuckThreads = 4
    private static let grace = Duration.seconds(10)
    private static let busyAttempts = 5
    private static let busyPause = Duration.milliseconds(100)

    let id: ReaderID
    private let deadlines: Deadlines
    private let clock: any Clock<Duration>
    fileprivate let watchdog: Watchdog
    private let report: @Sendable (ReaderEvent) -> Void
    private let makeReader: @Sendable () -> sending any BlockingReader
    private let state = Mutex(State())

    init(
        id: ReaderID, deadlines: Deadlines = Deadlines(), clock: any Clock<Duration>,
        report: @escaping @Sendable (ReaderEvent) -> Void,
        makeReader: @escaping @Sendable () -> sending any BlockingReader
    ) {
        self.id = id
        self.deadlines = deadlines
        self.clock = clock
        watchdog = Watchdog(clock)
        self.report = report
        self.makeReader = makeReader
    }

    /// Whether a call is still waited for long after its deadline. A call that blocks is given up, and is no hang.
    var isHung: Bool { watchdog.isLate(by: Self.grace) }

    /// Connects; a card that another program holds is tried a few times.
    func connect() async throws(CardChannelError) -> any CardConnection {
        for _ in 1..<Self.busyAttempts {
            do throws(CardChannelError) {
                return try await connectOnce()
            } catch {
                guard error == .busy, (try? await clock.sleep(for: Self.busyPause)) != nil else { throw error }
            }
        }
        return try await connectOnce()
    }

    private func connectOnce() async throws(CardChannelError) -> any CardConnection {
        let thread = try currentThread()
        let connected = try await call(thread, within: deadlines.connect, "connecting") { $0.connect() }
        return WorkerConnection(
            worker: self, thread: thread, number: connected.number, answerToReset: connected.answerToReset)
    }

    fileprivate func transmit(
        _ command: [UInt8], over number: Int, on thread: BlockingThread, within limit: Duration?
    ) async throws(CardChannelError) -> [UInt8] {
        try await call(thread, within: limit ?? deadlines.transmit, "an exchange") {
            $0.transmit(command, over: number)
        }
    }

    fileprivate func reconnect(
        _ number: Int, on thread: BlockingThread, within limit: Duration?
    ) async throws(CardChannelError) {
        let limit = min(limit ?? deadlines.connect, deadlines.connect)
        try await call(thread, within: limit, "a reset") { $0.reconnect(number) }
    }

    fileprivate func close(_ number: Int, on thread: BlockingThread) async {
        _ = try? await call(thread, within: deadlines.disconnect, "disconnecting") { $0.disconnect(number) }
        watchdog.rest()
    }

    private func currentThread() throws(CardChannelError) -> BlockingThread {
        let thread = state.withLock { state -> BlockingThread? in
            if state.thread == nil, state.stuck < Self.mostStuckThreads {
                state.thread = BlockingThread(reader: makeReader())
            }
            return state.thread
        }
        guard let thread else { throw .readerFailed }
        return thread
    }

    private func call<Value: Sendable>(
        _ thread: BlockingThread, within limit: Duration, _ what: String,
        _ operation: @escaping @Sendable (isolated BlockingThread) -> Result<Value, CardChannelError>
    ) async throws(CardChannelError) -> Value {
        guard isCurrent(thread) else { throw .readerFailed }
        // The time of a command with several exchanges may be over between two of them; then nothing is stuck.
        guard limit > .zero else { throw .timedOut }
        guard let result = await result(of: operation, on: thread, within: limit) else {
            abandon(thread, because: "\(what) took longer than \(limit)")
            throw .timedOut
        }
        return try result.get()
    }

    /// Nil: it did not return in time.
    private func result<Value: Sendable>(
        of operation: @escaping @Sendable (isolated BlockingThread) -> Value, on thread: BlockingThread,
        within limit: Duration
    ) async -> Value? {
        await withCheckedContinuation { (continuation: CheckedContinuation<Value?, Never>) in
            let first = FirstResult(continuation)
            let watched = watchdog.watch(limit) { _ = first.resume(returning: nil) }
            thread.call { thread in
                let value = operation(thread)
                self.watchdog.end(watched)
                if !first.resume(returning: value) { self.returned() }
            }
        }
    }

    private func isCurrent(_ thread: BlockingThread) -> Bool {
        state.withLock { $0.thread === thread }
    }

    private func abandon(_ thread: BlockingThread, because reason: String) {
        // Reported under the lock, so that failed and recovered keep their order.
        state.withLock { state in
            state.stuck += 1
            if state.thread === thread { state.thread = nil }
            report(.failed(id, reason: reason))
            // The call may have returned between its deadline and here.
            if state.stuck == 0 { report(.recovered(id)) }
        }
    }

    private func returned() {
        state.withLock { state in
            state.stuck -= 1
            if state.stuck == 0 { report(.recovered(id)) }
        }
    }
}

/// A tag held by a worker's thread. When that thread was abandoned, every call fails at once.
private struct WorkerConnection: CardConnection {
    let worker: ReaderWorker
    let thread: BlockingThread
    /// Which of the thread's connections it is.
    let number: Int
    let answerToReset: [UInt8]
    /// What is left of a limit, if there is one.
    var remaining: (@Sendable () -> Duration)?

    func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        try await worker.transmit(command, over: number, on: thread, within: remaining?())
    }

    func reconnect() async throws(CardChannelError) {
        try await worker.reconnect(number, on: thread, within: remaining?())
    }

    func limited(to limit: Duration) -> any CardConnection {
        var limited = self
        limited.remaining = worker.watchdog.countdown(limit)
        return limited
    }

    func close() async {
        await worker.close(number, on: thread)
    }
}

/// A reader as a library shows it whose calls block; used from one thread only.
protocol BlockingReader: AnyObject {
    /// Connects to the tag in the field; returns its answer to reset.
    func connect() throws(CardChannelError) -> [UInt8]

    /// One command APDU, the whole response.
    func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8]

    /// Resets the tag, which stays connected and forgets everything.
    func reconnect() throws(CardChannelError)

    /// Lets go of the tag; without a connection nothing happens.
    func disconnect()
}

/// The thread on which a reader blocks.
actor BlockingThread {
    private let executor: ThreadExecutor
    private let reader: any BlockingReader
    /// How often a card was connected to. A connection that is not the latest has no card any more: the latest has.
    private var connections = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(reader: sending any BlockingReader) {
        executor = ThreadExecutor()
        self.reader = reader
    }

    /// Runs a call when the calls before it have returned. No task is made for it: whoever waits may give it up.
    nonisolated func call(_ body: @escaping @Sendable (isolated BlockingThread) -> Void) {
        executor.run { self.assumeIsolated(body) }
    }

    /// The answer to reset, and the number of the connection.
    func connect() -> Result<(answerToReset: [UInt8], number: Int), CardChannelError> {
        Result { () throws(CardChannelError) in
            let answer = try reader.connect()
            connections += 1
            return (answer, connections)
        }
    }

    func transmit(_ command: [UInt8], over number: Int) -> Result<[UInt8], CardChannelError> {
        Result { () throws(CardChannelError) in
            guard number == connections else { throw .tagLost }
            return try reader.transmit(command)
        }
    }

    func reconnect(_ number: Int) -> Result<Void, CardChannelError> {
        Result { () throws(CardChannelError) in
            guard number == connections else { throw .tagLost }
            try reader.reconnect()
        }
    }

    func disconnect(_ number: Int) -> Result<Void, CardChannelError> {
        if number == connections { reader.disconnect() }
        return .success(())
    }
}
