import ISO7816

/// FeliCa packets and Type 1 frames through an ACR122U: InDataExchange `D4 40 01` of its PN532 chip in the pseudo-APDU
/// `FF 00 00 00`.
public struct ACR122UDataExchange<Channel: CardChannel>: FeliCaChannel {
    private let channel: Channel

    /// What is left of 255 bytes of APDU data behind `D4 40 01`, and of a PN532 answer behind `D5 41` and its status.
    public let longestFrame = 252

    /// Packets go through `channel`.
    public init(channel: Channel) { self.channel = channel }

    /// Sends one packet or frame.
    ///
    /// - Throws: ``TagError`` 105 for a packet that is too long, 102 when the card is silent or the reader answers
    ///   nonsense, 100 when the card left.
    public func transceive(_ frame: [UInt8]) async throws(TagError) -> [UInt8] {
        let response = try await channel.exchange(command(frame))
        guard response.statusWord.isSuccess else {
            throw TagError(.tagResponseError, "the reader refused: \(response.statusWord)", response: response)
        }
        guard response.data.starts(with: [0xD5, 0x41]), let status = response.data.dropFirst(2).first else {
            throw TagError(.tagResponseError, "an answer that is none to InDataExchange", response: response.bytes)
        }
        // The high bits only announce more data.
        guard status & 0x3F == 0 else {
            let reason = status & 0x3F == 0x01 ? "the card did not answer" : "PN532 error \(Hexadecimal.string(status))"
            throw TagError(.tagResponseError, reason, response: response.bytes)
        }
        return Array(response.data.dropFirst(3))
    }

    private func command(_ frame: [UInt8]) throws(TagError) -> CommandAPDU {
        guard frame.count <= longestFrame else {
            throw TagError(.packetTooLong, "\(frame.count) bytes, the reader takes \(longestFrame)")
        }
        do throws(CommandAPDUError) {
            return try CommandAPDU(cla: 0xFF, ins: 0x00, p1: 0x00, p2: 0x00, data: [0xD4, 0x40, 0x01] + frame)
        } catch {
            throw TagError(.packetTooLong, "\(error)")
        }
    }
}
