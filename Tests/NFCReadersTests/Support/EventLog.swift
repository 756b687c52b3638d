import NFCReaders
import NFCTags
import Synchronization

/// Records reader events, and lets a test wait for the next one.
final class EventLog: Sendable {
    private let events = Mutex<[ReaderEvent]>([])
    private let stream: AsyncStream<ReaderEvent>
    private let continuation: AsyncStream<ReaderEvent>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    /// All events so far.
    var all: [ReaderEvent] { events.withLock { $0 } }

    func add(_ event: ReaderEvent) {
        events.withLock { $0.append(event) }
        continuation.yield(event)
    }

    /// The next event.
    func next() async -> ReaderEvent? {
        await stream.first { _ in true }
    }

    /// The next events as text.
    func next(_ count: Int) async -> [String] {
        var words: [String] = []
        for _ in 0..<count { words.append(await next()?.words ?? "nothing") }
        return words
    }
}

extension ReaderEvent {
    /// The event as text: `arrived desk 1`, `left desk`, `failed desk`…
    var words: String {
        switch self {
        case .serviceStarting: "starting"
        case .serviceAvailable: "available"
        case .serviceUnavailable: "unavailable"
        case .attached(let reader): "attached \(reader.id)"
        case .described(let reader): "described \(reader.id) \(reader.profile.slug)"
        case .detached(let id): "detached \(id)"
        case .tagArrived(let arrival): "arrived \(arrival.reader) \(arrival.number)"
        case .tagLeft(let id): "left \(id)"
        case .tagMute(let id): "mute \(id)"
        case .failed(let id, _): "failed \(id)"
        case .blocked(let id, _): "blocked \(id)"
        case .recovered(let id): "recovered \(id)"
        }
    }
}
