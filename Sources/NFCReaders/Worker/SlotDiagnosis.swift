/// Observes a reader's slot from outside its worker's thread. The calls may block.
package protocol SlotProbe: Sendable {
    /// The current state of the slot; nil if it cannot be determined.
    func state() -> SlotState?

    /// Whether the reader itself confirms that a card is on it; nil if its driver cannot ask the reader.
    func confirmsCard() -> Bool?
}

/// What a reader's slot shows.
package struct SlotState: Sendable, Hashable {
    /// A card is on the reader.
    package var hasCard = false
    /// The card does not answer.
    package var isMute = false
    /// A program is connected to the card.
    package var isInUse = false
    /// A program is connected to the card and shares it with no other.
    package var isExclusive = false
    /// The number of insertions and removals.
    package var cardCounter: UInt16 = 0

    /// An empty slot.
    package init() {}
}

/// Determines why a tag that was in the field cannot be reached: it left, it does not answer, the reader does not answer, or
/// another program uses the reader.
struct SlotDiagnosis: Sendable {
    /// What a failed connection shows.
    enum Finding {
        /// The tag left.
        case noTag
        /// The reader answers, and its tag does not.
        case muteTag
        /// The slot shows a tag, and the reader does not answer.
        case silentReader
        /// The slot shows a tag, and the driver cannot ask the reader.
        case unknown
    }

    /// How long pcscd may take to report that a tag left: it polls some readers every 400 ms.
    private static let settling = 4
    private static let settlingPause = Duration.milliseconds(250)
    private static let stateLimit = Duration.seconds(1)
    private static let answerLimit = Duration.seconds(5)

    private let slot: (any SlotProbe)?
    private let clock: any Clock<Duration>
    private let timer: DeadlineTimer

    /// Without a probe, a tag that cannot be reached has left, and no other program uses the reader.
    init(slot: (any SlotProbe)?, clock: any Clock<Duration>) {
        self.slot = slot
        self.clock = clock
        timer = DeadlineTimer(clock)
    }

    /// Why there is no connection to a tag that was in the field.
    func afterLostTag() async -> Finding {
        guard let first = await state(), first.hasCard else { return .noTag }
        for _ in 0..<Self.settling {
            try? await clock.sleep(for: Self.settlingPause)
            guard let now = await state(), now.hasCard, now.cardCounter == first.cardCounter else {
                return .noTag
            }
        }
        switch await timer.result(within: Self.answerLimit, ofBlocking: { [slot] in slot?.confirmsCard() }) {
        case .some(.some(let isConfirmed)): return isConfirmed ? .muteTag : .silentReader
        case .some(.none): return first.isMute ? .muteTag : .unknown
        // A program that is connected may have started a transaction.
        case .none: return await isInUse() ? .unknown : .silentReader
        }
    }

    /// Whether the slot shows a tag that answered.
    func showsTag() async -> Bool {
        guard let state = await state() else { return false }
        return state.hasCard && !state.isMute
    }

    /// Whether another program is connected to the card. Only meaningful while nfcd is not.
    func isInUse() async -> Bool {
        guard let state = await state() else { return false }
        return state.isInUse || state.isExclusive
    }

    /// Whether another program is connected exclusively.
    func isExclusive() async -> Bool {
        await state()?.isExclusive ?? false
    }

    private func state() async -> SlotState? {
        guard let slot else { return nil }
        return await timer.result(within: Self.stateLimit, ofBlocking: { slot.state() }) ?? nil
    }
}
