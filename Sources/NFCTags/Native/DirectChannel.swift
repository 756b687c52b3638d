import ISO7816

/// Frames in `FF 00 00 00 Lc`, as ACR1251U, ACR1252U, ACR1255U and ACR1281U take them: no wrapper, a status word behind
/// the answer.
///
/// A written page is answered with 6300 as a refusal is, so pages are written with `FF D6`.
///
/// FeliCa packets pass the same way: so it was recorded with an ACR1252U.
public struct DirectChannel: FeliCaChannel {
    /// What fits a short answer.
    public let longestFrame = 252

    private let channel: any CardChannel

    /// Frames over a connection to such a reader.
    public init(channel: some CardChannel) { self.channel = channel }

    /// Sends a frame of 1 to 255 bytes.
    ///
    /// - Throws: ``TagError`` 105 for another length, 102 for any status word but 9000, 100 when the tag left.
    public func transceive(_ frame: [UInt8]) async throws(TagError) -> [UInt8] {
        let command = try CommandAPDU.passThrough(frame, limit: 255)
        let response = try await channel.exchange(command)
        guard response.statusWord.isSuccess else {
            throw TagError(
                .tagResponseError, "\(Hexadecimal.string(frame)) refused: \(response.statusWord)", response: response)
        }
        return response.data
    }
}

extension CommandAPDU {
    /// `FF 00 00 00 Lc data`, the direct transmit of ACS readers.
    static func passThrough(_ data: [UInt8], limit: Int) throws(TagError) -> CommandAPDU {
        try native(ins: 0x00, p1: 0x00, p2: 0x00, data, limit: limit)
    }

    /// A command of class FF with data, whose size the reader limits.
    static func native(
        ins: UInt8, p1: UInt8, p2: UInt8, _ data: [UInt8], limit: Int, expectedLength: Int? = nil
    ) throws(TagError) -> CommandAPDU {
        guard !data.isEmpty, data.count <= limit else {
            throw TagError(.packetTooLong, "a frame has 1 to \(limit) bytes here, this one \(data.count)")
        }
        do throws(CommandAPDUError) {
            return try CommandAPDU(cla: 0xFF, ins: ins, p1: p1, p2: p2, data: data, expectedLength: expectedLength)
        } catch {
            throw TagError(.packetTooLong, "\(error)")
        }
    }
}
