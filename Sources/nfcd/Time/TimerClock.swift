import ServiceSupport
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A clock of the system, with sleeps that all wait for one timer of the kernel.
///
/// `Task.sleep` keeps the timer of a cancelled sleep until its end, and does not advance while the system is suspended: see
/// Docs/runtime.md.
struct TimerClock: Clock {
    /// A time of the clock.
    struct Instant: InstantProtocol {
        /// The time since the start of the clock.
        let offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
    }

    private let clock: SystemClock
    private let alarm: Alarm

    init(_ clock: SystemClock) throws(KernelTimer.Failure) {
        self.clock = clock
        alarm = try Alarm(clock)
    }

    var now: Instant { Instant(offset: clock.now) }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try await alarm.sleep(until: deadline.offset)
    }
}

/// Ends the sleeps of one clock with one timer of the kernel, which is set to the earliest of their deadlines.
final class Alarm: Sendable {
    private struct State {
        var sleepers = DeadlineQueue<Sleeper>()
        var timer: KernelTimer?
        /// The time that the timer is set to.
        var isSet: Duration?
    }

    private let clock: SystemClock
    private let state = Mutex(State())

    init(_ clock: SystemClock) throws(KernelTimer.Failure) {
        self.clock = clock
        let timer = try KernelTimer(clock) { [weak self] in self?.wakeUp() }
        state.withLock { $0.timer = timer }
    }

    /// Returns at this time of the clock; throws when cancelled before.
    func sleep(until deadline: Duration) async throws {
        let sleeper = Sleeper()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard sleeper.wait(continuation) else { return continuation.resume(throwing: CancellationError()) }
                setTimer { $0.insert(sleeper, at: deadline) }
            }
        } onCancel: {
            if sleeper.end(.failure(CancellationError())) { setTimer() }
        }
    }

    private func wakeUp() {
        let due = setTimer(hasRung: true) { [clock] in $0.removeDue(at: clock.now) }
        for sleeper in due { sleeper.end(.success(())) }
    }

    /// Changes the sleeps, and sets the timer to the earliest.
    @discardableResult
    private func setTimer<Result: Sendable>(
        hasRung: Bool = false, _ change: @Sendable (inout DeadlineQueue<Sleeper>) -> Result = { _ in }
    ) -> Result {
        state.withLock { state in
            let result = change(&state.sleepers)
            // No wake-up for a sleep that was cancelled.
            state.sleepers.dropFirst { $0.isOver }
            let next = state.sleepers.first
            if hasRung || next != state.isSet { state.timer?.set(next) }
            state.isSet = next
            return result
        }
    }
}

/// One sleep.
private final class Sleeper: Sendable {
    private enum State {
        case idle
        case waiting(CheckedContinuation<Void, any Error>)
        case over
    }

    private let state = Mutex(State.idle)

    var isOver: Bool {
        state.withLock { state in
            if case .over = state { return true }
            return false
        }
    }

    /// Returns false where it is already over.
    func wait(_ continuation: CheckedContinuation<Void, any Error>) -> Bool {
        state.withLock { state in
            if case .over = state { return false }
            state = .waiting(continuation)
            return true
        }
    }

    /// Ends the sleep, if it has not ended.
    ///
    /// - Returns: whether a task was sleeping.
    @discardableResult
    func end(_ result: Result<Void, any Error>) -> Bool {
        let previous = state.withLock { state in
            defer { state = .over }
            return state
        }
        guard case .waiting(let continuation) = previous else { return false }
        continuation.resume(with: result)
        return true
    }
}

/// Elements in the order of their times: a binary heap. Adding and removing take logarithmic time.
struct DeadlineQueue<Element> {
    private static var leastCrowd: Int { 64 }

    private var heap: [(time: Duration, element: Element)] = []
    /// More elements than this are searched for those that are over.
    private var crowd = Self.leastCrowd

    /// The earliest time.
    var first: Duration? { heap.first?.time }
    /// The number of elements.
    var count: Int { heap.count }

    /// Adds an element.
    mutating func insert(_ element: Element, at time: Duration) {
        heap.append((time, element))
        var child = heap.count - 1
        while child > 0, heap[child].time < heap[(child - 1) / 2].time {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Removes the elements whose time has come, in the order of the times.
    mutating func removeDue(at now: Duration) -> [Element] {
        var due: [Element] = []
        while let first = heap.first, first.time <= now {
            due.append(first.element)
            removeFirst()
        }
        return due
    }

    /// Removes elements that are over from the front; all of them, once they may be more than half.
    mutating func dropFirst(_ isOver: (Element) -> Bool) {
        while let first = heap.first, isOver(first.element) { removeFirst() }
        guard heap.count > crowd else { return }
        let rest = heap.filter { !isOver($0.element) }
        crowd = max(Self.leastCrowd, rest.count * 2)
        heap = rest.sorted { $0.time < $1.time }
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while let child = earlierChild(of: parent), heap[child].time < heap[parent].time {
            heap.swapAt(child, parent)
            parent = child
        }
    }

    private func earlierChild(of parent: Int) -> Int? {
        let (left, right) = (2 * parent + 1, 2 * parent + 2)
        guard left < heap.count else { return nil }
        return right < heap.count && heap[right].time < heap[left].time ? right : left
    }
}
