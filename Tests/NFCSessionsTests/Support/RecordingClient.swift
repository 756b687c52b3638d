import NFCTags
import Synchronization

@testable import NFCSessions

/// A client that keeps what it hears.
final class RecordingClient: SessionClient {
    let id: ClientID
    let label: String
    private let stream: AsyncStream<(SessionID, SessionEvent)>
    private let continuation: AsyncStream<(SessionID, SessionEvent)>.Continuation
    private let heard = Mutex<[(SessionID, SessionEvent)]>([])
    private let reaction = Mutex<@Sendable (SessionEvent) -> Void>({ _ in })

    init(_ number: UInt64) {
        id = ClientID(rawValue: number)
        label = "uid \(number)"
        (stream, continuation) = AsyncStream.makeStream()
    }

    /// Everything so far, of all its sessions or of one.
    func log(_ session: SessionID? = nil) -> [String] {
        heard.withLock { $0.filter { session == nil || $0.0 == session }.map(\.1.words) }
    }

    /// From now on does this with every event, before it is heard.
    func react(_ reaction: @escaping @Sendable (SessionEvent) -> Void) {
        self.reaction.withLock { $0 = reaction }
    }

    /// The next event.
    func next() async -> SessionEvent? {
        await stream.first { _ in true }?.1
    }

    /// The next so many events in words.
    func hear(_ count: Int = 1) async -> [String] {
        var words: [String] = []
        for _ in 0..<count { words.append(await next()?.words ?? "nothing") }
        return words
    }

    /// The next event, which is the end of a session.
    func end() async -> Invalidation? {
        guard case .didInvalidate(let reason) = await next() else { return nil }
        return reason
    }

    func send(_ event: SessionEvent, of session: SessionID) {
        heard.withLock { $0.append((session, event)) }
        reaction.withLock { $0 }(event)
        continuation.yield((session, event))
    }
}
