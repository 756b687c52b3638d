package import VirtualTags

/// A card whose responses a test alters; everything else is that of the card.
package struct AlteredCard: VirtualCard {
    private let card: any VirtualCard
    private let pass: @Sendable ([UInt8], any VirtualCard) -> [UInt8]

    /// - Parameter pass: gets a command APDU and the card, and returns the response.
    package init(_ card: any VirtualCard, _ pass: @escaping @Sendable ([UInt8], any VirtualCard) -> [UInt8]) {
        (self.card, self.pass) = (card, pass)
    }

    /// A card that gives one byte with each READ BINARY, whatever Le is.
    package static func oneByteReads(_ card: any VirtualCard) -> AlteredCard {
        AlteredCard(card) { apdu, card in
            card.transmit(apdu.starts(with: [0x00, 0xB0]) ? apdu.prefix(4) + [1] : apdu)
        }
    }

    package var answerToReset: [UInt8] { card.answerToReset }
    package var isPresent: Bool { card.isPresent }

    package func powerOn() { card.powerOn() }
    package func powerOff() { card.powerOff() }
    package func reset() { card.reset() }
    package func transmit(_ apdu: [UInt8]) -> [UInt8] { pass(apdu, card) }
}
