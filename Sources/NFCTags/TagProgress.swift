/// Receives the progress of a long operation: the steps done, and their total. Called by the driver; it must not block.
public typealias TagProgress = @Sendable (_ done: Int, _ total: Int) -> Void

/// Reports the progress of a dump: the blocks or bytes done, and their total.
struct DumpProgress: Sendable {
    private let listener: TagProgress?
    private let total: Int
    private var done = 0

    init(_ listener: TagProgress?, total: Int) {
        self.listener = listener
        self.total = total
    }

    /// Reports progress after a read; does nothing where nothing new was read.
    mutating func reach(_ count: Int) {
        guard count > done else { return }
        done = min(count, total)
        listener?(done, total)
    }

    /// At the end, also if the rest cannot be read.
    mutating func finish() { reach(total) }
}

extension Array {
    /// The elements in groups of `size`, at least 1; the last one may be shorter.
    func groups(of size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: Swift.max(1, size)).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
