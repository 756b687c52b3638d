import Dispatch
import NFCTags
import Synchronization

@testable import NFCReaders

/// The hardware of a blocking reader; it hangs, answers or fails as configured.
final class FakeHardware: Sendable {
    private struct State {
        var hangs = false
        var connecting: [Result<[UInt8], CardChannelError>] = []
        var locking: [CardChannelError] = []
        var readersMade = 0
        var inside = 0
        var mostInside = 0
        var calls: [String] = []
    }

    private let state = Mutex(State())
    private let exit = DispatchSemaphore(value: 0)
    private let entries: AsyncStream<Void>
    private let entered: AsyncStream<Void>.Continuation

    init() {
        (entries, entered) = AsyncStream.makeStream()
    }

    /// The number of readers, and thus threads, so far.
    var readersMade: Int { state.withLock(\.readersMade) }
    /// The maximum number of simultaneous calls.
    var mostInside: Int { state.withLock(\.mostInside) }
    /// The calls so far.
    var calls: [String] { state.withLock(\.calls) }

    /// Sets the results of the next attempts to connect; later attempts succeed.
    func connecting(gives results: [Result<[UInt8], CardChannelError>]) {
        state.withLock { $0.connecting = results }
    }

    /// Lets the next locks of a tag fail; later ones succeed.
    func locking(fails errors: [CardChannelError]) {
        state.withLock { $0.locking = errors }
    }

    /// Makes every call block until released, or none.
    func hang(_ hangs: Bool = true) {
        state.withLock { $0.hangs = hangs }
    }

    /// Releases blocked calls; later ones do not block.
    func release(_ count: Int = 1) {
        hang(false)
        for _ in 0..<count { exit.signal() }
    }

    /// Returns when the next calls have begun.
    func entered(_ count: Int = 1) async {
        for _ in 0..<count { _ = await entries.first { _ in true } }
    }

    func makeReader() -> sending any BlockingReader {
        state.withLock { $0.readersMade += 1 }
        return FakeReader(hardware: self)
    }

    fileprivate func call(_ name: String) {
        let hangs = state.withLock { state in
            state.calls.append(name)
            state.inside += 1
            state.mostInside = max(state.mostInside, state.inside)
            return state.hangs
        }
        entered.yield()
        if hangs { exit.wait() }
        state.withLock { $0.inside -= 1 }
    }

    fileprivate func lockFailure() -> CardChannelError? {
        state.withLock { $0.locking.isEmpty ? nil : $0.locking.removeFirst() }
    }

    fileprivate func connectResult() -> Result<[UInt8], CardChannelError> {
        state.withLock { $0.connecting.isEmpty ? .success([0x3B, 0x00]) : $0.connecting.removeFirst() }
    }
}

private final class FakeReader: BlockingReader {
    private let hardware: FakeHardware

    init(hardware: FakeHardware) {
        self.hardware = hardware
    }

    func connect() throws(CardChannelError) -> [UInt8] {
        hardware.call("connect")
        return try hardware.connectResult().get()
    }

    func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        hardware.call("transmit")
        return command + [0x90, 0x00]
    }

    func reconnect() throws(CardChannelError) { hardware.call("reconnect") }

    func lock() throws(CardChannelError) {
        hardware.call("lock")
        if let failure = hardware.lockFailure() { throw failure }
    }

    func unlock() { hardware.call("unlock") }

    func disconnect() { hardware.call("disconnect") }
}

/// An executor whose jobs can be held back, to control the order of concurrent jobs.
final class HeldExecutor: SerialExecutor {
    private struct State {
        var isHolding = false
        var jobs: [UnownedJob] = []
    }

    private let queue = DispatchQueue(label: "held")
    private let state = Mutex(State())
    private let arrivals: AsyncStream<Void>
    private let arrived: AsyncStream<Void>.Continuation

    init() {
        (arrivals, arrived) = AsyncStream.makeStream()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isHeld = state.withLock { state in
            if state.isHolding { state.jobs.append(job) }
            return state.isHolding
        }
        if isHeld { arrived.yield() } else { run(job) }
    }

    /// Holds all further jobs back.
    func hold() {
        state.withLock { $0.isHolding = true }
    }

    /// Returns when a job was held back.
    func held() async {
        _ = await arrivals.first { _ in true }
    }

    /// Runs the held jobs and all further ones.
    func release() {
        let jobs = state.withLock { state in
            defer { state = State() }
            return state.jobs
        }
        jobs.forEach(run)
    }

    private func run(_ job: UnownedJob) {
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

/// A slot whose state a test sets.
final class FakeSlot: SlotProbe {
    private let current: Mutex<SlotState?>
    private let confirmation: Mutex<Bool?>

    /// - Parameter confirmsCard: what the reader answers; nil if the driver does not ask it.
    init(_ state: SlotState?, confirmsCard: Bool? = nil) {
        current = Mutex(state)
        confirmation = Mutex(confirmsCard)
    }

    func shows(_ state: SlotState?) { current.withLock { $0 = state } }
    func state() -> SlotState? { current.withLock { $0 } }
    func confirmsCard() -> Bool? { confirmation.withLock { $0 } }
}
