import ISO7816

/// Frames of Type 1 Tags through Identiv uTrust readers: `FF 50` to `FF 60`, one for each command (uTrust 4701 F reference
/// manual, 6.2.19 to 6.2.27).
///
/// The reader adds the UID itself, and gives the data without the address in front.
public struct UTrustType1Channel: NativeChannel {
    private let channel: any CardChannel

    /// Frames through this channel.
    public init(channel: some CardChannel) { self.channel = channel }

    /// One command of a Type 1 Tag: its pseudo-APDU, the bytes of data behind the address, and the bytes of its answer.
    private struct Form {
        let ins: UInt8
        var dataCount = 0
        let answerCount: Int
        var hasAddress = true
    }

    private static let forms: [UInt8: Form] = [
        0x78: Form(ins: 0x50, answerCount: 6, hasAddress: false),
        0x00: Form(ins: 0x52, answerCount: 122, hasAddress: false),
        0x01: Form(ins: 0x54, answerCount: 1),
        0x53: Form(ins: 0x56, dataCount: 1, answerCount: 1),
        0x1A: Form(ins: 0x58, dataCount: 1, answerCount: 1),
        0x10: Form(ins: 0x5A, answerCount: 128),
        0x02: Form(ins: 0x5C, answerCount: 8),
        0x54: Form(ins: 0x5E, dataCount: 8, answerCount: 8),
        0x1B: Form(ins: 0x60, dataCount: 8, answerCount: 8),
    ]

    /// Sends one frame: code, address, data, UID.
    ///
    /// - Throws: ``TagError`` 1 for a frame that the reader has no pseudo-APDU for, 102 when the tag is silent, 100 when it
    ///   left.
    public func transceive(_ frame: [UInt8]) async throws(TagError) -> [UInt8] {
        guard let code = frame.first, let form = Self.forms[code], let address = frame.dropFirst().first,
            frame.count >= 2 + form.dataCount
        else {
            throw TagError(.unsupportedFeature, "the reader has no such command: \(Hexadecimal.string(frame))")
        }
        let response = try await channel.exchange(command(form, address, Array(frame.dropFirst(2))))
        guard response.statusWord.isSuccess else {
            throw TagError(
                .tagResponseError, "\(Hexadecimal.string(frame)) refused: \(response.statusWord)", response: response)
        }
        // The manual leaves open whether the address comes along with a byte.
        return form.hasAddress && response.data.count == form.answerCount ? [address] + response.data : response.data
    }

    private func command(_ form: Form, _ address: UInt8, _ rest: [UInt8]) throws(TagError) -> CommandAPDU {
        let p2 = form.hasAddress ? address : 0
        guard form.dataCount > 0 else { return CommandAPDU(cla: 0xFF, ins: form.ins, p1: 0, p2: p2, le: 0) }
        return try .native(ins: form.ins, p1: 0, p2: p2, Array(rest.prefix(form.dataCount)), limit: form.dataCount)
    }
}
