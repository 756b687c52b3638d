import NFCTags
import Synchronization
import Testing

/// What a driver said about its progress.
final class ProgressLog: Sendable {
    private let entries = Mutex<[(done: Int, total: Int)]>([])

    var listener: TagProgress {
        { done, total in self.entries.withLock { $0.append((done, total)) } }
    }

    /// How often it spoke; the numbers have to rise to the total, which stays the same.
    func count() -> Int {
        let entries = entries.withLock { $0 }
        #expect(zip(entries, entries.dropFirst()).allSatisfy { $0.done < $1.done && $0.total == $1.total })
        #expect(entries.last.map { $0.done == $0.total } == true)
        return entries.count
    }
}
