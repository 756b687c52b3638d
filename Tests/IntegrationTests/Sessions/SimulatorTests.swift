import Foundation
import Testing

/// nfcd and nfcctl with simulated readers: no PC/SC, no root.
@Suite(.timeLimit(.minutes(20)))
struct `With simulated readers` {
    @Test func `scan shows the tag and its records as text`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let scan = try daemon.start("scan", "--count", "1")
        #expect(await scan.errors.next() == "Hold a tag to Simulated Reader 0. Press Ctrl-C to stop.")
        let tag = try await daemon.tap(
            "ntag215", "--uri", "https://example.com", "--language", "de", "--text", "Grüß Gott", "--uid",
            "04112233445566")
        #expect(await scan.status() == 0)
        #expect(
            scan.output.all == [
                "Tag on Simulated Reader 0: NFC Forum Type 2 (miFare), UID 04:11:22:33:44:55:66",
                "  1  URI https://example.com",
                "  2  Text \"Grüß Gott\" (de)",
            ])
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `a scan of kind tag detects tags without reading them`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let tag = try await daemon.tap("type4", "--uri", "https://example.com")
        let scan = try await daemon.run("scan", "--kind", "tag", "--json", "--count", "1")
        #expect(scan.status == 0)
        #expect(scan.output.first?.contains(#""message":null"#) == true)
        #expect(scan.output.first?.contains(#""type":"iso7816""#) == true)
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `a tag without a message is shown with the reason`() async throws {
        let scratch = try Scratch()
        // A machine under load takes long for two tags.
        let file = try scratch.file("nfcd.toml", "[session]\ntimeout = 600\n")
        let daemon = try await DaemonUnderTest(simulatedReaders: 1, configuration: file)
        let scan = try await daemon.startScan("--timeout", "600")
        let empty = try await daemon.tap("ntag213")
        let line = try await scan.output.nextScanLine()
        #expect(line.message == nil)
        #expect(line.error?.code == 403)
        try await daemon.takeAway(empty)
        let blank = try await daemon.tap("ultralight-ev1-11")
        #expect(try await scan.output.nextScanLine().error?.code == 1)
        await blank.end(SIGINT)
        await scan.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `Ctrl-C ends the session with 200 and releases the reader`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        for _ in 0..<2 {
            let scan = try await daemon.startScan()
            scan.signal(SIGINT)
            #expect(try await scan.output.nextScanLine().code == 200)
            #expect(await scan.status() == 0)
        }
        await daemon.process.end()
    }

    @Test func `killing a client releases the reader`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let scan = try await daemon.startScan()
        await scan.end(SIGKILL)
        try await daemon.wait(for: "ended: 202")
        await (try await daemon.startScan()).end(SIGINT)
        await daemon.process.end()
    }

    @Test func `a queued scan becomes active when the first one has ended`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let first = try await daemon.startScan()
        let second = try daemon.start("scan", "--json", "--wait", "--count", "1")
        try await daemon.wait(for: "client 2 connected")
        await first.end(SIGINT)
        try await daemon.wait(for: "is active")
        let tag = try await daemon.tap("ntag216", "--uri", "https://example.com/turn")
        #expect(try await second.output.nextScanLine().uri == "https://example.com/turn")
        #expect(await second.status() == 0)
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `a session ends with 201 when the time limit is reached`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let scan = try await daemon.run("scan", "--json", "--timeout", "0.2")
        #expect(scan.status == 75)
        #expect(scan.output.count == 1)
        #expect(scan.output.first?.contains("\"code\":201") == true)
        await daemon.process.end()
    }

    @Test func `on SIGTERM nfcd ends the sessions, removes the socket and exits with 0`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let scan = try await daemon.startScan()
        #expect(await daemon.process.end(SIGTERM) == 0)
        let end = try await scan.output.nextScanLine()
        #expect(end.code == 202)
        #expect(end.detail == "nfcd is stopping")
        #expect(await scan.status() == 69)
        #expect(!FileManager.default.fileExists(atPath: daemon.socket))
    }

    @Test func `killing the daemon ends a scan with 202`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let scan = try await daemon.startScan()
        // After this line, the scan has received the answer to session.begin.
        let tag = try await daemon.tap("ntag213", "--text", "a")
        #expect(try await scan.output.nextScanLine().event == "tag")
        await daemon.process.end(SIGKILL)
        #expect(try await scan.output.nextScanLine().code == 202)
        await tag.end(SIGINT)
        #expect(await scan.status() == 69)
    }

    @Test func `a second nfcd on the same socket exits, but one after a crash starts`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let second = try await run([Programs.nfcd, "--simulator", "1", "--socket", daemon.socket])
        #expect(second.status == 73)
        #expect(second.errors.contains { $0.contains("another nfcd listens on") })
        await daemon.process.end(SIGKILL)
        let third = try ChildProcess([Programs.nfcd, "--simulator", "1", "--socket", daemon.socket])
        #expect(await third.errors.next(containing: "listening on") != nil)
        #expect(await third.end() == 0)
    }
}
