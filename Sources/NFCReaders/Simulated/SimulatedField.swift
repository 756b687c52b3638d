import NFCTags
import Synchronization
import TagRecordings
import VirtualTags

/// The fields of the simulated readers and the virtual cards in them.
final class SimulatedField: Sendable {
    private struct Slot {
        let description: ReaderDescription
        var isPluggedIn = true
        var card: (any VirtualCard)?
        var presentation: UInt64 = 0

        var arrival: ReaderEvent? {
            card.map {
                .tagArrived(
                    TagArrival(
                        reader: description.id, number: presentation, answerToReset: $0.answerToReset))
            }
        }
    }

    private struct State {
        var slots: [Slot]
        var presentations: UInt64 = 0
        var report: (@Sendable (ReaderEvent) -> Void)?
        var hasReported = false
        var waiters: [CheckedContinuation<Void, Never>] = []

        func index(for reader: String?) throws(SimulatorError) -> Int {
            guard let reader else {
                guard let free = slots.firstIndex(where: { $0.isPluggedIn && $0.card == nil }) else {
                    throw .allReadersTaken
                }
                return free
            }
            guard let index = slots.firstIndex(where: { $0.isPluggedIn && $0.description.matches(reader) }) else {
                throw .unknownReader(reader, known: slots.filter(\.isPluggedIn).map(\.description.id))
            }
            guard slots[index].card == nil else { throw .readerTaken(slots[index].description.id) }
            return index
        }
    }

    private let state: Mutex<State>

    init(readers: [ReaderDescription]) {
        state = Mutex(State(slots: readers.map { Slot(description: $0) }))
    }

    /// Reports the readers, their cards, and every change from now on. Nil stops the reports.
    func report(to report: (@Sendable (ReaderEvent) -> Void)?) {
        let (waiters, former) = state.withLock { state in
            let former = state.report
            state.report = report
            state.hasReported = true
            for slot in state.slots where slot.isPluggedIn { report?(.attached(slot.description)) }
            report?(.serviceAvailable)
            for slot in state.slots {
                if let arrival = slot.arrival { report?(arrival) }
            }
            defer { state.waiters = [] }
            return (state.waiters, former)
        }
        for waiter in waiters { waiter.resume() }
        withExtendedLifetime(former) {}
    }

    /// Returns when the readers have been reported.
    func waitForReport() async {
        await withCheckedContinuation { continuation in
            let hasReported = state.withLock { state in
                if !state.hasReported { state.waiters.append(continuation) }
                return state.hasReported
            }
            if hasReported { continuation.resume() }
        }
    }

    /// Reports an event of a reader's worker.
    func report(_ event: ReaderEvent) {
        state.withLock { $0.report?(event) }
    }

    /// Presents a card on a reader; nil selects the first empty reader.
    func present(
        _ card: any VirtualCard, on reader: String?
    ) throws(SimulatorError) -> SimulatedDriver.Presentation {
        try state.withLock { state throws(SimulatorError) in
            let index = try state.index(for: reader)
            state.presentations += 1
            state.slots[index].card = card
            state.slots[index].presentation = state.presentations
            if let arrival = state.slots[index].arrival { state.report?(arrival) }
            return SimulatedDriver.Presentation(
                reader: state.slots[index].description.id, number: state.presentations)
        }
    }

    /// Removes a presented card.
    ///
    /// - Returns: false if it was not in the field.
    func remove(_ presentation: SimulatedDriver.Presentation) -> Bool {
        remove { $0.presentation == presentation.number }
    }

    /// Removes a card that left the field by itself.
    ///
    /// - Returns: false if it was not in the field.
    func remove(_ card: any VirtualCard) -> Bool {
        remove { slot in slot.card.map { isSame($0, card) } ?? false }
    }

    /// The card on a reader.
    func card(on reader: ReaderID) -> (any VirtualCard)? {
        state.withLock { state in state.slots.first { $0.description.id == reader }?.card }
    }

    /// The cards on readers, in the order of the readers.
    var presentations: [SimulatedDriver.Presentation] {
        state.withLock { state in
            state.slots.filter { $0.card != nil }.map {
                SimulatedDriver.Presentation(reader: $0.description.id, number: $0.presentation)
            }
        }
    }

    /// Unplugs a reader, with the card on it, or plugs it in again.
    ///
    /// - Returns: false if it does not exist or nothing has changed.
    func plug(_ reader: ReaderID, isIn: Bool) -> Bool {
        let (changed, card) = state.withLock { state -> (Bool, (any VirtualCard)?) in
            guard let index = state.slots.firstIndex(where: { $0.description.id == reader }),
                state.slots[index].isPluggedIn != isIn
            else { return (false, nil) }
            state.slots[index].isPluggedIn = isIn
            state.report?(isIn ? .attached(state.slots[index].description) : .detached(reader))
            return (true, state.slots[index].card.take())
        }
        // Released without the lock.
        withExtendedLifetime(card) {}
        return changed
    }

    private func remove(where matches: (Slot) -> Bool) -> Bool {
        // The card is released without the lock.
        let card = state.withLock { state -> (any VirtualCard)? in
            guard let index = state.slots.firstIndex(where: { $0.card != nil && matches($0) }) else { return nil }
            state.report?(.tagLeft(state.slots[index].description.id))
            return state.slots[index].card.take()
        }
        return card != nil
    }
}

/// Whether two virtual cards are identical.
func isSame(_ one: any VirtualCard, _ other: any VirtualCard) -> Bool {
    one as AnyObject === other as AnyObject
}

/// The worker's side of a simulated reader: connects to the virtual card in its field.
final class SimulatedReader: BlockingReader {
    private let id: ReaderID
    private let field: SimulatedField
    private var card: (any VirtualCard)?

    init(id: ReaderID, field: SimulatedField) {
        self.id = id
        self.field = field
    }

    func connect() throws(CardChannelError) -> [UInt8] {
        // A PC/SC reader also disconnects before it connects again.
        disconnect()
        guard let card = field.card(on: id) else { throw .tagLost }
        self.card = card
        if let failure = power(card) {
            self.card = nil
            if !card.isPresent { _ = field.remove(card) }
            card.powerOff()
            throw CardChannelError(failure)
        }
        return card.answerToReset
    }

    func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        guard let card, isInField(card) else { throw .tagLost }
        if let recorded = card as? RecordedCard { return try exchange(command, recorded) }
        let response = card.transmit(command)
        // The answer of a card that left right after it has arrived.
        if !card.isPresent, field.remove(card), !response.isEmpty { return response }
        guard isInField(card) else { throw .tagLost }
        return response
    }

    func reconnect() throws(CardChannelError) {
        guard let card, isInField(card) else { throw .tagLost }
        guard let recorded = card as? RecordedCard else { return card.reset() }
        if let failure = recorded.resetRecorded() { throw lost(recorded, failure) }
    }

    /// Powers the card; returns the error of a recording.
    private func power(_ card: any VirtualCard) -> RecordedFailure? {
        guard let recorded = card as? RecordedCard else {
            card.powerOn()
            return nil
        }
        return recorded.connect()
    }

    /// An exchange with a recorded card, whose errors are those of the recording.
    private func exchange(_ command: [UInt8], _ card: RecordedCard) throws(CardChannelError) -> [UInt8] {
        switch card.exchange(command) {
        case .answer(let answer): return answer
        case .failure(let failure): throw lost(card, failure)
        case .notRecorded(let command): throw .transport(code: 0, message: "\(command)")
        }
    }

    /// The error of a recording; the card is removed if it is gone.
    private func lost(_ card: RecordedCard, _ failure: RecordedFailure) -> CardChannelError {
        if !card.isPresent { _ = field.remove(card) }
        return CardChannelError(failure)
    }

    // No other program can use a simulated reader.
    func lock() throws(CardChannelError) {}
    func unlock() {}

    func disconnect() {
        card?.powerOff()
        card = nil
    }

    private func isInField(_ card: any VirtualCard) -> Bool {
        field.card(on: id).map { isSame($0, card) } ?? false
    }
}
