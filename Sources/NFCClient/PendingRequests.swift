import FoundationEssentials
import NFCProtocol
import Synchronization

/// The requests that wait for their answers. Each is answered once: with its line, or with the end of the connection.
final class PendingRequests: Sendable {
    /// Hears how far a request has come.
    typealias ProgressHandler = @Sendable (_ done: Int, _ total: Int) -> Void

    private struct Waiting {
        let continuation: CheckedContinuation<Data, any Error>
        let onProgress: ProgressHandler?
    }

    private struct State {
        var waiting: [Int64: Waiting] = [:]
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
    func answer(
        to id: Int64, onProgress: ProgressHandler? = nil, send: @Sendable () -> Void
    ) async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.isOver { state.waiting[id] = Waiting(continuation: continuation, onProgress: onProgress) }
                return state.isOver
            }
            if isOver { return continuation.resume(throwing: NFCClientError.connectionLost) }
            send()
        }
    }

    /// An answer has come. One that nobody waits for is passed over.
    func resume(_ id: Int64, with line: Data) {
        state.withLock { $0.waiting.removeValue(forKey: id) }?.continuation.resume(returning: line)
    }

    /// A request has come so far. What nobody asked for is passed over.
    func tell(_ progress: RequestProgress) {
        guard case .integer(let id) = progress.id else { return }
        state.withLock { $0.waiting[id]?.onProgress }?(progress.done, progress.total)
    }

    /// The connection has ended.
    func end() {
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            state.isOver = true
            return state.waiting.values
        }
        for request in waiting { request.continuation.resume(throwing: NFCClientError.connectionLost) }
    }
}
