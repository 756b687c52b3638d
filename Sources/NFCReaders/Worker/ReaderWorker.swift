package import NFCTags
import Synchronization
import Threading

/// The blocking calls of one reader: a thread for all of them, and a deadline for each.
///
/// A call that misses its deadline cannot be interrupted: its thread is abandoned, the reader is reported as failed, and
/// the next connection gets a new thread. When the stuck call has returned and its connection is closed, the reader is
/// reported as recovered. A client's own limit may be shorter than what the reader is given: the reader has failed only
/// when that is over as well. A reader that another program holds is reported as blocked instead, and one that shows a tag
/// but does not answer as failed.
package final class ReaderWorker: Sendable {
    /// The time limits of the calls.
    package struct Limits: Sendable {
        /// Connecting and resetting, which wait for other programs' transactions.
        package var connect: Duration = .seconds(5)
        /// One exchange.
        package var transmit: Duration = .seconds(5)
        /// Disconnecting.
        package var disconnect: Duration = .seconds(2)
    }

    private struct State {
        var thread: BlockingThread?
        var calls: ReaderHealth.Call = 0
        var health = ReaderHealth()
        /// Connections that are not closed.
        var open = 0
        /// Observes a reader that has a trouble without a stuck call.
        var observer: Task<Void, Never>?
    }

    /// A reader that hangs repeatedly must not use up the machine's threads.
    private static let mostStuckThreads = 4
    private static let grace = Duration.seconds(10)
    private static let busyAttempts = 5
    private static let busyPause = Duration.milliseconds(100)
    /// For as long as connecting waits for other programs' transactions.
    private static let lockAttempts = 50
    private static let observationPause = Duration.seconds(3)

    package let id: ReaderID
    private let limits: Limits
    private let clock: any Clock<Duration>
    fileprivate let timer: DeadlineTimer
    private let diagnosis: SlotDiagnosis
    private let report: @Sendable (ReaderEvent) -> Void
    private let makeReader: @Sendable () -> sending any BlockingReader
    private let state = Mutex(State())

    package init(
        id: ReaderID, limits: Limits = Limits(), clock: any Clock<Duration>, slot: (any SlotProbe)? = nil,
        report: @escaping @Sendable (ReaderEvent) -> Void,
        makeReader: @escaping @Sendable () -> sending any BlockingReader
    ) {
        self.id = id
        self.limits = limits
        self.clock = clock
        timer = DeadlineTimer(clock)
        diagnosis = SlotDiagnosis(slot: slot, clock: clock)
        self.report = report
        self.makeReader = makeReader
    }

    deinit {
        state.withLock { $0.observer?.cancel() }
    }

    /// Whether nfcd still waits for a call long after its deadline. A blocked call alone does not count: it is abandoned.
    package var isHung: Bool { timer.isLate(by: Self.grace) }

    /// Connects to the tag, with a few attempts while another program holds it.
    package func connect() async throws(CardChannelError) -> any CardConnection {
        do throws(CardChannelError) {
            let connection = try await connectPatiently()
            observeNoMore()
            return connection
        } catch {
            switch error {
            case .busy:
                let isReported = state.withLock(\.health.isBlocked)
                if !isReported, await diagnosis.isExclusive() { observe(.exclusiveUse) }
                throw error
            case .tagLost: return try await connectAgain()
            default: throw error
            }
        }
    }

    private func connectPatiently() async throws(CardChannelError) -> any CardConnection {
        for _ in 1..<Self.busyAttempts {
            do throws(CardChannelError) {
                return try await connectOnce()
            } catch {
                guard error == .busy, (try? await clock.sleep(for: Self.busyPause)) != nil else { throw error }
            }
        }
        return try await connectOnce()
    }

    /// Determines why there was no connection to a tag that was in the field.
    private func connectAgain() async throws(CardChannelError) -> any CardConnection {
        switch await diagnosis.afterLostTag() {
        case .noTag: throw .tagLost
        case .muteTag: throw .timedOut
        case .silentReader: break
        case .unknown:
            do throws(CardChannelError) {
                return try await connectOnce()
            } catch {
                guard error == .tagLost, await diagnosis.showsTag() else { throw error }
            }
        }
        observe(.silence)
        throw .readerFailed
    }

    /// A tag is in the field and does not answer; determines whether it is the reader that does not.
    package func tagIsMute() async {
        if await diagnosis.afterLostTag() == .silentReader { observe(.silence) }
    }

    private func connectOnce() async throws(CardChannelError) -> any CardConnection {
        if state.withLock(\.health.isBlocked), await diagnosis.isInUse() { throw .busy }
        let thread = try currentThread()
        let connected = try await call(thread, within: limits.connect, "connecting") { $0.connect() }
        state.withLock { $0.open += 1 }
        return WorkerConnection(
            worker: self, thread: thread, number: connected.number, answerToReset: connected.answerToReset)
    }

    fileprivate func transmit(
        _ command: [UInt8], over number: Int, on thread: BlockingThread, within limit: Duration?
    ) async throws(CardChannelError) -> [UInt8] {
        try await call(thread, within: limit ?? limits.transmit, atLeast: limits.transmit, "an exchange") {
            $0.transmit(command, over: number)
        }
    }

    fileprivate func reconnect(
        _ number: Int, on thread: BlockingThread, within limit: Duration?
    ) async throws(CardChannelError) {
        let limit = min(limit ?? limits.connect, limits.connect)
        try await call(thread, within: limit, atLeast: limits.connect, "a reset") { $0.reconnect(number) }
    }

    /// Changes whether other programs may use the tag between uses.
    fileprivate func share(_ isShared: Bool, _ number: Int, on thread: BlockingThread) async throws(CardChannelError) {
        try await call(thread, within: limits.disconnect, "sharing the tag") { $0.share(isShared, number) }
        guard !isShared else { return }
        try await lock(thread, within: { nil }) { $0.lockUnshared(number) }
    }

    fileprivate func beginUse(
        _ number: Int, on thread: BlockingThread, within remaining: () -> Duration?
    ) async throws(CardChannelError) {
        try await lock(thread, within: remaining) { $0.beginUse(number) }
    }

    fileprivate func endUse(_ number: Int, on thread: BlockingThread) async {
        _ = try? await call(thread, within: limits.disconnect, "sharing the tag") { $0.endUse(number) }
    }

    /// Locks a shared tag, as soon as other programs have ended their uses.
    private func lock(
        _ thread: BlockingThread, within remaining: () -> Duration?,
        _ operation: @escaping @Sendable (isolated BlockingThread) -> Result<Void, CardChannelError>
    ) async throws(CardChannelError) {
        for _ in 1..<Self.lockAttempts {
            do throws(CardChannelError) {
                return try await call(thread, within: limits.connect, "locking the tag", operation)
            } catch {
                guard error == .busy, remaining() ?? Self.busyPause >= Self.busyPause,
                    (try? await clock.sleep(for: Self.busyPause)) != nil
                else { throw error }
            }
        }
        try await call(thread, within: limits.connect, "locking the tag", operation)
    }

    fileprivate func close(_ number: Int, on thread: BlockingThread) async {
        defer { state.withLock { $0.open -= 1 } }
        _ = try? await call(thread, within: limits.disconnect, "disconnecting") { $0.disconnect(number) }
        timer.rest()
    }

    private func currentThread() throws(CardChannelError) -> BlockingThread {
        let thread = state.withLock { state -> BlockingThread? in
            if state.thread == nil, state.health.stuck < Self.mostStuckThreads {
                state.thread = BlockingThread(reader: makeReader())
            }
            return state.thread
        }
        guard let thread else { throw .readerFailed }
        return thread
    }

    /// - Parameters:
    ///   - limit: the time after which the caller waits no longer.
    ///   - patience: the time that the reader is given, where it is longer.
    private func call<Value: Sendable>(
        _ thread: BlockingThread, within limit: Duration, atLeast patience: Duration = .zero, _ what: String,
        _ operation: @escaping @Sendable (isolated BlockingThread) -> Result<Value, CardChannelError>
    ) async throws(CardChannelError) -> Value {
        guard let number = begin(on: thread) else { throw .readerFailed }
        // The limit of a command with several exchanges may expire between two of them; then nothing is stuck.
        guard limit > .zero else { throw .timedOut }
        let result = await timer.wait(limit, late: { self.returned(number, on: thread) }) { complete in
            thread.call { complete(operation($0)) }
        }
        guard let result else {
            let reason = "\(what) took longer than \(max(limit, patience))"
            throw await missed(number, thread, limit, because: reason, after: patience - limit)
        }
        return try result.get()
    }

    /// The number of a new call; nil where its thread was abandoned.
    private func begin(on thread: BlockingThread) -> ReaderHealth.Call? {
        state.withLock { state in
            guard state.thread === thread else { return nil }
            state.calls += 1
            return state.calls
        }
    }

    /// A call missed its deadline: the reader hangs, or another program holds it.
    private func missed(
        _ call: ReaderHealth.Call, _ thread: BlockingThread, _ limit: Duration, because reason: String,
        after grace: Duration
    ) async -> CardChannelError {
        // A stuck call or an open connection holds the card itself.
        let mayBeHeld = state.withLock { state in
            if state.thread === thread { state.thread = nil }
            defer { state.health.missed(call) }
            return state.health.stuck == 0 && state.open == 0
        }
        if mayBeHeld, await diagnosis.isInUse() {
            update { $0.health.blocked(call, "another program uses it and did not release it within \(limit)") }
            return .busy
        }
        guard grace > .zero else {
            update { $0.health.failed(call, reason) }
            return .timedOut
        }
        Task { [weak self, clock] in
            try? await clock.sleep(for: grace)
            self?.update { $0.health.timeIsOver(call, reason) }
        }
        return .timedOut
    }

    /// A stuck call has returned. Its connection is closed before that is reported: closing resets the tag, which must not
    /// happen while the next connection is made.
    private func returned(_ call: ReaderHealth.Call, on thread: BlockingThread) {
        thread.call {
            $0.abandon()
            self.update { $0.health.returned(call) }
        }
    }

    /// Reports what an event means. Under the lock, so that reports keep their order.
    private func update(_ event: (inout State) -> [ReaderHealth.Condition]) {
        state.withLock { state in
            for condition in event(&state) { report(ReaderEvent(condition, of: id)) }
        }
    }

    /// Reports a trouble, and observes the reader until it is over.
    private func observe(_ trouble: ReaderHealth.Trouble) {
        update { state in
            guard state.observer == nil else { return [] }
            state.observer = Task { [weak self, clock] in
                while (try? await clock.sleep(for: Self.observationPause)) != nil {
                    guard let self else { return }
                    if await isOver(trouble) { return observeNoMore() }
                }
            }
            return state.health.began(trouble)
        }
    }

    /// The reader works.
    private func observeNoMore() {
        update { state in
            guard let observer = state.observer else { return [] }
            observer.cancel()
            state.observer = nil
            return state.health.troubleIsOver()
        }
    }

    private func isOver(_ trouble: ReaderHealth.Trouble) async -> Bool {
        switch trouble {
        case .exclusiveUse: return await !diagnosis.isExclusive()
        case .silence:
            guard await diagnosis.showsTag(), state.withLock(\.open) == 0 else { return false }
            guard let connection = try? await connectOnce() else { return false }
            await connection.close()
            return true
        }
    }
}

extension ReaderEvent {
    fileprivate init(_ condition: ReaderHealth.Condition, of reader: ReaderID) {
        switch condition {
        case .works: self = .recovered(reader)
        case .blocked(let reason): self = .blocked(reader, reason: reason)
        case .failed(let reason): self = .failed(reader, reason: reason)
        }
    }
}

/// A connection to a tag on a worker's thread. Once that thread is abandoned, every call fails at once.
private struct WorkerConnection: CardConnection, TagSharing {
    let worker: ReaderWorker
    let thread: BlockingThread
    /// The number of the connection on its thread.
    let number: Int
    let answerToReset: [UInt8]
    /// The remaining time, if the connection has a limit.
    var remaining: (@Sendable () -> Duration)?

    func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        try await worker.transmit(command, over: number, on: thread, within: remaining?())
    }

    func reconnect() async throws(CardChannelError) {
        try await worker.reconnect(number, on: thread, within: remaining?())
    }

    func limited(to limit: Duration) -> any CardConnection {
        var limited = self
        limited.remaining = worker.timer.countdown(limit)
        return limited
    }

    var sharing: (any TagSharing)? { self }

    func share(_ isShared: Bool) async throws(CardChannelError) {
        try await worker.share(isShared, number, on: thread)
    }

    func beginUse() async throws(CardChannelError) {
        try await worker.beginUse(number, on: thread, within: { remaining?() })
    }

    func endUse() async {
        await worker.endUse(number, on: thread)
    }

    func close() async {
        await worker.close(number, on: thread)
    }
}
