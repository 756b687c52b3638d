import FoundationEssentials
import NFCProtocol
import Synchronization

/// The requests that wait for their answers. Each ends once: with its answer, by cancellation, or with the connection.
final class PendingRequests: Sendable {
    /// Is called with the progress of a request.
    typealias ProgressHandler = @Sendable (_ done: Int, _ total: Int) -> Void
    /// Is called with the answer to a request that was cancelled.
    typealias LateAnswerHandler = @Sendable (_ line: Data) -> Void

    private enum Request {
        case waiting(CheckedContinuation<Data, any Error>, ProgressHandler?, LateAnswerHandler?)
        case cancelled(LateAnswerHandler)
    }

    private struct State {
        var requests: [Int64: Request] = [:]
        var next: Int64 = 1
        var end: NFCClientError?
    }

    private let state = Mutex(State())

    /// An id that no other request has.
    func makeID() -> Int64 {
        state.withLock { state in
            defer { state.next += 1 }
            return state.next
        }
    }

    /// Sends a request and waits for the line that answers it.
    ///
    /// - Parameter cancel: takes the request back, where the task is cancelled before there is an answer.
    /// - Throws: `CancellationError`, or the reason why the connection ended.
    func answer(
        to id: Int64, onProgress: ProgressHandler?, onLateAnswer: LateAnswerHandler?,
        send: @Sendable () -> Void, cancel: @escaping @Sendable () -> Void
    ) async throws -> Data {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let end = state.withLock { state in
                    if state.end == nil { state.requests[id] = .waiting(continuation, onProgress, onLateAnswer) }
                    return state.end
                }
                if let end { return continuation.resume(throwing: end) }
                send()
                // A cancellation before this found no request.
                if Task.isCancelled, self.cancel(id) { cancel() }
            }
        } onCancel: {
            if self.cancel(id) { cancel() }
        }
    }

    /// Ends the wait for an answer, if there is one.
    private func cancel(_ id: Int64) -> Bool {
        let continuation = state.withLock { state -> CheckedContinuation<Data, any Error>? in
            guard case .waiting(let continuation, _, let onLateAnswer)? = state.requests[id] else { return nil }
            state.requests[id] = onLateAnswer.map { .cancelled($0) }
            return continuation
        }
        continuation?.resume(throwing: CancellationError())
        return continuation != nil
    }

    /// Takes an answer. One without a request is ignored.
    func resume(_ id: Int64, with line: Data) {
        switch state.withLock({ $0.requests.removeValue(forKey: id) }) {
        case .waiting(let continuation, _, _): continuation.resume(returning: line)
        case .cancelled(let onLateAnswer): onLateAnswer(line)
        case nil: break
        }
    }

    /// Reports progress to the request that asked for it. Other progress is ignored.
    func report(_ progress: RequestProgress) {
        guard case .integer(let id) = progress.id,
            case .waiting(_, let onProgress?, _)? = state.withLock({ $0.requests[id] })
        else { return }
        onProgress(progress.done, progress.total)
    }

    /// Fails all requests, those to come too: the connection is over.
    func end(_ reason: NFCClientError) {
        let requests = state.withLock { state in
            defer { state.requests = [:] }
            if state.end == nil { state.end = reason }
            return state.requests.values
        }
        for case .waiting(let continuation, _, _) in requests { continuation.resume(throwing: reason) }
    }
}
