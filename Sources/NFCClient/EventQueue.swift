import Synchronization

/// Readers of event queues that have got their event, or the end. They are resumed once no lock is held.
struct WokenReaders: Sendable {
    private var resumptions: [@Sendable () -> Void] = []

    /// Calls a function that changes queues, and then resumes the readers.
    static func resume<Value: Sendable>(after body: (inout WokenReaders) -> Value) -> Value {
        var woken = WokenReaders()
        let value = body(&woken)
        for resumption in woken.resumptions { resumption() }
        return value
    }

    fileprivate mutating func append(_ resumption: @escaping @Sendable () -> Void) { resumptions.append(resumption) }
}

/// Events that wait for the program to read them, up to a budget of memory. Every queue ends once.
final class EventQueue<Element: Sendable>: Sendable {
    private struct Waiter {
        let id: Int
        let continuation: CheckedContinuation<Element?, Never>
    }

    private struct State {
        var buffer: ArraySlice<(element: Element, cost: Int)> = []
        var cost = 0
        var isFinished = false
        var waiters: [Waiter] = []
        var nextWaiter = 0
    }

    private let state = Mutex(State())
    private let budget: Int

    /// An empty queue.
    ///
    /// - Parameter budget: the most that the events in the queue may cost together.
    init(budget: Int) {
        self.budget = budget
    }

    /// Adds an event.
    ///
    /// - Parameters:
    ///   - cost: about how many bytes it holds.
    ///   - woken: gets the reader that the event is for, if one waits.
    /// - Returns: false where the queue is full; the event was not added then.
    func add(_ element: Element, cost: Int, _ woken: inout WokenReaders) -> Bool {
        let (waiter, isAdded) = state.withLock { state -> (Waiter?, Bool) in
            guard !state.isFinished else { return (nil, true) }
            if !state.waiters.isEmpty { return (state.waiters.removeFirst(), true) }
            guard state.cost + cost <= budget else { return (nil, false) }
            state.buffer.append((element, cost))
            state.cost += cost
            return (nil, true)
        }
        if let waiter { woken.append { waiter.continuation.resume(returning: element) } }
        return isAdded
    }

    /// Ends the queue after the events that are in it, with a last one that always fits.
    func finish(with last: Element? = nil, _ woken: inout WokenReaders) {
        let waiters = state.withLock { state -> [Waiter] in
            guard !state.isFinished else { return [] }
            state.isFinished = true
            if let last, state.waiters.isEmpty { state.buffer.append((last, 0)) }
            defer { state.waiters = [] }
            return state.waiters
        }
        for (index, waiter) in waiters.enumerated() {
            woken.append { waiter.continuation.resume(returning: index == 0 ? last : nil) }
        }
    }

    /// The next event; nil at the end, and where the task is cancelled. Cancellation does not end the queue.
    func next() async -> Element? {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { wait($0, id) }
        } onCancel: {
            cancel(id)
        }
    }

    private func wait(_ continuation: CheckedContinuation<Element?, Never>, _ id: Int) {
        let (element, isWaiting) = state.withLock { state -> (Element?, Bool) in
            if Task.isCancelled { return (nil, false) }
            if let (element, cost) = state.buffer.popFirst() {
                state.cost -= cost
                // A slice keeps what was taken from it until it is replaced.
                if state.buffer.isEmpty { state.buffer = [] }
                return (element, false)
            }
            if !state.isFinished { state.waiters.append(Waiter(id: id, continuation: continuation)) }
            return (nil, !state.isFinished)
        }
        if !isWaiting { continuation.resume(returning: element) }
    }

    private func cancel(_ id: Int) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
            return state.waiters.remove(at: index)
        }
        waiter?.continuation.resume(returning: nil)
    }
}
