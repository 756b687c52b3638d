import NFCReaders
import Synchronization

/// Receives events from drivers, on any thread, and keeps them in order until the coordinator takes them.
final class ReaderEventInbox: Sendable {
    private let events = Mutex<[ReaderEvent]>([])
    private let signal: AsyncStream<Void>.Continuation
    /// An element whenever there are events to take.
    let signals: AsyncStream<Void>

    init() {
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Adds an event.
    func add(_ event: ReaderEvent) {
        events.withLock { $0.append(event) }
        signal.yield()
    }

    /// Removes and returns all events.
    func take() -> [ReaderEvent] {
        events.withLock { events in
            defer { events = [] }
            return events
        }
    }

    /// Ends `signals`: no event will follow.
    func finish() {
        signal.finish()
    }
}

/// The operations on readers: on each reader one after another, so that two never meet on a tag.
struct ReaderOperations {
    private let driver: any ReaderDriver
    private var last: [ReaderID: Task<Void, Never>] = [:]

    init(driver: any ReaderDriver) { self.driver = driver }

    /// Starts an operation as soon as those before it on the same reader have ended.
    mutating func add(on reader: ReaderID, _ operation: @escaping @Sendable (any ReaderDriver) async -> Void) {
        last[reader] = Task { [driver, previous = last[reader]] in
            await previous?.value
            await operation(driver)
        }
    }
}
