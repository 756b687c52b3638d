import NFCTags
import VirtualTags

/// A virtual card as the drivers see it. The card is powered on when the channel is made.
struct ModelChannel: CardChannel {
    let card: any VirtualCard

    init(_ card: any VirtualCard) {
        self.card = card
        card.powerOn()
    }

    func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        let response = card.transmit(command)
        guard card.isPresent || !response.isEmpty else { throw .tagLost }
        return response
    }
}
