import ISO7816

extension ReaderProfile {
    /// ACR1251U, ACR1252U, ACR1255U and ACR1281U.
    ///
    /// Such a reader would pass the ACR122U's wrapper on to a Type 1 tag, so Type 1 tags are refused.
    public static let acr1252u = ReaderProfile(
        slug: "acr1252u", name: "ACR1251U/1252U/1255U/1281U",
        usbProducts: [0x072F: [0x221A, 0x223B, 0x223E, 0x223F, 0x2224]],
        readerNames: ["ACR1251", "ACR1252", "ACR1255", "ACR1281"],
        technologies: [.iso14443, .iso18092],
        mifareClassic: MIFAREClassicReader(valueCommands: .acs),
        native: { DirectChannel(channel: $0) },
        feliCa: { DirectChannel(channel: $0) },
        type1: { _ in UnsupportedChannel(reason: "ACR1251U/1252U/1255U/1281U readers do not support Type 1 tags") },
        feedback: ReaderFeedback.acsSounds,
        probe: .readPage)
}

extension ReaderFeedback {
    /// A short and a long sound on newer ACS readers (escape command 28; the time is in units of 10 ms).
    static let acsSounds: [Kind: ReaderFeedback] = [
        .success: ReaderFeedback(route: .escape, command: [0xE0, 0x00, 0x00, 0x28, 0x01, 0x0A]),
        .failure: ReaderFeedback(route: .escape, command: [0xE0, 0x00, 0x00, 0x28, 0x01, 0x32]),
    ]
}

/// Frames and FeliCa packets in `FF 00 00 00 Lc`, for ACR1251U, ACR1252U, ACR1255U and ACR1281U: no wrapper, a status
/// word after the answer.
///
/// The reader answers 6300 both for a written page and for a refusal, so pages are written with `FF D6`. A trace of an
/// ACR1252U shows that FeliCa packets use the same transport.
public struct DirectChannel: FeliCaChannel {
    /// What fits into a short answer.
    public let longestFrame = 252

    /// ACK and NAK look the same.
    public let showsAcknowledge = false

    private let channel: any CardChannel

    /// Frames over a connection to such a reader.
    public init(channel: some CardChannel) { self.channel = channel }

    /// Sends a frame of 1 to 255 bytes.
    ///
    /// - Throws: ``TagError`` 105 for another length, 102 for any status word but 9000, 100 if the tag left.
    public func transceive(_ frame: [UInt8]) async throws(TagError) -> [UInt8] {
        let command = try CommandAPDU.passThrough(frame, limit: 255)
        let response = try await channel.exchange(command)
        guard response.statusWord.isSuccess else {
            throw TagError(
                .tagResponseError, "\(CommandText.frame(frame)) refused: \(response.statusWord)", response: response)
        }
        return response.data
    }
}
