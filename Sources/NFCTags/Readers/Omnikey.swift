import ISO7816

/// Frames in `FF A0 00 05 Lc 01 00 nn`, as OMNIKEY 5321 takes them.
public struct OmnikeyChannel: NativeChannel {
    private let channel: any CardChannel

    /// Frames over a connection to such a reader.
    public init(channel: some CardChannel) { self.channel = channel }

    /// Sends a frame of 1 to 252 bytes.
    ///
    /// - Throws: ``TagError`` 105 for another length, 102 for any status word but 9000, 100 when the tag left.
    public func transceive(_ frame: [UInt8]) async throws(TagError) -> [UInt8] {
        guard !frame.isEmpty, frame.count <= 252 else {
            throw TagError(.packetTooLong, "a frame has 1 to 252 bytes here, this one \(frame.count)")
        }
        let data = [0x01, 0x00, UInt8(truncatingIfNeeded: frame.count)] + frame
        let command = try CommandAPDU.native(ins: 0xA0, p1: 0x00, p2: 0x05, data, limit: 255)
        let response = try await channel.exchange(command)
        guard response.statusWord.isSuccess else {
            throw TagError(
                .tagResponseError, "\(Hexadecimal.string(frame)) refused: \(response.statusWord)", response: response)
        }
        return response.data
    }
}
