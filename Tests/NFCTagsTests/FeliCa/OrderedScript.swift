import NFCTags
import Synchronization
import Testing

/// A channel that expects certain commands in a certain order and answers each as told.
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
            Issue.record("command \(number + 1) is not in the script: \(hexDigits(command))")
            throw .timedOut
        }
        #expect(hexDigits(command) == hexDigits(hex(script[number].command)), "command \(number + 1)")
        switch script[number].answer {
        case .bytes(let text): return hex(text)
        case .failure(let error): throw error
        }
    }
}

/// Bytes as hexadecimal digits, which are easier to compare by eye.
func hexDigits(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
}
