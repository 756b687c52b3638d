import NFCTags
import VirtualTags

/// A simulated reader as its worker sees it: whatever virtual card lies in its field.
final class SimulatedReader: BlockingReader {
    private let id: ReaderID
    private let field: SimulatedField
    private var card: (any VirtualCard)?

    init(id: ReaderID, field: SimulatedField) {
        self.id = id
        self.field = field
    }

    func connect() throws(CardChannelError) -> [UInt8] {
        // As a reader of PC/SC lets go of the card before.
        disconnect()
        guard let card = field.card(on: id) else { throw .tagLost }
        self.card = card
        card.powerOn()
        return card.answerToReset
    }

    func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        guard let card, isInField(card) else { throw .tagLost }
        let response = card.transmit(command)
        if !card.isPresent { field.remove(card) }
        guard isInField(card) else { throw .tagLost }
        return response
    }

    func reconnect() throws(CardChannelError) {
        guard let card, isInField(card) else { throw .tagLost }
        card.reset()
    }

    func disconnect() {
        card?.powerOff()
        card = nil
    }

    private func isInField(_ card: any VirtualCard) -> Bool {
        field.card(on: id).map { isSame($0, card) } ?? false
    }
}
