package import NFCTags
import Synchronization
import VirtualTags

/// A virtual card as nfcd sees it on a reader: identified, behind a driver, with every APDU counted.
package final class CountingCard: CardChannel {
    private let card: any VirtualCard
    private let readerName: String
    private let sent = Mutex<[[UInt8]]>([])

    init(_ card: any VirtualCard, readerName: String) {
        self.card = card
        self.readerName = readerName
        card.powerOn()
    }

    /// How many commands the reader got since the last ``driver()``.
    package var exchanges: Int { sent.withLock { $0.count } }
    /// Those that change the tag, as far as a storage-card command tells: `FF D6` and UPDATE BINARY.
    package var updates: Int { sent.withLock { $0.count { $0.dropFirst().first == 0xD6 } } }

    /// Identifies the tag and makes its driver, as on a new tap; counting begins behind it.
    package func driver() async throws -> (any NDEFTag)? {
        card.reset()
        let identity = try await identify(atr: card.answerToReset, channel: self)
        sent.withLock { $0 = [] }
        let reconnection = CardReconnection(identifier: identity.identifier) { [card] in card.reset() }
        return ndefTag(
            for: identity, channel: self, profile: .profile(reader: readerName), reconnection: reconnection)
    }

    package func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        sent.withLock { $0.append(command) }
        let response = card.transmit(command)
        guard card.isPresent || !response.isEmpty else { throw .tagLost }
        return response
    }
}
