import NFCTags
import Testing
import TestSupport

/// A PN532 that answers a command with status 02, and what a read shows afterwards.
@Suite struct `A hidden acknowledge` {
    struct Answer: Sendable {
        let frame: String
        let readBack: String
        /// The end of the error, nil where the answer is 0A.
        let reason: String?
    }

    static let page = "D54300" + "01020304" + String(repeating: "00", count: 12) + "9000"
    static let answers = [
        Answer(frame: "A21001020304", readBack: page, reason: nil),
        // A tag that is not mute after a NAK.
        Answer(frame: "A21001020305", readBack: page, reason: "page 16 reads 01020304 afterwards"),
        Answer(frame: "A21000000000", readBack: page, reason: "page 16 reads 01020304 afterwards"),
        Answer(
            frame: "A210010203FF", readBack: "D54300" + String(repeating: "00", count: 16) + "9000",
            reason: "page 16 reads 00000000 afterwards"),
        // Lock bits that were set before; the identifier in the same page does not change.
        Answer(
            frame: "A20200000F00", readBack: "D543001148FF00" + String(repeating: "00", count: 12) + "9000",
            reason: nil),
        Answer(
            frame: "A20200000F00", readBack: "D5430011480000" + String(repeating: "00", count: 12) + "9000",
            reason: "page 2 reads 11480000 afterwards"),
        Answer(frame: "A21001020304", readBack: "D543019000", reason: "the tag refused it"),
        Answer(frame: "A21001020304", readBack: "D543029000", reason: "the tag refused it"),
        Answer(frame: "A21001020304", readBack: "D543009000", reason: "page 16 reads  afterwards"),
        Answer(frame: "A50001000000", readBack: "D543000100009000", reason: nil),
        Answer(frame: "A50001000000", readBack: "D543019000", reason: "the tag refused it"),
    ]

    @Test(arguments: answers) func `is judged by what is read back`(row: Answer) async throws {
        let script = AnsweringChannel(["D543029000", row.readBack])
        let frames = Type2RawFrames(channel: try #require(ReaderProfile.acr122u.nativeChannel(over: script)))
        guard let reason = row.reason else {
            #expect(try await frames.transceive(hex(row.frame)) == hex("0A"))
            return
        }
        let error = await tagError { _ = try await frames.transceive(hex(row.frame)) }
        #expect(error?.code == .tagResponseError && error?.detail.hasSuffix(reason) == true, "\(error?.detail ?? "")")
    }
}
