import CoreNFCTesting
import Testing

@testable import corenfc_programs

/// Tags of recordings.
@Suite(.timeLimit(.minutes(20)))
struct RecordedTagTests {
    private static let recordings = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Recordings")

    private static func tag(_ name: String) throws -> TestTag {
        try TestTag(recording: recordings.appendingPathComponent("\(name).jsonl"))
    }

    @Test func `a session gets the message that was recorded`() async throws {
        try await Bench.use(try Self.tag("acr122u-ntag216-text"), .iso14443) { bench in
            guard case .miFare(let tag) = bench.tag else { return bench.isOther() }
            #expect(tag.identifier.count == 7)
            let message = try await tag.readNDEF()
            #expect(message.records.first?.wellKnownTypeTextPayload().0?.hasPrefix("Hello Hello") == true)
        }
    }

    @Test func `a command that was not recorded fails the test, and is named`() async throws {
        let error = await #expect(throws: TestTagError.self) {
            try await Bench.use(try Self.tag("acr122u-ntag216-text"), .iso14443) { bench in
                guard case .miFare(let tag) = bench.tag else { return bench.isOther() }
                _ = try? await tag.sendMiFareCommand(commandPacket: Data([0x30, 0xE0]))
            }
        }
        #expect(error?.description.contains("was not recorded") == true)
    }

    @Test func `a file that is not a recording is refused`() throws {
        let file = Self.recordings.appendingPathComponent("README.md")
        #expect(throws: TestTagError.self) { try TestTag(recording: file) }
        #expect(throws: TestTagError.self) { try TestTag(recording: file.appendingPathExtension("none")) }
    }
}
