import NFCTags
import Synchronization

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
