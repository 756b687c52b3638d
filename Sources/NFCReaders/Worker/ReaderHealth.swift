/// Whether a reader works, as a value: what happens to its calls goes in, and what to report comes out. No I/O, no clock.
struct ReaderHealth: Sendable {
    /// What is reported of a reader.
    enum Condition: Sendable, Hashable {
        case works
        /// Another program holds it.
        case blocked(String)
        case failed(String)
    }

    /// Why a reader cannot be used although no call is stuck.
    enum Trouble: Sendable {
        case exclusiveUse
        case silence

        fileprivate var condition: Condition {
            switch self {
            case .exclusiveUse: .blocked("another program uses it exclusively")
            case .silence: .failed("it shows a tag, but does not answer; unplug it and plug it in again")
            }
        }
    }

    /// The number of a call.
    typealias Call = UInt64

    /// A call that missed its deadline.
    private enum Overdue {
        /// The reader has more time than the caller, or it is not known yet what the call waits for.
        case undecided
        /// It waits for another program.
        case blocked
        /// The reader hangs.
        case failed
        /// It returned just when its deadline expired, before that was noticed.
        case returned
    }

    private var overdue: [Call: Overdue] = [:]
    private var trouble: Trouble?
    private var reported = Condition.works

    /// How many calls are stuck.
    var stuck: Int { overdue.values.count { $0 != .returned } }
    /// Whether a stuck call waits for another program.
    var isBlocked: Bool { overdue.values.contains(.blocked) }

    /// A call missed its deadline; `blocked`, `failed` or `timeIsOver` follows.
    mutating func missed(_ call: Call) {
        if overdue[call] == nil { overdue[call] = .undecided }
    }

    /// The call waits for another program.
    mutating func blocked(_ call: Call, _ reason: String) -> [Condition] {
        decide(call, .blocked, .blocked(reason))
    }

    /// The call waits for the reader, which has no more time.
    mutating func failed(_ call: Call, _ reason: String) -> [Condition] {
        decide(call, .failed, .failed(reason))
    }

    /// The reader has no more time for a call, which may have returned.
    mutating func timeIsOver(_ call: Call, _ reason: String) -> [Condition] {
        if overdue[call] == .undecided { return failed(call, reason) }
        overdue[call] = nil
        return []
    }

    /// A call returned after its deadline.
    mutating func returned(_ call: Call) -> [Condition] {
        if overdue.removeValue(forKey: call) == nil { overdue[call] = .returned }
        return settle()
    }

    /// The reader has a trouble without a stuck call.
    mutating func began(_ trouble: Trouble) -> [Condition] {
        self.trouble = trouble
        return settle()
    }

    /// The trouble is over.
    mutating func troubleIsOver() -> [Condition] {
        trouble = nil
        return settle()
    }

    /// A failure is reported also where the call has returned: its connection is lost.
    private mutating func decide(_ call: Call, _ decision: Overdue, _ condition: Condition) -> [Condition] {
        overdue[call] = overdue[call] == .undecided ? decision : nil
        reported = condition
        return [condition] + settle()
    }

    /// What is true without stuck calls; they keep up what was reported.
    private mutating func settle() -> [Condition] {
        let condition = trouble?.condition ?? .works
        guard stuck == 0 || reported == .works, condition != reported else { return [] }
        defer { reported = condition }
        if case (.failed, .blocked) = (reported, condition) { return [.works, condition] }
        return [condition]
    }
}
