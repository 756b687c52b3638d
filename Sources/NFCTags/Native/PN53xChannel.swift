import ISO7816

/// Frames through the PN532 of an ACR122U: `FF 00 00 00 Lc D4 42 frame` (InCommunicateThru), answered by
/// `D5 43 status data 90 00`.
///
/// The 4 bits of an acknowledge and of a refusal both come as status 02, so pages are written with `FF D6`.
public struct PN53xChannel: NativeChannel {
    private let channel: any CardChannel

    /// Frames over a connection to such a reader.
    public init(channel: some CardChannel) { self.channel = channel }

    /// Sends a frame of 1 to 253 bytes.
    ///
    /// - Throws: ``TagError`` 105 for another length, 102 when the status is not 00, 100 when the tag left.
    public func transceive(_ frame: [UInt8]) async throws(TagError) -> [UInt8] {
        let answer = try await perform(0x42, frame, limit: 253)
        guard let status = answer.first else {
            throw TagError(.tagResponseError, "the PN532 answered without a status", response: answer)
        }
        // The upper two bits tell of NAD and chaining.
        guard status & 0x3F == 0 else {
            throw TagError(
                .tagResponseError, "\(Hexadecimal.string(frame)): PN532 status \(Hexadecimal.string(status & 0x3F))",
                response: answer)
        }
        return Array(answer.dropFirst())
    }

    /// Selects one ISO/IEC 14443 type A target (InListPassiveTarget).
    ///
    /// - Throws: ``TagError`` 100 when there is none.
    public func reactivate() async throws(TagError) -> Bool {
        let answer = try await perform(0x4A, [0x01, 0x00], limit: 2)
        guard answer.first == 1 else { throw TagError(.tagConnectionLost, "the tag does not come back") }
        return true
    }

    /// One PN532 command; what follows `D5 code + 1`.
    private func perform(_ code: UInt8, _ data: [UInt8], limit: Int) async throws(TagError) -> [UInt8] {
        guard !data.isEmpty, data.count <= limit else {
            throw TagError(.packetTooLong, "a frame has 1 to \(limit) bytes here, this one \(data.count)")
        }
        let command = try CommandAPDU.passThrough([0xD4, code] + data, limit: 255)
        let response = try await channel.exchange(command)
        guard response.statusWord.isSuccess, response.data.starts(with: [0xD5, code + 1]) else {
            throw TagError(.tagResponseError, "no PN532 answer: \(response.statusWord)", response: response)
        }
        return Array(response.data.dropFirst(2))
    }
}
