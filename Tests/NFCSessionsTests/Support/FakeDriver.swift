import NFCReaders
import NFCTags
import Synchronization

/// A driver whose readers and tags do what a test says.
final class FakeDriver: ReaderDriver {
    private struct State {
        var report: (@Sendable (ReaderEvent) -> Void)?
        var backlog: [ReaderEvent] = []
        var runners: [CheckedContinuation<Void, Never>] = []
        var cards: [ReaderID: FakeCard] = [:]
        var arrivals: UInt64 = 0
        var open: [ReaderID: Int] = [:]
        var mostOpen = 0
        var connections = 0
        var escapes = 0
        var gate: Gate?
        var cached: [(reader: ReaderID, profile: ReaderProfile)] = []
        var closeWaiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>
    /// What was sent to readers themselves.
    let escapes: AsyncStream<[UInt8]>
    private let escaped: AsyncStream<[UInt8]>.Continuation

    /// These readers are plugged in as it starts.
    init(_ readers: [ReaderDescription]) {
        (escapes, escaped) = AsyncStream.makeStream()
        state = Mutex(State(backlog: [.serviceAvailable] + readers.map { .attached($0) }))
    }

    /// The most connections there ever were to one reader at a time, those that wait at a gate among them.
    var mostConnections: Int { state.withLock(\.mostOpen) }
    /// How often a tag was connected to.
    var connections: Int { state.withLock(\.connections) }
    /// How many commands were sent to readers themselves.
    var escapeCount: Int { state.withLock(\.escapes) }
    /// The connections that are not closed.
    var openConnections: Int { state.withLock { $0.open.values.reduce(0, +) } }

    /// What probing has shown, in words: `desk generic`.
    var cached: [String] { state.withLock { $0.cached.map { "\($0.reader) \($0.profile.slug)" } } }

    /// Returns as soon as no tag is connected.
    func allClosed() async {
        await withCheckedContinuation { continuation in
            let isClosed = state.withLock { state in
                let isClosed = state.open.values.allSatisfy { $0 == 0 }
                if !isClosed { state.closeWaiters.append(continuation) }
                return isClosed
            }
            if isClosed { continuation.resume() }
        }
    }

    /// Reports events now, or as soon as the driver runs.
    func report(_ events: ReaderEvent...) {
        state.withLock { state in
            if let report = state.report { events.forEach(report) } else { state.backlog += events }
        }
    }

    /// Puts a card on a reader.
    @discardableResult
    func tap(_ card: FakeCard, on reader: ReaderDescription = Fixtures.desk) -> TagArrival {
        let arrival = state.withLock { state in
            state.arrivals += 1
            state.cards[reader.id] = card
            return TagArrival(reader: reader.id, number: state.arrivals, answerToReset: card.answerToReset)
        }
        report(.tagArrived(arrival))
        return arrival
    }

    /// Changes the card on a reader, which does not leave the field.
    func replace(_ card: FakeCard, on reader: ReaderDescription = Fixtures.desk) {
        state.withLock { $0.cards[reader.id] = card }
    }

    /// Plugs a reader in with a card on it, in one go.
    func present(_ card: FakeCard, on reader: ReaderDescription = Fixtures.desk) {
        let report = state.withLock { state in
            state.arrivals += 1
            state.cards[reader.id] = card
            return state.report
        }
        report?(.attached(reader))
        report?(.tagArrived(TagArrival(reader: reader.id, number: 1, answerToReset: card.answerToReset)))
    }

    /// Takes the card of a reader away.
    func lift(_ reader: ReaderDescription = Fixtures.desk) {
        state.withLock { $0.cards[reader.id] = nil }
        report(.tagLeft(reader.id))
    }

    /// From now on every connection waits at a gate.
    func holdConnections() -> Gate {
        let gate = Gate()
        state.withLock { $0.gate = gate }
        return gate
    }

    func run(report: @escaping @Sendable (ReaderEvent) -> Void) async {
        let runners = state.withLock { state in
            state.backlog.forEach(report)
            (state.report, state.backlog) = (report, [])
            defer { state.runners = [] }
            return state.runners
        }
        for runner in runners { runner.resume() }
        let (nothing, end) = AsyncStream<Never>.makeStream()
        await withTaskCancellationHandler {
            for await _ in nothing {}
        } onCancel: {
            end.finish()
        }
    }

    func refresh() async {
        await withCheckedContinuation { continuation in
            let isRunning = state.withLock { state in
                if state.report == nil { state.runners.append(continuation) }
                return state.report != nil
            }
            if isRunning { continuation.resume() }
        }
    }

    func connect(to reader: ReaderID) async throws(CardChannelError) -> any CardConnection {
        let (card, gate) = state.withLock { state in
            state.open[reader, default: 0] += 1
            state.connections += 1
            state.mostOpen = max(state.mostOpen, state.open[reader] ?? 0)
            return (state.cards[reader], state.gate)
        }
        if let gate { await gate.pass() }
        if let failure = card.map(\.connecting) ?? .tagLost {
            close(reader)
            throw failure
        }
        return FakeConnection(card ?? .empty) { [self] in close(reader) }
    }

    func cache(_ profile: ReaderProfile, of reader: ReaderID) {
        state.withLock { $0.cached.append((reader, profile)) }
        report(.described(ReaderDescription(id: reader, name: "The \(reader) reader", profile: profile)))
    }

    func escape(_ command: [UInt8], to reader: ReaderID) async {
        state.withLock { $0.escapes += 1 }
        escaped.yield(command)
    }

    let hungReaders: [ReaderID] = []

    private func close(_ reader: ReaderID) {
        let waiters = state.withLock { state in
            state.open[reader, default: 0] -= 1
            guard state.open.values.allSatisfy({ $0 == 0 }) else { return [CheckedContinuation<Void, Never>]() }
            defer { state.closeWaiters = [] }
            return state.closeWaiters
        }
        for waiter in waiters { waiter.resume() }
    }
}

/// A gate that is closed until opened, and reports who waits at it.
final class Gate: Sendable {
    private let waiting = Mutex<[CheckedContinuation<Void, Never>]?>([])
    private let arrivals: AsyncStream<Void>
    private let arrived: AsyncStream<Void>.Continuation

    init() {
        (arrivals, arrived) = AsyncStream.makeStream()
    }

    /// Waits until the gate is open.
    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = waiting.withLock { waiting in
                waiting?.append(continuation)
                return waiting == nil
            }
            arrived.yield()
            if isOpen { continuation.resume() }
        }
    }

    /// Returns as soon as the next one is before the gate.
    func reached() async {
        for await _ in arrivals { return }
    }

    /// Lets every caller through from now on.
    func open() {
        let waiting = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting ?? []
        }
        for one in waiting { one.resume() }
    }
}
