import FoundationEssentials
import NFCClient
import NFCProtocol
import Synchronization

/// An nfcd in memory, which answers what a test wants.
final class FakeDaemon: DaemonEndpoint {
    private struct State {
        var methods: [String] = []
        var connections = 0
        var current: FakeConnection?
    }

    /// An answer of a method: the JSON of its result, or nil for none.
    struct Answer: Sendable {
        let result: @Sendable (Data) -> String?
    }

    private let answers: [String: Answer]
    private let state = Mutex(State())

    init(_ answers: [String: Answer]) {
        self.answers = answers
    }

    /// The methods that were called, in order.
    var methods: [String] { state.withLock { $0.methods } }
    var connections: Int { state.withLock { $0.connections } }

    func connect(_ recipient: any LineRecipient) async throws -> any LineConnection {
        let connection = FakeConnection(recipient) { [weak self] line in self?.answer(line) }
        state.withLock { state in
            state.connections += 1
            state.current = connection
        }
        return connection
    }

    /// Ends the present connection.
    func drop() { state.withLock { $0.current }?.end() }

    private func answer(_ line: Data) -> Data? {
        struct Head: Decodable {
            let id: Int64?
            let method: String
        }
        guard let head = try? JSONLine.decode(Head.self, from: line), let id = head.id else { return nil }
        state.withLock { $0.methods.append(head.method) }
        guard let text = answers[head.method]?.result(line) else { return nil }
        return Data("{\"jsonrpc\":\"2.0\",\"id\":\(id),\(text)}".utf8)
    }
}

/// A connection whose answers come at once.
private final class FakeConnection: LineConnection {
    private let recipient: any LineRecipient
    private let answer: @Sendable (Data) -> Data?
    private let isEnded = Mutex(false)

    init(_ recipient: any LineRecipient, _ answer: @escaping @Sendable (Data) -> Data?) {
        self.recipient = recipient
        self.answer = answer
    }

    func send(_ line: Data) {
        guard let answer = answer(line) else { return }
        Task { [recipient] in recipient.receive(answer) }
    }

    func close() async { end() }

    func end() {
        let wasEnded = isEnded.withLock { isEnded in
            defer { isEnded = true }
            return isEnded
        }
        if !wasEnded { recipient.end(.connectionLost) }
    }
}
