import LocalSocket
import NFCSessions
import NFCTags
import NFCTypes
import Synchronization

/// The log of what clients were refused: who, what, on which reader, and what is missing.
///
/// A user has some lines at once and then one in every interval, so that a client that is refused in a loop cannot fill the log, and
/// does not hide what others are refused. What is not logged is counted, and the next line of that user has the number.
final class RefusalLog: Sendable {
    /// The lines of a user.
    fileprivate struct Budget {
        var lines: Int
        /// When the last line was added.
        var refilled: Duration
        var unlogged = 0
    }

    /// The lines that a user has at once.
    static let burst = 10
    /// The time until a user has another line.
    static let interval = Duration.seconds(60)
    /// The users with a budget each; all others share one.
    private static let users = 256

    private let logger: EventLog
    private let now: @Sendable () -> Duration
    private let budgets = Mutex<[ClientAccount: Budget]>([:])

    /// - Parameter clock: decides when a user has another line.
    init(_ logger: EventLog, clock: some Clock<Duration>) {
        self.logger = logger
        let start = clock.now
        now = { start.duration(to: clock.now) }
    }

    /// Logs a refusal, if the user has a line left.
    func log(_ error: TagError, of method: String, to client: PeerCredentials) {
        guard let note = line(of: client.socket == nil ? .user(client.userID) : client.account) else { return }
        let refusal = error.refusal
        let subject = refusal?.subject.map { " (\($0.printable.prefix(256)))" } ?? ""
        let place = refusal?.reader.map { " on reader \($0.printable)" } ?? ""
        let reason = refusal.map { "missing: \($0.missing.printable)" } ?? error.detail.printable
        var metadata = ["client": "\(client)", "method": method]
        metadata["reader"] = refusal?.reader?.printable
        logger.notice(
            "\(client) was refused \(method)\(subject)\(place); \(reason.prefix(512))\(note)", metadata: metadata)
    }

    /// Takes a line of a user. Returns what to add to it, or nil if no line is left.
    private func line(of user: ClientAccount) -> String? {
        let now = now()
        return budgets.withLock { budgets in
            if budgets.count >= Self.users { budgets = budgets.filter { !$0.value.isWhole(at: now) } }
            let user = budgets[user] == nil && budgets.count >= Self.users ? .user(.max) : user
            var budget = budgets[user] ?? Budget(lines: Self.burst, refilled: now)
            budget.refill(at: now)
            defer { budgets[user] = budget }
            guard budget.lines > 0 else {
                budget.unlogged += 1
                return nil
            }
            budget.lines -= 1
            let earlier = budget.unlogged
            budget.unlogged = 0
            let before = earlier > 0 ? " (\(earlier) earlier ones of this user were not logged)" : ""
            return budget.lines > 0 ? before : before + " (further ones of this user are only counted for a minute)"
        }
    }
}

extension RefusalLog.Budget {
    /// Whether nothing was taken from it lately, or all of it was given back.
    fileprivate func isWhole(at now: Duration) -> Bool {
        unlogged == 0 && lines + Int((now - refilled) / RefusalLog.interval) >= RefusalLog.burst
    }

    fileprivate mutating func refill(at now: Duration) {
        let earned = Int((now - refilled) / RefusalLog.interval)
        guard earned > 0 else { return }
        lines = min(RefusalLog.burst, lines + earned)
        refilled = lines == RefusalLog.burst ? now : refilled + RefusalLog.interval * earned
    }
}
