import ISO7816

/// Commands to the PN532 of an ACR122U: `FF 00 00 00 Lc D4 code data`, answered by `D5 code+1 … 90 00`.
struct PN532: Sendable {
    let channel: any CardChannel

    /// One command; what follows `D5 code+1`.
    ///
    /// - Parameter limit: the most bytes of data there may be.
    /// - Throws: ``TagError`` 105 for data of another length, 1 where the reader does not know such commands, 102 for an
    ///   answer that is none, 100 when the card left.
    func perform(_ code: UInt8, _ data: [UInt8], limit: Int = 253) async throws(TagError) -> [UInt8] {
        guard !data.isEmpty, data.count <= limit else {
            throw TagError(.packetTooLong, "a frame has 1 to \(limit) bytes here, this one \(data.count)")
        }
        let response = try await channel.exchange(CommandAPDU.passThrough([0xD4, code] + data, limit: 255))
        guard !response.statusWord.isUnknownCommand else {
            throw TagError(
                .unsupportedFeature,
                "the reader is none of the ACR122U family, and no other way to this card is known: "
                    + "\(response.statusWord)", response: response)
        }
        guard response.statusWord.isSuccess, response.data.starts(with: [0xD5, code &+ 1]) else {
            throw TagError(.tagResponseError, "no PN532 answer: \(response.statusWord)", response: response)
        }
        return Array(response.data.dropFirst(2))
    }

    /// One command whose answer begins with a status; what follows a status of 00.
    func exchange(_ code: UInt8, _ data: [UInt8]) async throws(TagError) -> [UInt8] {
        let answer = try await perform(code, data)
        guard let status = answer.first else {
            throw TagError(.tagResponseError, "the PN532 answered without a status", response: answer)
        }
        // The upper two bits tell of NAD and chaining.
        guard status & 0x3F == 0 else {
            let reason = status & 0x3F == 0x01 ? "no answer" : "PN532 status \(Hexadecimal.string(status & 0x3F))"
            throw TagError(.tagResponseError, "\(Hexadecimal.string(data)): \(reason)", response: answer)
        }
        return Array(answer.dropFirst())
    }
}

/// Frames through the PN532 of an ACR122U: `FF 00 00 00 Lc D4 42 frame` (InCommunicateThru), answered by
/// `D5 43 status data 90 00`.
///
/// The 4 bits of an acknowledge and of a refusal both come as status 02, so pages are written with `FF D6`.
public struct PN53xChannel: NativeChannel {
    private let chip: PN532

    /// Frames over a connection to such a reader.
    public init(channel: some CardChannel) { chip = PN532(channel: channel) }

    /// Sends a frame of 1 to 253 bytes.
    ///
    /// - Throws: ``TagError`` 105 for another length, 102 when the status is not 00, 100 when the tag left, 1 where the
    ///   reader is of another family.
    public func transceive(_ frame: [UInt8]) async throws(TagError) -> [UInt8] {
        try await chip.exchange(0x42, frame)
    }

    /// Selects one ISO/IEC 14443 type A target (InListPassiveTarget).
    ///
    /// - Throws: ``TagError`` 100 when there is none.
    public func reactivate() async throws(TagError) -> Bool {
        let answer = try await chip.perform(0x4A, [0x01, 0x00])
        guard answer.first == 1 else { throw TagError(.tagConnectionLost, "the tag does not come back") }
        return true
    }
}

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
