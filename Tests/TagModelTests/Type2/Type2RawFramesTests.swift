import NFCTags
import Testing
import TestSupport
import VirtualTags

/// Raw frames through readers that hide the 4 bits of an ACK and a NAK, and through one that shows them.
@Suite struct `Raw frames to a Type 2 tag` {
    static let readers = ["acr122u", "acr1252u", "omnikey-5321", "acr1552u"]

    private static func frames(_ model: String, _ reader: String) throws -> (Type2RawFrames, VirtualReader) {
        let card = try Type2Setup(model: model, reader: reader).card([])
        return (try frames(card, reader), card)
    }

    private static func frames(_ card: VirtualReader, _ reader: String) throws -> Type2RawFrames {
        let name = try #require(VirtualReaderModel.named(reader)).readerName
        let channel = ReaderProfile.profile(reader: name).nativeChannel(over: ModelChannel(card))
        return Type2RawFrames(channel: try #require(channel))
    }

    /// The frames and their answers, the last of which is a refusal where it is nil.
    static let accepted: [(model: String, frames: [String], answer: String)] = [
        ("ntag215", ["A21001020304"], "0A"), ("ntag215", ["A21000000000"], "0A"),
        ("ntag215", ["A202000000F0"], "0A"), ("ntag215", ["A203E1103E0F"], "0A"),
        // Dynamic lock bytes, AUTH0, the password, its acknowledge.
        ("ntag215", ["A282010000BD"], "0A"), ("ntag215", ["A28204000010"], "0A"),
        ("ntag215", ["A285C1D2E3F4"], "0A"), ("ntag215", ["A286AABB0000"], "0A"),
        ("ntag213", ["A22BC1D2E3F4", "A22CAABB0000", "1BC1D2E3F4"], "AABB"),
        ("ultralight", ["A20F01020304"], "0A"), ("ultralight-ev1-11", ["A50101000000"], "0A"),
        ("ntag215", ["1BFFFFFFFF"], "0000"), ("ntag215", ["60"], "0004040201001103"),
    ]

    @Test(arguments: accepted, readers)
    func `are answered with 0A where the tag accepts them`(
        row: (model: String, frames: [String], answer: String), reader: String
    ) async throws {
        let (frames, _) = try Self.frames(row.model, reader)
        var answer: [UInt8] = []
        for frame in row.frames { answer = try await frames.transceive(hex(frame)) }
        #expect(answer == hex(row.answer))
    }

    @Test(arguments: readers) func `write the page`(reader: String) async throws {
        let (frames, card) = try Self.frames("ntag215", reader)
        _ = try await frames.transceive(hex("A21001020304"))
        let chip = try #require(card.tag as? VirtualType2Tag)
        #expect(Array(chip.memory[64..<68]) == hex("01020304"))
        #expect(card.writtenPages == [0x10])
    }

    static let refused: [(model: String, frames: [String])] = [
        ("ntag215", ["A2FF01020304"]), ("ntag215", ["A20001020304"]), ("ultralight", ["A21001020304"]),
        // A page that is locked, a counter at its limit, a wrong password.
        ("ntag215", ["A2020000F000", "A20501020304"]),
        ("ultralight-ev1-11", ["A501FFFFFF00", "A50101000000"]), ("ntag215", ["1B01020304"]),
    ]

    @Test(arguments: refused, readers)
    func `fail where the tag refuses them`(row: (model: String, frames: [String]), reader: String) async throws {
        let (frames, _) = try Self.frames(row.model, reader)
        for frame in row.frames.dropLast() { #expect(try await frames.transceive(hex(frame)) == hex("0A")) }
        let error = await failure { _ = try await frames.transceive(hex(row.frames.last ?? "")) }
        #expect(error?.code == .tagResponseError)
    }

    @Test(arguments: ["acr122u", "acr1252u"], ["A010", "C2FF"])
    func `in two parts fail without another frame`(reader: String, frame: String) async throws {
        let (frames, card) = try Self.frames("ntag215", reader)
        let before = card.trace.count
        let error = await failure { _ = try await frames.transceive(hex(frame)) }
        #expect(error?.detail.hasSuffix("this reader does not show whether the tag accepted it") == true)
        // The APDU and its frame.
        #expect(card.trace.count == before + 2)
    }
}
