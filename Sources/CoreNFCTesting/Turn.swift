import Synchronization

/// Lets one caller after another have something, in the order in which they asked.
final class Turn: Sendable {
    private struct State {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Returns when it is the caller's turn, which then has to ``pass()`` it on.
    func take() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                defer { state.isTaken = true }
                if state.isTaken { state.waiting.append(continuation) }
                return !state.isTaken
            }
            if isFree { continuation.resume() }
        }
    }

    /// The next one's turn.
    func pass() {
        state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.waiting.isEmpty else {
                state.isTaken = false
                return nil
            }
            return state.waiting.removeFirst()
        }?.resume()
    }
}
