/// Tells whoever watches a dump how far it is: so many of so many blocks or bytes.
struct DumpProgress: Sendable {
    private let listener: TagProgress?
    private let total: Int
    private var done = 0

    init(_ listener: TagProgress?, total: Int) {
        self.listener = listener
        self.total = total
    }

    /// After every read; nothing is said where it brought nothing new.
    mutating func reach(_ count: Int) {
        guard count > done else { return }
        done = min(count, total)
        listener?(done, total)
    }

    /// At the end, also where the rest cannot be read.
    mutating func finish() { reach(total) }
}
