/// What a PC/SC host sees behind a reader: a card with an ATR that takes APDUs.
///
/// Implementations may be used from any thread; ``transmit(_:)`` may block for as long as a slow card would.
public protocol VirtualCard: Sendable {
    /// The answer to reset, 2 to 33 bytes (ISO/IEC 7816-3).
    var answerToReset: [UInt8] { get }

    /// Whether the card is still there. Once false it stays false, and the reader reports the card as removed.
    var isPresent: Bool { get }

    /// Powers the card: the field comes on and the tag is selected.
    func powerOn()

    /// Powers the card off; everything volatile in the card is lost.
    func powerOff()

    /// Powers the card off and on again.
    func reset()

    /// Sends a command APDU and returns the response, data and status word.
    ///
    /// An empty response is what a host gets from a card that stays silent, or was removed, see ``isPresent``.
    func transmit(_ apdu: [UInt8]) -> [UInt8]

    /// Sends the first frames of a command APDU; then the card loses power, as when it is removed in the middle of a command that takes
    /// several frames of ISO/IEC 14443-4.
    ///
    /// By default nothing of the command reaches the card.
    func transmit(_ apdu: [UInt8], frames: Int)
}

extension VirtualCard {
    /// Nothing of the command reaches the card.
    public func transmit(_ apdu: [UInt8], frames: Int) { powerOff() }
}
