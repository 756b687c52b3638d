import NFCTags
import Synchronization
import Testing

/// A card that has one conversation: every command has to be the one that is due. An answer is hexadecimal, or `lost`,
/// `silent` or `busy` for none at all.
final class ScriptedCard: CardChannel {
    typealias Turn = (command: String, answer: String)

    private let turns: [Turn]
    private let leavesAtEnd: Bool
    private let position = Mutex(0)

    /// A conversation after which nothing more is expected.
    init(_ turns: [Turn]) {
        self.turns = turns
        leavesAtEnd = false
    }

    /// A conversation after which the card leaves.
    init(_ exchanges: [Exchange]) {
        turns = exchanges.map { ($0.command, $0.answer) }
        leavesAtEnd = true
    }

    /// The conversation with the answer of one turn replaced, turns counted from 1.
    init(_ turns: [Turn], answering answer: String, at turn: Int) {
        var turns = turns
        if turns.indices.contains(turn - 1) { turns[turn - 1].answer = answer }
        self.turns = turns
        leavesAtEnd = false
    }

    /// How many commands came.
    var count: Int { position.withLock { $0 } }
    /// Whether the conversation came to its end.
    var isFinished: Bool { count == turns.count }

    func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        let index = position.withLock { position in
            defer { position += 1 }
            return position
        }
        guard turns.indices.contains(index) else {
            if leavesAtEnd { throw .tagLost }
            Issue.record("command \(index + 1) was not expected: \(Self.text(command))")
            throw .readerFailed
        }
        let turn = turns[index]
        #expect(Self.text(command) == turn.command.filter { $0 != " " }, "command \(index + 1)")
        switch turn.answer {
        case "lost": throw .tagLost
        case "silent": throw .timedOut
        case "busy": throw .busy
        default: return hex(turn.answer)
        }
    }

    static func text(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }
}

/// A turn of a ``ScriptedCard`` that has a name, to be put together from parts.
struct Exchange: Sendable {
    let command: String
    let answer: String

    init(_ command: String, _ answer: String) { (self.command, self.answer) = (command, answer) }

    /// A command that brings no answer, as the tag is gone or does not speak in time.
    init(_ command: String, fails error: CardChannelError) {
        self.init(command, error == .tagLost ? "lost" : error == .busy ? "busy" : "silent")
    }
}
