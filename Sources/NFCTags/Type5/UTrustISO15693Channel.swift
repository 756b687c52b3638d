import ISO7816

/// Identiv uTrust readers: `FF FD FWT type Lc frame 00`, CRC added and taken away by the reader.
public struct UTrustISO15693Channel: NativeChannel {
    private let channel: any CardChannel

    /// Frames through this channel.
    public init(channel: some CardChannel) { self.channel = channel }

    /// Sends one frame and waits up to 50 ms, FWT code 06: a write may take 20 ms.
    public func transceive(_ frame: [UInt8]) async throws(TagError) -> [UInt8] {
        guard !frame.isEmpty, frame.count <= 255 else {
            throw TagError(.packetTooLong, "a frame of \(frame.count) bytes")
        }
        let command = [0xFF, 0xFD, 0x06, 0x01, UInt8(truncatingIfNeeded: frame.count)] + frame + [0x00]
        let response = try await channel.exchange(raw: command)
        guard response.statusWord.isSuccess else {
            throw TagError(.tagResponseError, "no answer of the tag: \(response.statusWord)", response: response.bytes)
        }
        return response.data
    }
}
