import NFCTags
import Synchronization
import Testing
import TestSupport

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
            Issue.record("command \(index + 1) was not expected: \(hex(command))")
            throw .readerFailed
        }
        let turn = turns[index]
        #expect(hex(command) == turn.command.filter { $0 != " " }, "command \(index + 1)")
        switch turn.answer {
        case "lost": throw .tagLost
        case "silent": throw .timedOut
        case "busy": throw .busy
        default: return hex(turn.answer)
        }
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

/// A channel that expects a script of commands and returns its answers.
final class OrderedScript: CardChannel {
    /// What a command gets.
    enum Answer: Sendable {
        case bytes(String)
        case failure(CardChannelError)
    }

    private let script: [(command: String, answer: Answer)]
    private let position = Mutex(0)

    init(_ script: [(String, Answer)]) {
        self.script = script.map { (command: $0.0, answer: $0.1) }
    }

    /// How many commands came.
    var count: Int { position.withLock { $0 } }
    /// Whether every command of the script came.
    var isDone: Bool { count == script.count }

    func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        let number = position.withLock { position in
            defer { position += 1 }
            return position
        }
        guard number < script.count else {
            Issue.record("command \(number + 1) is not in the script: \(hex(command))")
            throw .timedOut
        }
        #expect(hex(command) == hex(hex(script[number].command)), "command \(number + 1)")
        switch script[number].answer {
        case .bytes(let text): return hex(text)
        case .failure(let error): throw error
        }
    }
}

/// Answers commands from a list, in order, and keeps what was sent. Behind the end of the list the tag is gone.
final class AnsweringChannel: CardChannel {
    private struct State {
        var answers: [Result<[UInt8], CardChannelError>]
        var log: [[UInt8]] = []
    }

    private let state: Mutex<State>

    /// Answers in hexadecimal.
    convenience init(_ answers: [String]) { self.init(answers.map { .success(hex($0)) }) }

    init(_ answers: [Result<[UInt8], CardChannelError>]) { state = Mutex(State(answers: answers)) }

    /// The commands so far.
    var log: [[UInt8]] { state.withLock { $0.log } }

    func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        let answer = state.withLock { state -> Result<[UInt8], CardChannelError> in
            state.log.append(command)
            return state.answers.isEmpty ? .failure(.tagLost) : state.answers.removeFirst()
        }
        return try answer.get()
    }
}

/// A Type 2 tag behind a storage-card reader, as pages of 4 bytes: answers `FF CA` and `FF B0`, and nothing else.
final class FakeTag: CardChannel {
    /// What reader and tag do.
    struct Behaviour: Sendable {
        var identifier = hex("04A1B2C3D4E5F6")
        /// The most that `FF B0` gives.
        var blockSize = 16
        /// How the reader says that Le is larger than that.
        var oversize = Oversize.shorter
        /// Pages that cannot be the first one of a read.
        var refusedStarts: Set<Int> = []
        /// Raw answers instead of the real one, by the number of the exchange, from 1.
        var scripted: [Int: [UInt8]] = [:]
        /// Failures by the number of the exchange, from 1.
        var failures: [Int: CardChannelError] = [:]
        /// The status word a Le of 00 in `FF CA` gets; `nil` means that it is accepted.
        var refusesLe00: [UInt8]?
    }

    enum Oversize: Sendable {
        case shorter, correctLength, wrongLength, endOfData
    }

    private let memory: [UInt8]
    private let behaviour: Behaviour
    private let commands = Mutex<[[UInt8]]>([])

    init(_ memory: [UInt8], _ behaviour: Behaviour = Behaviour()) {
        self.memory = memory
        self.behaviour = behaviour
    }

    /// The commands so far.
    var log: [[UInt8]] { commands.withLock { $0 } }

    func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        let number = commands.withLock { log in
            log.append(command)
            return log.count
        }
        if let failure = behaviour.failures[number] { throw failure }
        if let answer = behaviour.scripted[number] { return answer }
        guard command.count == 5 else { return hex("6700") }
        switch (command[0], command[1]) {
        case (0xFF, 0xCA): return identify(le: command[4])
        case (0xFF, 0xB0): return read(page: Int(command[2]) << 8 | Int(command[3]), le: Int(command[4]))
        default: return hex("6D00")
        }
    }

    private func identify(le: UInt8) -> [UInt8] {
        let identifier = behaviour.identifier
        if le == 0, let refusal = behaviour.refusesLe00 { return refusal }
        guard le == 0 || Int(le) == identifier.count else { return [0x6C, UInt8(identifier.count)] }
        return identifier + hex("9000")
    }

    private func read(page: Int, le: Int) -> [UInt8] {
        guard page * 4 < memory.count, !behaviour.refusedStarts.contains(page) else { return hex("6300") }
        guard le > behaviour.blockSize else { return bytes(from: page, count: le) + hex("9000") }
        let shorter = bytes(from: page, count: behaviour.blockSize)
        switch behaviour.oversize {
        case .shorter: return shorter + hex("9000")
        case .endOfData: return shorter + hex("6282")
        case .correctLength: return [0x6C, UInt8(behaviour.blockSize)]
        case .wrongLength: return hex("6700")
        }
    }

    /// READ rolls over to page 0 behind the last page.
    private func bytes(from page: Int, count: Int) -> [UInt8] {
        (0..<count).map { memory[(page * 4 + $0) % memory.count] }
    }
}
