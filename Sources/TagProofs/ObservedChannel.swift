import NFCTags
import Synchronization

/// A channel that remembers how its last exchange failed: the errors of what is sent over it say it in words only.
final class ObservedChannel: CardChannel {
    private let channel: any CardChannel
    private let last = Mutex<(failure: CardChannelError?, isEmpty: Bool)>((nil, false))

    init(_ channel: any CardChannel) { self.channel = channel }

    /// How the last exchange failed; nil if it was answered.
    var failure: CardChannelError? { last.withLock(\.failure) }
    /// Whether the last exchange brought an answer of the reader, whatever it says of the tag.
    var isAnswered: Bool { last.withLock { $0.failure == nil && !$0.isEmpty } }

    func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        let answer = try await observe { () throws(CardChannelError) in try await channel.transmit(command) }
        if answer.isEmpty { last.withLock { $0.isEmpty = true } }
        return answer
    }

    /// The same for the activations of the tag.
    func observing(_ reconnection: CardReconnection) -> CardReconnection {
        CardReconnection(identifier: reconnection.identifier) { [self] () throws(CardChannelError) in
            try await observe { () throws(CardChannelError) in try await reconnection.perform() }
        }
    }

    private func observe<Value: Sendable>(
        _ body: () async throws(CardChannelError) -> Value
    ) async throws(CardChannelError) -> Value {
        do throws(CardChannelError) {
            let value = try await body()
            last.withLock { $0 = (nil, false) }
            return value
        } catch {
            last.withLock { $0 = (error, false) }
            throw error
        }
    }
}
