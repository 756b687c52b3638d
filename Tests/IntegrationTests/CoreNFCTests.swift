import Foundation
import Testing

/// Programs written for CoreNFC, on nfcd and a real pcscd, with tags that vpcd shows it.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct `CoreNFC on a real pcscd` {
    private func run(_ program: String, until ready: String, _ tag: [String]) async throws -> [String] {
        let pcsc = try await PrivatePCSC()
        let daemon = try await DaemonUnderTest(pcsc)
        let child = try ChildProcess(
            pcsc.command([Programs.coreNFCPrograms, program]), environment: ["NFCD_SOCKET": daemon.socket])
        try #require(await child.output.next(containing: ready) != nil)
        let held = try await daemon.tap(tag + ["--vpcd", `On a real pcscd`.vpcd])
        #expect(await child.status() == 0)
        await held.end(SIGINT)
        await daemon.process.end()
        await pcsc.end()
        return child.output.all
    }

    @Test func `an app's scanner reads the link of a tag`() async throws {
        let lines = try await run("scan", until: "active", ["ntag215", "--uri", "https://example.com/pcscd"])
        #expect(lines == ["active", "https://example.com/pcscd", "done"])
    }

    @Test func `an authenticator talks to a card`() async throws {
        let lines = try await run("authenticate", until: "ready", ["type4", "--uri", "https://example.com"])
        #expect(lines == ["ready", "answered with 15 bytes", "closed"])
    }
}
