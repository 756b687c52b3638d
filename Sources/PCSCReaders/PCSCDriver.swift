import Dispatch
public import NFCReaders
public import NFCTags
import PCSC
import Synchronization
import Threading

/// The readers of pcscd: one monitor, and a worker for each reader.
public final class PCSCDriver: ReaderDriver {
    private let clock: any Clock<Duration>
    private let timer: DeadlineTimer
    private let monitor: PCSCMonitor
    private let registry: ReaderRegistry
    private let workers = Mutex<[ReaderName: ReaderWorker]>([:])

    /// Creates a driver for the machine's pcscd.
    ///
    /// - Parameters:
    ///   - settings: what the configuration defines about readers.
    ///   - clock: the clock for deadlines and pauses.
    public init(settings: [ReaderSetting] = [], clock: any Clock<Duration> = ContinuousClock()) {
        self.clock = clock
        timer = DeadlineTimer(clock)
        monitor = PCSCMonitor(clock: clock)
        registry = ReaderRegistry(settings: settings, clock: clock) { ReaderInquiry.facts(of: $0) }
    }

    /// Monitors the readers until the task is cancelled.
    public func run(report: @escaping @Sendable (ReaderEvent) -> Void) async {
        registry.report(to: { [weak self] event in
            report(event)
            if case .tagMute(let id) = event { self?.examineMuteTag(on: id) }
        })
        await monitor.run(registry)
    }

    /// Returns when the reported readers are up to date.
    public func refresh() async {
        _ = await timer.result(within: refreshLimit) { [monitor] in await monitor.refresh() }
    }

    /// Connects to the tag on a reader, through its worker.
    public func connect(to reader: ReaderID) async throws(CardChannelError) -> any CardConnection {
        guard let name = registry.name(of: reader) else { throw .readerFailed }
        return try await worker(for: reader, name).connect()
    }

    /// Caches the result of a probe until nfcd ends.
    public func cache(_ profile: ReaderProfile, of reader: ReaderID) {
        registry.take(probed: profile, of: reader)
    }

    /// Sends an escape command (PC/SC Part 10), if the driver reported that it allows them.
    public func escape(_ command: [UInt8], to reader: ReaderID) async {
        guard let name = registry.name(of: reader), let code = registry.escapeCode(of: reader) else { return }
        _ = await timer.result(
            within: ReaderRegistry.inquiryLimit,
            ofBlocking: { ReaderInquiry.escape(command, code: code, to: name) })
    }

    /// Replaces the settings, also for attached readers; a connected tag keeps its transport.
    public func replace(settings: [ReaderSetting]) {
        registry.replace(settings: settings)
    }

    /// Readers that nfcd still waits for long after the deadline of a call.
    public var hungReaders: [ReaderID] {
        let all = workers.withLock { Array($0.values) }
        return all.filter(\.isHung).map(\.id)
    }

    /// A reader that hangs may look like one with a mute tag.
    private func examineMuteTag(on reader: ReaderID) {
        Task {
            guard let name = registry.name(of: reader) else { return }
            await worker(for: reader, name).tagIsMute()
        }
    }

    private func worker(for id: ReaderID, _ name: ReaderName) -> ReaderWorker {
        workers.withLock { workers in
            if let worker = workers[name], worker.id == id { return worker }
            // The worker of an unplugged reader is released, and its thread ends.
            workers = workers.filter { registry.name(of: $0.value.id) == $0.key }
            let slot = PCSCSlot(name: name, isInquiring: { [registry] in registry.isInquiring(id) })
            let worker = ReaderWorker(id: id, clock: clock, slot: slot, report: { [registry] in registry.take($0) }) {
                PCSCReader(name: name)
            }
            workers[name] = worker
            return worker
        }
    }
}

/// Waits for changes of pcscd's readers on its own thread, and reconnects after a restart of pcscd.
actor PCSCMonitor {
    /// pcscd before 2.3 misses a change between two waits; the slice limits the delay until it is detected.
    private static let slice = Duration.seconds(60)
    private static let maximumListingRaces = 5

    /// The pauses between attempts to reach pcscd.
    static let pauses = BackOff(base: .milliseconds(200), cap: .seconds(5))

    private let executor = ThreadExecutor()
    private let clock: any Clock<Duration>
    private let attention = MonitorAttention()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(clock: any Clock<Duration>) {
        self.clock = clock
    }

    /// Runs until the task is cancelled.
    nonisolated func run(_ readers: ReaderRegistry) async {
        Task {
            await keepFollowing(readers)
            attention.ended()
        }
        await withTaskCancellationHandler {
            await attention.finish()
        } onCancel: {
            attention.stop()
        }
    }

    /// Returns when the reported readers are up to date; ends a pause between two attempts.
    nonisolated func refresh() async {
        await attention.refresh()
    }

    private func keepFollowing(_ readers: ReaderRegistry) async {
        var backOff = Self.pauses
        while !attention.isStopped {
            let attempt = readers.serviceAttempt()
            do throws(PCSCError) {
                try follow(readers, attempt, backOff: &backOff)
            } catch {
                attention.lost()
                readers.serviceFailed(error)
            }
            attempt.cancel()
            await attention.rest(for: backOff.next(), clock: clock)
        }
    }

    /// Blocks until stopped, or until pcscd ends.
    private func follow(
        _ readers: ReaderRegistry, _ attempt: Task<Void, Never>, backOff: inout BackOff
    ) throws(PCSCError) {
        let context = try Context()
        attention.following(context.canceller)
        // pcscd answers when it has initialized its readers.
        var states = readers.serviceStarted(with: try context.readers())
        attempt.cancel()
        backOff.reset()
        var timeout = Duration.zero
        var races = 0
        while !attention.isStopped {
            do throws(PCSCError) {
                if try context.waitForChange(in: &states, timeout: timeout) { readers.update(states) }
                races = 0
            } catch {
                // A reader was unplugged between the listing and the wait; the next listing shows which.
                guard error.code == .unknownReader, races < Self.maximumListingRaces else { throw error }
                races += 1
            }
            attention.settled()
            timeout = Self.slice
            states = readers.list(try context.readers())
        }
    }
}

/// Requests to the monitor while its thread is blocked: stop, try again, wait until the readers are up to date.
final class MonitorAttention: Sendable {
    private enum Phase {
        case looking
        case settled
        case resting(Task<Void, Never>)
    }

    private struct State {
        var phase = Phase.looking
        var waiters: [CheckedContinuation<Void, Never>] = []
        var canceller: Context.Canceller?
        var isStopped = false
        var hasEnded = false
        var finisher: CheckedContinuation<Void, Never>?

        mutating func takeFinisher() -> CheckedContinuation<Void, Never>? {
            defer { finisher = nil }
            return finisher
        }
    }

    private let state = Mutex(State())
    private let end = DispatchSemaphore(value: 0)

    var isStopped: Bool { state.withLock(\.isStopped) }

    /// The monitor has a new context.
    func following(_ canceller: Context.Canceller) {
        state.withLock {
            $0.canceller = canceller
            $0.phase = .looking
        }
    }

    /// The monitor has no context any more.
    func lost() {
        state.withLock { $0.canceller = nil }
    }

    /// The monitor has reported all readers.
    func settled() {
        release(.settled)
    }

    /// Pauses before the next attempt; a refresh or a stop ends the pause.
    func rest(for pause: Duration, clock: any Clock<Duration>) async {
        let sleep = Task { _ = try? await clock.sleep(for: pause) }
        release(.resting(sleep))
        if isStopped { sleep.cancel() }
        await sleep.value
        state.withLock { $0.phase = .looking }
    }

    /// Returns when the monitor has finished its current attempt, with or without success.
    func refresh() async {
        await withCheckedContinuation { continuation in
            let isSettled = state.withLock { state in
                if case .settled = state.phase { return true }
                if state.isStopped { return true }
                if case .resting(let sleep) = state.phase { sleep.cancel() }
                state.waiters.append(continuation)
                return false
            }
            if isSettled { continuation.resume() }
        }
    }

    /// Ends the monitor. A cancel without a waiting call has no effect, so it is repeated until the monitor has ended.
    func stop() {
        let finisher = state.withLock { state in
            state.isStopped = true
            if case .resting(let sleep) = state.phase { sleep.cancel() }
            return state.canceller == nil ? state.takeFinisher() : nil
        }
        finisher?.resume()
        DispatchQueue.global().async { [self] in
            repeat {
                state.withLock(\.canceller)?.cancel()
            } while end.wait(timeout: .now() + .milliseconds(50)) == .timedOut
        }
    }

    /// The monitor has ended.
    func ended() {
        release(.settled)
        let finisher = state.withLock { state in
            state.hasEnded = true
            return state.takeFinisher()
        }
        finisher?.resume()
        end.signal()
    }

    /// Returns when the monitor has ended. A stopped monitor that waits for a pcscd which is being started cannot be
    /// interrupted; it is left behind.
    func finish() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.hasEnded || state.isStopped && state.canceller == nil { return true }
                state.finisher = continuation
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    private func release(_ phase: Phase) {
        let waiters = state.withLock { state in
            defer { state.waiters = [] }
            state.phase = phase
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
