import Foundation
import Testing

/// Tags that make their reading last as long as they like, with a real pcscd: what they can do to other programs.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct `A tag that makes its reading last` {
    /// A message of 60,000 bytes, of which each answer gives one byte; or an answer every 1.5 s.
    private static let kinds = ["one-byte-reads", "one-byte-responses", "slow"]

    @Test(arguments: kinds)
    func `is read until its session ends, and then its reader serves the next session`(kind: String) async throws {
        try await withReaders { daemon, _ in
            let card = try await daemon.tapStrange(kind)
            try await daemon.wait(for: "tagArrived")
            let scan = try await daemon.startScan("--timeout", "1")
            // Others are answered meanwhile.
            #expect(try await daemon.run("readers").status == 0)
            let end = try await scan.output.nextScanLine()
            #expect(end.event == "invalidated" && end.code == 201, "\(end)")
            let next = try await daemon.startScan("--kind", "tag", "--count", "1")
            #expect(try await next.output.nextScanLine().tag?.type == "iso7816")
            #expect(await next.status() == 0)
            await card.end(SIGINT)
        }
    }

    @Test(arguments: kinds)
    func `is read in the background until a session wants its reader`(kind: String) async throws {
        try await withReaders { daemon, _ in
            let watch = try daemon.start("watch", "--json")
            #expect(await watch.errors.next() == "Hold a tag to a reader. Press Ctrl-C to stop.")
            let card = try await daemon.tapStrange(kind)
            try await daemon.wait(for: "tagArrived")
            let scan = try await daemon.startScan("--kind", "tag", "--count", "1")
            #expect(try await scan.output.nextScanLine().tag?.type == "iso7816")
            #expect(await scan.status() == 0)
            #expect(watch.output.all == [])
            await watch.end(SIGINT)
            await card.end(SIGINT)
        }
    }
}
