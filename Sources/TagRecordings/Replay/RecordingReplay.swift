/// Answers commands as a recorded card did. A value: no I/O, no clock.
///
/// A command is looked up in the state that earlier commands led to, not by its place in the recording: programs poll, repeat and change
/// their order. It gets the next answer that was recorded for it there; the last one again once none is left.
public struct RecordingReplay: Sendable {
    /// What comes back for a command.
    public enum Outcome: Sendable, Hashable {
        /// A response, with 00 for masked bytes.
        case answer([UInt8])
        /// The error that was recorded.
        case failure(RecordedFailure)
        /// The recording does not have the command in this state.
        case notRecorded(UnrecordedCommand)
    }

    /// A command in the state in which it was recorded.
    private struct Key: Hashable {
        let state: RecordedCardState
        let command: MaskedBytes
    }

    private struct Entry: Sendable {
        let state: RecordedCardState
        let command: MaskedBytes
        var outcomes: [Result<MaskedBytes, RecordedFailure>]
        var used = 0

        mutating func next() -> (outcome: Result<MaskedBytes, RecordedFailure>, isFirstUse: Bool)? {
            guard let last = outcomes.last else { return nil }
            guard used < outcomes.count else { return (last, false) }
            defer { used += 1 }
            return (outcomes[used], true)
        }
    }

    /// The answer to reset.
    public let answerToReset: [UInt8]
    /// Each command once for each state, in the order of the recording.
    private var entries: [Entry] = []
    private var places: [Key: Int] = [:]
    /// The places of the commands with masked bytes, which no key finds.
    private var masked: [RecordedCardState: [Int]] = [:]
    private var state = RecordedCardState()
    private var connections: Results
    private var resets: Results
    private var unused: Int
    /// What of a command may be in an error.
    private var mask: RecordingMask

    /// The card of a visit.
    public init(_ visit: RecordedVisit) {
        answerToReset = visit.answerToReset
        connections = Results(visit.connections)
        resets = Results(visit.resets)
        unused = visit.exchanges.count
        mask = RecordingMask(answerToReset: visit.answerToReset, isNew: true)
        for exchange in visit.exchanges {
            let key = Key(state: exchange.state, command: exchange.command)
            if let place = places[key] {
                entries[place].outcomes.append(exchange.outcome)
                continue
            }
            places[key] = entries.count
            if exchange.command.isMasked { masked[exchange.state, default: []].append(entries.count) }
            entries.append(Entry(state: exchange.state, command: exchange.command, outcomes: [exchange.outcome]))
        }
    }

    /// Whether every recorded exchange has been used.
    public var isUsedUp: Bool { unused == 0 }

    /// Connects to the card, which is powered.
    ///
    /// - Returns: the recorded error; nil for a connection.
    public mutating func connect() -> RecordedFailure? {
        let failure = connections.next()
        if failure == nil { powered() }
        return failure
    }

    /// Resets the card.
    ///
    /// - Returns: the recorded error; nil for success.
    public mutating func reset() -> RecordedFailure? {
        let failure = resets.next()
        if failure == nil { powered() }
        return failure
    }

    private mutating func powered() {
        state = RecordedCardState()
        mask.wasReset()
    }

    /// Sends a command.
    public mutating func transmit(_ command: [UInt8]) -> Outcome {
        guard let place = place(of: command), let next = entries[place].next() else {
            return .notRecorded(unrecorded(command))
        }
        let recorded = entries[place].command
        if next.isFirstUse { unused -= 1 }
        switch next.outcome {
        case .success(let answer):
            let bytes = answer.filled
            _ = mask.take(command, bytes)
            state.take(recorded, bytes)
            return .answer(bytes)
        case .failure(let failure): return .failure(failure)
        }
    }

    /// The entry of a command: one that is known as a whole takes precedence over one with masked bytes.
    private func place(of command: [UInt8]) -> Int? {
        let exact = MaskedBytes(command)
        let state = state.relevant(to: exact)
        return places[Key(state: state, command: exact)]
            ?? masked[state]?.first { entries[$0].command.matches(command) }
    }

    private func unrecorded(_ command: [UInt8]) -> UnrecordedCommand {
        let recorded = entries.filter { $0.state == state.relevant(to: $0.command) }.map(\.command)
        let others = Set(entries.lazy.filter { $0.command.matches(command) }.map(\.state))
        return UnrecordedCommand(
            command: command, shown: shown(MaskedBytes(command)), state: state,
            recorded: recorded.map { shown($0) }.sorted { $0.precedes($1) },
            otherStates: others.map(\.description).sorted())
    }

    /// A command without secrets and without contents.
    private func shown(_ command: MaskedBytes) -> MaskedBytes {
        var mask = mask
        let open = mask.take(command.filled, nil).withoutContent.command
        return MaskedBytes(masking: zip(command.bytes, open.bytes).map { $1 == nil ? nil : $0 })
    }

    /// Results in their order, the last one again from then on.
    private struct Results: Sendable {
        private let results: [RecordedFailure?]
        private var used = 0

        init(_ results: [RecordedFailure?]) { self.results = results }

        mutating func next() -> RecordedFailure? {
            guard used < results.count else { return results.last ?? nil }
            defer { used += 1 }
            return results[used]
        }
    }
}

/// A command that a recording does not have in the state of the card.
public struct UnrecordedCommand: Error, Sendable, Hashable, CustomStringConvertible {
    /// The command.
    public let command: [UInt8]
    /// The command as it may be shown: without secrets and without contents.
    public let shown: MaskedBytes
    /// The state.
    public let state: RecordedCardState
    /// The commands that were recorded in this state, as they may be shown.
    public let recorded: [MaskedBytes]
    /// The other states in which the command was recorded.
    public let otherStates: [String]

    private static let mostListed = 6

    /// What is missing, what there is, and what to do.
    public var description: String {
        let listed = recorded.prefix(Self.mostListed).map(\.description).joined(separator: ", ")
        let rest = recorded.count > Self.mostListed ? " and \(recorded.count - Self.mostListed) more" : ""
        let present = recorded.isEmpty ? "no command was" : "\(listed)\(rest) \(recorded.count == 1 ? "was" : "were")"
        let elsewhere = otherStates.first.map { "; the command was recorded \($0)" } ?? ""
        return "the command \(shown) was not recorded \(state), where \(present)\(elsewhere). "
            + "Record the session again, or correct the program"
    }
}
