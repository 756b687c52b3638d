import Synchronization

/// The lines a program writes, to be waited for one after the other.
final class LineLog: Sendable {
    private struct State {
        var lines: [String] = []
        var cursor = 0
        var partial: [UInt8] = []
        var isOver = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Everything so far.
    var all: [String] { state.withLock(\.lines) }

    /// Bytes as they come; no bytes: the end.
    func add(_ bytes: some Collection<UInt8>) {
        state.withLock { state in
            if bytes.isEmpty { state.isOver = true }
            state.partial += bytes
            while let newline = state.partial.firstIndex(of: UInt8(ascii: "\n")) {
                state.lines.append(String(decoding: state.partial[..<newline], as: UTF8.self))
                state.partial.removeFirst(newline + 1)
            }
        }
        wake()
    }

    private func wake() {
        let waiter = state.withLock { state in
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// The next line; nil at the end, or when the test's time is over.
    func next() async -> String? {
        while true {
            let (line, isOver) = state.withLock { state -> (String?, Bool) in
                guard state.cursor < state.lines.count else { return (nil, state.isOver) }
                defer { state.cursor += 1 }
                return (state.lines[state.cursor], false)
            }
            if line != nil || isOver || Task.isCancelled { return line }
            await withTaskCancellationHandler {
                await change()
            } onCancel: {
                wake()
            }
        }
    }

    /// The next line that contains a text; lines before it are passed over. Nil if the end comes first.
    func next(containing text: String) async -> String? {
        while let line = await next() {
            if line.contains(text) { return line }
        }
        return nil
    }

    private func change() async {
        await withCheckedContinuation { continuation in
            let isStale = state.withLock { state in
                guard !state.isOver, !Task.isCancelled, state.cursor >= state.lines.count else { return true }
                state.waiter = continuation
                return false
            }
            if isStale { continuation.resume() }
        }
    }
}
