import ISO7816

extension ReaderProfile {
    /// OMNIKEY 5321.
    public static let omnikey5321 = ReaderProfile(
        slug: "omnikey-5321", name: "OMNIKEY 5321",
        usbProducts: [0x076B: [0x532A]],
        readerNames: ["OMNIKEY 5321", "OMNIKEY CARDMAN 5321", "OMNIKEY 5X21"],
        mifareClassic: MIFAREClassicReader(valueCommands: .hid),
        native: { OmnikeyChannel(channel: $0) },
        probe: .readPage)

    /// OMNIKEY 5022, 5023, 5122, 5422 and 5427: blocks of ISO/IEC 15693 tags with `FF B0` and `FF D6` only.
    public static let omnikey5422 = ReaderProfile(
        slug: "omnikey-5422", name: "OMNIKEY 5022/5422/5427",
        usbProducts: [0x076B: [0x5022, 0x5023, 0x5432, 0x5422, 0x5427]],
        readerNames: [
            "OMNIKEY 5022", "OMNIKEY 5023", "OMNIKEY 5122", "OMNIKEY 5422", "OMNIKEY 5427", "OMNIKEY 5025",
        ],
        technologies: [.iso14443, .iso15693],
        mifareClassic: MIFAREClassicReader(valueCommands: .hid))
}

/// Frames in `FF A0 00 05 Lc 01 00 nn`, for OMNIKEY 5321.
public struct OmnikeyChannel: NativeChannel {
    /// ACK and NAK look the same.
    public let showsAcknowledge = false

    private let channel: any CardChannel

    /// Frames over a connection to such a reader.
    public init(channel: some CardChannel) { self.channel = channel }

    /// Sends a frame of 1 to 252 bytes.
    ///
    /// - Throws: ``TagError`` 105 for another length, 102 for any status word but 9000, 100 if the tag left.
    public func transceive(_ frame: [UInt8]) async throws(TagError) -> [UInt8] {
        guard !frame.isEmpty, frame.count <= 252 else {
            throw TagError(.packetTooLong, "a frame of \(frame.count) bytes; this reader takes 1 to 252")
        }
        let data = [0x01, 0x00, UInt8(truncatingIfNeeded: frame.count)] + frame
        let command = try CommandAPDU.native(ins: 0xA0, p1: 0x00, p2: 0x05, data, limit: 255)
        let response = try await channel.exchange(command)
        guard response.statusWord.isSuccess else {
            throw TagError(
                .tagResponseError, "\(CommandText.frame(frame)) refused: \(response.statusWord)", response: response)
        }
        return response.data
    }
}
