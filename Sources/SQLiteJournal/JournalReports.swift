/// What happened to the journal, for the log.
package enum JournalEvent: Sendable, Hashable, CustomStringConvertible {
    /// It takes taps.
    case opened(path: String, epoch: String, taps: Int)
    /// Its file was damaged: it now has another name, and a new journal with a new epoch was started.
    case movedAside(path: String, reason: String)
    /// Taps were deleted although consumers did not have them: the sequence numbers, and how many each consumer lost.
    case dropped(ClosedRange<Int64>, consumers: [String: Int])
    /// Rows of these sequence numbers are damaged: they are in no list and are not delivered.
    case leftOut([Int64])
    /// Numbers in it were impossible; what was corrected.
    case repaired([String])
    /// These consumers keep more than half of a journal that is half full.
    case heldUp([String])
    /// It takes no taps because it is full.
    case full(String)
    /// It takes no taps for another reason.
    case failed(String)

    package var description: String {
        switch self {
        case .opened(let path, let epoch, let taps): return "journal \(path) is open: \(taps) taps, epoch \(epoch)"
        case .movedAside(let path, let reason):
            return "the journal was damaged (\(reason)) and moved to \(path); a new one was started. "
                + "Taps that were not delivered can be salvaged from it with sqlite3 and .recover"
        case .dropped(let range, let consumers):
            let losses = consumers.sorted { $0.key < $1.key }.map { ", \($0.key) lost \($0.value)" }.joined()
            return
                "the journal deleted taps \(range.lowerBound) to \(range.upperBound) that were not delivered\(losses)"
        case .leftOut(let sequences):
            let numbers = sequences.prefix(8).map { "\($0)" }.joined(separator: ", ")
            let more = sequences.count > 8 ? " and \(sequences.count - 8) more" : ""
            return "taps \(numbers)\(more) of the journal are damaged and are not delivered: check the disk"
        case .repaired(let findings):
            return
                "the journal had damaged rows: \(findings.joined(separator: "; ")). Rows that were not taps are in its table set_aside; "
                + "check the disk"
        case .heldUp(let consumers):
            return
                "more than half of the journal is kept for \(consumers.joined(separator: ", ")): connect or remove it"
        case .full(let reason): return "the journal is full: \(reason)"
        case .failed(let reason): return "the journal does not work: \(reason)"
        }
    }
}

/// Counts of the journal since it was opened.
package struct JournalMetrics: Sendable, Hashable {
    /// The upper limits of the buckets of `commitTimes`, in milliseconds; one more bucket is without limit.
    package static let commitLimits = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000]

    /// How many taps were stored.
    package internal(set) var stored = 0
    /// How many taps were not stored: the journal was full, did not work or was too slow.
    package internal(set) var refused = 0
    /// How many taps were deleted although a consumer did not have them.
    package internal(set) var dropped = 0
    /// How many commits took how long: the counts of the buckets, not summed.
    package internal(set) var commitTimes = [Int](repeating: 0, count: commitLimits.count + 1)
    /// The time of all commits.
    package internal(set) var commitTime = Duration.zero

    mutating func countCommit(_ time: Duration) {
        let bucket = Self.commitLimits.firstIndex { time <= .milliseconds($0) } ?? Self.commitLimits.count
        commitTimes[bucket] += 1
        commitTime += time
    }
}

/// The clocks of the journal.
package struct JournalClock: Sendable {
    /// Milliseconds since 1970, and whether the wall clock is synchronised.
    package let wall: @Sendable () -> (milliseconds: Int64, isSynchronised: Bool)
    /// The time since some moment, not affected by changes of the wall clock.
    package let uptime: @Sendable () -> Duration
    /// Waits; throws where the task is cancelled.
    package let sleep: @Sendable (Duration) async throws -> Void

    /// A clock.
    ///
    /// - Parameter wall: milliseconds since 1970, and whether the wall clock is synchronised.
    package init(
        wall: @escaping @Sendable () -> (milliseconds: Int64, isSynchronised: Bool),
        uptime: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.wall = wall
        self.uptime = uptime
        self.sleep = sleep
    }

    /// The clocks of the system.
    package static func system(
        wall: @escaping @Sendable () -> (milliseconds: Int64, isSynchronised: Bool)
    ) -> JournalClock {
        let start = ContinuousClock.now
        return JournalClock(
            wall: wall, uptime: { ContinuousClock.now - start }, sleep: { try await Task.sleep(for: $0) })
    }
}
