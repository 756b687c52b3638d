import NFCProtocol
import Synchronization

/// What a session may ask for beyond what an iPhone has. Thread-safe.
final class SessionWishes: Sendable {
    struct Values: Sendable {
        var readers: [String]?
        var waitsForReader = false
        var waitsForTurn = false
        var timeout: TimeInterval?
    }

    private let values = Mutex(Values())

    var current: Values { values.withLock { $0 } }

    func change(_ change: (inout Values) -> Void) {
        values.withLock { change(&$0) }
    }
}

extension SessionRequest {
    /// The same with what is wished for.
    func with(_ wishes: SessionWishes) -> SessionRequest {
        var request = self
        let wishes = wishes.current
        request.readers = wishes.readers
        request.waitForReader = wishes.waitsForReader ? true : nil
        request.whenBusy = wishes.waitsForTurn ? .queue : nil
        request.timeout = wishes.timeout
        return request
    }
}
