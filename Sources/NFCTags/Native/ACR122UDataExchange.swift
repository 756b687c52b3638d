/// FeliCa packets and Type 1 frames through an ACR122U: InDataExchange `D4 40 01` of its PN532 chip in the pseudo-APDU
/// `FF 00 00 00`.
public struct ACR122UDataExchange: FeliCaChannel {
    private let chip: PN532

    /// What is left of 255 bytes of APDU data behind `D4 40 01`, and of a PN532 answer behind `D5 41` and its status.
    public let longestFrame = 252

    /// Packets go through `channel`.
    public init(channel: some CardChannel) { chip = PN532(channel: channel) }

    /// Sends one packet or frame.
    ///
    /// - Throws: ``TagError`` 105 for a packet that is too long, 102 when the card is silent or the reader answers
    ///   nonsense, 100 when the card left, 1 where the reader is of another family.
    public func transceive(_ frame: [UInt8]) async throws(TagError) -> [UInt8] {
        try await chip.exchange(0x40, [0x01] + frame)
    }
}
