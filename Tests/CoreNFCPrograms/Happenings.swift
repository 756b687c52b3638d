import CoreNFC
import Synchronization

/// What a program under test has seen, in its order; a test waits for what it expects next.
final class Happenings: Sendable {
    private let stream: AsyncStream<String>
    private let sink: AsyncStream<String>.Continuation
    private let seen = Mutex<[String]>([])

    init() {
        (stream, sink) = AsyncStream.makeStream()
    }

    func note(_ what: String) {
        seen.withLock { $0.append(what) }
        sink.yield(what)
    }

    /// Everything so far.
    var all: [String] { seen.withLock { $0 } }

    /// Waits until something has happened that was not waited for before; what happens in between is passed over.
    func wait(for what: String) async {
        for await happening in stream where happening == what { return }
    }

    /// Waits for the next thing that happens.
    func next() async -> String {
        for await happening in stream { return happening }
        return "nothing"
    }
}
