import Foundation
import Testing

/// A tag that lies there and does not answer.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct `A tag that falls mute` {
    @Test func `is never written once more`() async throws {
        let pcsc = try await PrivatePCSC()
        let daemon = try await DaemonUnderTest(pcsc)
        let tag = try await daemon.tapStrange("mute-write")
        try await daemon.wait(for: "tagArrived")
        let written = try await daemon.run("write", "--text", "Changed")
        #expect(written.status != 0)
        // Probing the reader may reset the tag; after the write nothing follows.
        #expect(tag.output.all.drop { $0 != "write" } == ["write"])
        await tag.end(SIGINT)
        await daemon.process.end()
        await pcsc.end()
    }
}
