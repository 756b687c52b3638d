import NFCReaders
import Synchronization

/// Takes events from drivers, on whatever thread, and keeps them in order until the coordinator takes them.
final class ReaderEventInbox: Sendable {
    private let events = Mutex<[ReaderEvent]>([])
    private let bell: AsyncStream<Void>.Continuation
    /// Rings when there is something to take.
    let rings: AsyncStream<Void>

    init() {
        (rings, bell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Adds an event.
    func add(_ event: ReaderEvent) {
        events.withLock { $0.append(event) }
        bell.yield()
    }

    /// Takes all there are.
    func take() -> [ReaderEvent] {
        events.withLock { events in
            defer { events = [] }
            return events
        }
    }

    /// No event will follow.
    func finish() {
        bell.finish()
    }
}
