import ISO7816

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
