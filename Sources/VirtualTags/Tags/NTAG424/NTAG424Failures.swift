/// How long an NTAG 424 DNA delays authentications after many wrong ones in a row, as a number of answers `91 AD` (NT4H2421Gx, §9).
///
/// The chip answers each first part with `91 AD` until the sum of these answers, 25 ms each, has used up the delay.
public struct NTAG424AuthenticationDelay: Sendable, Hashable {
    /// The wrong authentications in a row from which on there is a delay.
    public var start: Int
    /// After how many more it grows.
    public var step: Int
    /// By how many answers it grows.
    public var answers: Int

    /// A delay that begins with 50 wrong authentications and grows every further 50; the data sheet does not give its length.
    public init(start: Int = 50, step: Int = 50, answers: Int = 4) {
        self.start = start
        self.step = max(step, 1)
        self.answers = answers
    }

    /// The answers after this many wrong authentications in a row.
    func answers(after failures: Int) -> Int {
        failures < start ? 0 : ((failures - start) / step + 1) * answers
    }
}

/// The wrong authentications with one key (NT4H2421Gx, §9; AN12196, §7.4). They survive the loss of power.
struct NTAG424Failures: Sendable, Hashable {
    /// TotFailCtr: it grows with each failure and shrinks with each success.
    private(set) var total = 0
    /// SeqFailCtr: the failures since the last success, at most 255.
    private(set) var consecutive = 0
    /// How many first parts are still to be answered with `91 AD`.
    private var delayed = 0

    /// What SetConfiguration 0A sets.
    struct Policy: Sendable, Hashable {
        /// Whether failures are counted at all.
        var isCounting = true
        /// The value of TotFailCtr that locks a key.
        var limit = 1000
        /// By how much a success lowers TotFailCtr.
        var decrement = 10
    }

    /// Whether the key is locked.
    func isLocked(_ policy: Policy) -> Bool { policy.isCounting && total >= policy.limit }

    /// Begins an authentication.
    ///
    /// - Throws: 9D for a locked key, AD as long as the delay lasts.
    mutating func begin(_ policy: Policy) throws(NativeStatus) {
        guard policy.isCounting else { return }
        guard !isLocked(policy) else { throw .permissionDenied }
        guard delayed == 0 else {
            delayed -= 1
            throw .authenticationDelay
        }
    }

    /// Counts a wrong authentication.
    mutating func failed(_ policy: Policy, _ delay: NTAG424AuthenticationDelay) {
        guard policy.isCounting else { return }
        total = min(total + 1, policy.limit)
        consecutive = min(consecutive + 1, 255)
        delayed = delay.answers(after: consecutive)
    }

    /// Counts a right authentication.
    mutating func succeeded(_ policy: Policy) {
        total = max(total - policy.decrement, 0)
        consecutive = 0
        delayed = 0
    }
}
