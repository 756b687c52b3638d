import ISO7816

extension ReaderProfile {
    /// ACR122U and other readers with a PN532.
    public static let acr122u = ReaderProfile(
        slug: "acr122u", name: "ACR122U",
        usbProducts: [0x072F: [0x2200]],
        readerNames: ["ACR122"],
        technologies: [.iso14443, .iso18092],
        mifareClassic: MIFAREClassicReader(valueCommands: .acs),
        native: { PN53xChannel(channel: $0) },
        feliCa: { ACR122UDataExchange(channel: $0) },
        type1: { ACR122UDataExchange(channel: $0) },
        // The reader answers only when the lights have stopped blinking.
        feedback: [
            // One green blink with the buzzer.
            .success: ReaderFeedback(
                route: .transmit, command: [0xFF, 0x00, 0x40, 0xA0, 0x04, 0x01, 0x01, 0x01, 0x01]),
            // Two red blinks with the buzzer.
            .failure: ReaderFeedback(
                route: .transmit, command: [0xFF, 0x00, 0x40, 0x50, 0x04, 0x01, 0x01, 0x02, 0x01]),
        ],
        // The answer is the firmware's name in ASCII, without a status word.
        probe: .query([0xFF, 0x00, 0x48, 0x00, 0x00]) { $0.starts(with: Array("ACR122".utf8)) })
}

/// Commands to the PN532 of an ACR122U: `FF 00 00 00 Lc D4 code data`, answered by `D5 code+1 … 90 00`.
struct PN532: Sendable {
    /// InDataExchange, whose data begins with the number of the target.
    static let dataExchange: UInt8 = 0x40

    let channel: any CardChannel

    /// Sends one command and returns what follows `D5 code+1`.
    ///
    /// - Parameter limit: the maximum number of data bytes.
    /// - Throws: ``TagError`` 105 for data of another length, 1 if the reader does not support such commands, 102 for an
    ///   invalid answer, 100 if the card left.
    func perform(_ code: UInt8, _ data: [UInt8], limit: Int = 253) async throws(TagError) -> [UInt8] {
        guard !data.isEmpty, data.count <= limit else {
            throw TagError(.packetTooLong, "a frame of \(data.count) bytes; this reader takes 1 to \(limit)")
        }
        let response = try await channel.exchange(CommandAPDU.passThrough([0xD4, code] + data, limit: 255))
        guard !response.statusWord.isUnknownCommand else {
            throw TagError(
                .unsupportedFeature,
                "the reader does not support ACR122U commands, and no other transport to this card is known: "
                    + "\(response.statusWord)", response: response)
        }
        guard response.statusWord.isSuccess, response.data.starts(with: [0xD5, code &+ 1]) else {
            throw TagError(
                .tagResponseError, "not a PN532 answer: \(response.statusWord)", response: response)
        }
        return Array(response.data.dropFirst(2))
    }

    /// Sends one command whose answer begins with a status, and returns what follows a status of 00.
    func exchange(_ code: UInt8, _ data: [UInt8]) async throws(TagError) -> [UInt8] {
        let answer = try await perform(code, data)
        guard let status = answer.first else {
            throw TagError(.tagResponseError, "the PN532 answered without a status", response: answer)
        }
        // The upper two bits are about NAD and chaining.
        guard status & 0x3F == 0 else {
            throw TagError(
                .tagResponseError,
                "\(CommandText.frame(code == Self.dataExchange ? data.dropFirst() : data[...])): \(Self.reason(status & 0x3F))",
                response: answer)
        }
        return Array(answer.dropFirst())
    }

    private static func reason(_ status: UInt8) -> String {
        switch status {
        case 0x01: "no answer"
        case 0x02: "refused, or an answer without a valid CRC (PN532 status 02)"
        default: "PN532 status \(Hexadecimal.string(status))"
        }
    }
}

/// Frames through the PN532 of an ACR122U: `FF 00 00 00 Lc D4 42 frame` (InCommunicateThru), answered by
/// `D5 43 status data 90 00`.
///
/// The PN532 expects two bytes of CRC, so that the 4 bits of an ACK and of a NAK both come as status 02, a wrong CRC
/// (UM0701-02, section 7.1). Pages are therefore written with `FF D6`. PACK, the answer to PWD_AUTH, has a CRC: there 02
/// is a refusal.
public struct PN53xChannel: NativeChannel {
    private let chip: PN532

    /// ACK and NAK look the same.
    public let showsAcknowledge = false
    /// The reader can select the tag again.
    public let canReactivate = true

    /// Frames over a connection to such a reader.
    public init(channel: some CardChannel) { chip = PN532(channel: channel) }

    /// Sends a frame of 1 to 253 bytes.
    ///
    /// - Throws: ``TagError`` 105 for another length, 102 if the status is not 00, 100 if the tag left, 1 if the reader
    ///   belongs to another family.
    public func transceive(_ frame: [UInt8]) async throws(TagError) -> [UInt8] {
        try await chip.exchange(0x42, frame)
    }

    /// Selects one ISO/IEC 14443 type A target (InListPassiveTarget).
    ///
    /// - Throws: ``TagError`` 100 if there is none.
    public func reactivate() async throws(TagError) -> Bool {
        let answer = try await chip.perform(0x4A, [0x01, 0x00])
        guard answer.first == 1 else { throw TagError(.tagConnectionLost, "the tag does not come back") }
        return true
    }
}

/// FeliCa packets and Type 1 frames through an ACR122U: InDataExchange `D4 40 01` of its PN532 in the pseudo-APDU
/// `FF 00 00 00`.
public struct ACR122UDataExchange: FeliCaChannel {
    private let chip: PN532

    /// 255 bytes of APDU data without `D4 40 01`; also a PN532 answer without `D5 41` and its status.
    public let longestFrame = 252

    /// Packets over a connection to such a reader.
    public init(channel: some CardChannel) { chip = PN532(channel: channel) }

    /// Sends one packet or frame.
    ///
    /// - Throws: ``TagError`` 105 for a packet that is too long, 102 if the card does not answer or the answer is invalid,
    ///   100 if the card left, 1 if the reader belongs to another family.
    public func transceive(_ frame: [UInt8]) async throws(TagError) -> [UInt8] {
        try await chip.exchange(PN532.dataExchange, [0x01] + frame)
    }
}
