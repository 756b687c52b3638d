import FoundationEssentials
import Synchronization

/// The requests that wait for their answers. Each is answered once: with its line, or with the end of the connection.
final class PendingRequests: Sendable {
    private struct State {
        var waiting: [Int64: CheckedContinuation<Data, any Error>] = [:]
        var next: Int64 = 1
        var isOver = false
    }

    private let state = Mutex(State())

    /// An id no other request has.
    func makeID() -> Int64 {
        state.withLock { state in
            defer { state.next += 1 }
            return state.next
        }
    }

    /// Sends a request and waits for the line that answers it.
    func answer(to id: Int64, send: @Sendable () -> Void) async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.isOver { state.waiting[id] = continuation }
                return state.isOver
            }
            if isOver { return continuation.resume(throwing: NFCClientError.connectionLost) }
            send()
        }
    }

    /// An answer has come. One that nobody waits for is passed over.
    func resume(_ id: Int64, with line: Data) {
        state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(returning: line)
    }

    /// The connection has ended.
    func end() {
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            state.isOver = true
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume(throwing: NFCClientError.connectionLost) }
    }
}
