import NFCTags
import Synchronization
import Testing

/// A channel that expects exactly these commands and gives these answers, in hexadecimal; behind the last one, the tag is
/// gone.
final class ScriptedChannel: CardChannel {
    /// One exchange.
    struct Exchange: Sendable {
        let command: [UInt8]
        let answer: Result<[UInt8], CardChannelError>

        init(_ command: String, _ answer: String) {
            (self.command, self.answer) = (hex(command), .success(hex(answer)))
        }
        init(_ command: String, fails error: CardChannelError) {
            (self.command, self.answer) = (hex(command), .failure(error))
        }
    }

    private let script: [Exchange]
    private let position = Mutex(0)

    init(_ script: [Exchange]) { self.script = script }

    /// Whether everything was asked for, and no more.
    var isFinished: Bool { position.withLock { $0 } == script.count }

    func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        let index = position.withLock { position in
            position += 1
            return position - 1
        }
        guard script.indices.contains(index) else { throw .tagLost }
        #expect(script[index].command == command, "exchange \(index + 1)")
        return try script[index].answer.get()
    }
}

typealias Exchange = ScriptedChannel.Exchange
