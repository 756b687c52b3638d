import NFCTags
import Synchronization

/// A channel that remembers how its last exchange failed: an error of the set-up says it in words only.
final class ObservedChannel: CardChannel {
    private let channel: any CardChannel
    private let last = Mutex<CardChannelError?>(nil)

    init(_ channel: any CardChannel) { self.channel = channel }

    /// How the last exchange failed; nil if it was answered.
    var failure: CardChannelError? { last.withLock { $0 } }

    func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        try await observe { () throws(CardChannelError) in try await channel.transmit(command) }
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
            last.withLock { $0 = nil }
            return value
        } catch {
            last.withLock { $0 = error }
            throw error
        }
    }
}
