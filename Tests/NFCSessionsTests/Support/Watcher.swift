import NFCReaders
import NFCTags
import Synchronization

@testable import NFCSessions

/// A client that looks on, and keeps what it hears as words.
final class Watcher: BackgroundClient, EventClient {
    let id: ClientID
    private let heard = Mutex<[String]>([])
    private let stream: AsyncStream<String>
    private let sink: AsyncStream<String>.Continuation

    init(_ number: UInt64) {
        id = ClientID(rawValue: number)
        (stream, sink) = AsyncStream.makeStream()
    }

    /// Everything so far.
    var log: [String] { heard.withLock { $0 } }

    /// The next so many words.
    func hear(_ count: Int = 1) async -> [String] {
        var words: [String] = []
        for _ in 0..<count { words.append(await stream.first { _ in true } ?? "nothing") }
        return words
    }

    func tell(_ tap: BackgroundTap, of subscription: SubscriptionID) {
        add("\(subscription) \(tap.reader.id) \(tap.reading.failure.map { "failed \($0.code.rawValue)" } ?? "read")")
    }

    func tell(_ event: CoordinatorEvent) { add(event.words) }

    private func add(_ words: String) {
        heard.withLock { $0.append(words) }
        sink.yield(words)
    }
}

extension CoordinatorEvent {
    /// One line for tables: `desk attached`, `session-1 began on desk`.
    var words: String {
        switch self {
        case .readerAttached(let reader): "\(reader.id) attached"
        case .readerDetached(let reader): "\(reader) detached"
        case .readerFailed(let reader, let reason): "\(reader) failed: \(reason)"
        case .readerRecovered(let reader): "\(reader) recovered"
        case .tagArrived(let reader): "\(reader) tag"
        case .tagLeft(let reader): "\(reader) empty"
        case .sessionBegan(let session):
            "\(session.id) of \(session.client.label) began on \(session.readers.map(\.rawValue).joined(separator: " "))"
        case .sessionEnded(let session, let reason): "\(session) ended \(reason.code.rawValue)"
        }
    }
}

extension Desk {
    /// How many commands were sent to tags.
    var exchanges: UInt64 { coordinator.metrics.snapshot.exchanges.counts.reduce(0, +) }

    /// Subscribes, and lets the client know the name.
    @discardableResult
    func subscribe(_ watcher: Watcher, _ filter: BackgroundFilter = BackgroundFilter()) async throws -> SubscriptionID {
        let id = try await coordinator.subscribe(filter, for: watcher)
        await coordinator.announce(id)
        return id
    }
}
