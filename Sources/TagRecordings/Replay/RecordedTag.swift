import Synchronization
public import VirtualTags

/// A card that answers from a recording, behind a reader: it takes the commands of a PC/SC program, pseudo-APDUs included.
public final class RecordedCard: VirtualCard {
    /// What comes back for a command; the errors of the recording are kept.
    public typealias Outcome = RecordingReplay.Outcome

    private struct State {
        var replay: RecordingReplay
        var isPresent = true
        var objections: [String] = []
        var onUnrecorded: (@Sendable (UnrecordedCommand) -> Void)?
        var onUsedUp: (@Sendable () -> Void)?
    }

    private static let mostObjections = 32
    private let state: Mutex<State>
    /// The answer to reset.
    public let answerToReset: [UInt8]
    /// Whether the tag left in the recording.
    public let hasLeft: Bool

    /// The card of a visit.
    public init(_ visit: RecordedVisit) {
        let replay = RecordingReplay(visit)
        answerToReset = replay.answerToReset
        hasLeft = visit.hasLeft
        state = Mutex(State(replay: replay))
    }

    /// Whether it is in the field; false once a recorded exchange ended with a lost tag.
    public var isPresent: Bool { state.withLock(\.isPresent) }

    /// The commands that were not recorded, in words, the first ones.
    public var objections: [String] { state.withLock(\.objections) }

    /// Reports commands that were not recorded. Called while the reader waits; must not block.
    public func onUnrecorded(_ report: @escaping @Sendable (UnrecordedCommand) -> Void) {
        state.withLock { $0.onUnrecorded = report }
    }

    /// Reports that the card is no longer powered after everything recorded was used, or the tag was lost.
    public func onUsedUp(_ report: @escaping @Sendable () -> Void) {
        state.withLock { $0.onUsedUp = report }
    }

    /// Powers the card.
    ///
    /// - Returns: the recorded error of connecting; nil for a connection.
    public func connect() -> RecordedFailure? {
        state.withLock { state in
            let failure = state.replay.connect()
            if failure?.isLoss == true { state.isPresent = false }
            return failure
        }
    }

    /// Powers the card.
    public func powerOn() { _ = connect() }

    /// Ends the connection.
    public func powerOff() {
        let report = state.withLock { state in state.replay.isUsedUp || !state.isPresent ? state.onUsedUp : nil }
        report?()
    }

    /// Resets the card.
    ///
    /// - Returns: the recorded error; nil for success.
    public func resetRecorded() -> RecordedFailure? {
        state.withLock { state in
            let failure = state.replay.reset()
            if failure?.isLoss == true { state.isPresent = false }
            return failure
        }
    }

    /// Resets the card.
    public func reset() { _ = resetRecorded() }

    /// Sends a command, and keeps the error that was recorded.
    public func exchange(_ command: [UInt8]) -> Outcome {
        let (outcome, report) = state.withLock { state in
            let outcome = state.replay.transmit(command)
            switch outcome {
            case .answer: break
            case .failure(let failure): if failure.isLoss { state.isPresent = false }
            case .notRecorded(let command):
                if state.objections.count < Self.mostObjections { state.objections.append("\(command)") }
            }
            return (outcome, state.onUnrecorded)
        }
        if case .notRecorded(let command) = outcome { report?(command) }
        return outcome
    }

    /// Sends a command. One that was not recorded is answered with 6D00, and reported.
    public func transmit(_ apdu: [UInt8]) -> [UInt8] {
        switch exchange(apdu) {
        case .answer(let answer): answer
        case .failure: []
        case .notRecorded: [0x6D, 0x00]
        }
    }
}

/// A tag that answers from a recording. It exists only behind a reader: frames that another reader would send were not recorded.
public struct RecordedTag: VirtualTag {
    /// The reader family of the recording, as in `readers.list`.
    public let profile: String
    /// The UID, as the reader reported it in the recording; empty if it did not.
    public let identifier: [UInt8]
    private let card: RecordedCard

    /// The tag of a recording.
    ///
    /// - Parameter number: which of the tags that came to a reader, counted from 1.
    /// - Throws: ``RecordingError`` where no tag was recorded, or not so many.
    public init(_ recording: Recording, number: Int = 1) throws(RecordingError) {
        let visits = recording.visits.filter { !$0.exchanges.isEmpty }
        guard number >= 1, number <= visits.count else {
            throw RecordingError(
                line: nil,
                visits.isEmpty
                    ? "no exchange with a tag was recorded" : "tag \(number) of \(visits.count) does not exist")
        }
        let visit = visits[number - 1]
        profile = recording.readers.first { $0.id == visit.reader }?.profile ?? "generic"
        identifier = visit.identifier
        card = RecordedCard(visit)
    }

    /// The card behind its reader.
    public var recordedCard: RecordedCard { card }
    /// The commands that were not recorded.
    public var objections: [String] { card.objections }
    /// Nothing: the tag exists only behind a reader.
    public mutating func activate() {}
    /// Silence: the tag exists only behind a reader.
    public mutating func exchange(_ command: [UInt8]) -> VirtualTagAnswer { .silence }
    /// Nothing: the tag exists only behind a reader.
    public mutating func fieldDropped() {}
    /// The recorded card.
    public func inReader() -> any VirtualCard { card }
}

extension RecordedVisit {
    /// The UID that the reader reported (PC/SC part 3, GET DATA).
    public var identifier: [UInt8] {
        for exchange in exchanges where exchange.command.filled.starts(with: [0xFF, 0xCA, 0x00, 0x00]) {
            guard case .success(let answer) = exchange.outcome, !answer.isMasked, answer.filled.isSuccess else {
                continue
            }
            return Array(answer.filled.dropLast(2))
        }
        return []
    }
}
