import Foundation
import NFCProtocol
import Testing

/// nfcd and nfcctl with a real pcscd and virtual tags through vpcd.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct `With a real pcscd` {
    static let vpcd = "127.0.0.1:35963"

    @Test(arguments: ["ntag213", "ntag215", "ntag216", "ultralight-ev1-11", "ultralight-ev1-21"])
    func `scan reads the record of a virtual tag`(model: String) async throws {
        let pcsc = try await PrivatePCSC()
        let daemon = try await DaemonUnderTest(pcsc)
        let scan = try await daemon.startScan("--count", "1")
        let tag = try await daemon.tap(model, "--uri", "https://example.com/\(model)", "--vpcd", Self.vpcd)

        let tap = try await scan.output.nextScanLine()
        #expect(tap.event == "tag")
        #expect(tap.reader == "virtual-pcd-0")
        #expect(tap.tag?.type == "miFare")
        #expect(tap.tag?.identifier.count == 14)
        #expect(tap.uri == "https://example.com/\(model)")
        #expect(try await scan.output.nextScanLine().code == 200)
        #expect(await scan.status() == 0)
        await tag.end(SIGINT)
        await daemon.process.end()
        await pcsc.end()
    }

    @Test func `two taps are two events, and a tag that stays on the reader is one`() async throws {
        let pcsc = try await PrivatePCSC()
        let daemon = try await DaemonUnderTest(pcsc)
        let scan = try await daemon.startScan()
        let first = try await daemon.tap("ntag215", "--uri", "https://example.com/1", "--vpcd", Self.vpcd)
        #expect(try await scan.output.nextScanLine().uri == "https://example.com/1")
        try await daemon.takeAway(first)
        let second = try await daemon.tap("ntag215", "--uri", "https://example.com/2", "--vpcd", Self.vpcd)
        #expect(try await scan.output.nextScanLine().uri == "https://example.com/2")

        // Another client queries the readers while the tag is present.
        for _ in 0..<3 { #expect(try await daemon.run("readers", "--json").status == 0) }
        scan.signal(SIGINT)
        let end = try await scan.output.nextScanLine()
        #expect(end.event == "invalidated")
        #expect(end.code == 200)
        #expect(await scan.status() == 0)
        await second.end(SIGINT)
        await daemon.process.end()
        await pcsc.end()
    }

    @Test func `a tap is recorded in the journal, once`() async throws {
        let (pcsc, scratch) = (try await PrivatePCSC(), try Scratch())
        let journal = "[journal]\nenabled = true\npath = \"\(scratch.path)/taps.db\"\n"
        let daemon = try await DaemonUnderTest(pcsc, configuration: try scratch.file("nfcd.toml", journal))
        let client = try LineClient(path: daemon.socket)
        try await client.result("taps.subscribe")
        let tag = try await daemon.tap("ntag215", "--uri", "https://example.com/1", "--vpcd", Self.vpcd)
        let tap = try await client.notification("taps.didRecord")["tap"]
        #expect(tap?["reader"] == "virtual-pcd-0" && tap?["readerSequence"] == 1)
        #expect(try await daemon.run("readers", "--json").status == 0)
        #expect(try await client.result("taps.status")["newest"] == 1)
        await tag.end(SIGINT)
        await daemon.process.end()
        await pcsc.end()
    }

    @Test func `a tag that stays on the reader is one event, also when pcscd powers it down`() async throws {
        let pcsc = try await PrivatePCSC()
        let daemon = try await DaemonUnderTest(pcsc)
        // pcscd powers an unused card down within a second; the session outlives that.
        let scan = try await daemon.startScan("--timeout", "10")
        let tag = try await daemon.tap("ntag215", "--uri", "https://example.com", "--vpcd", Self.vpcd)
        #expect(try await scan.output.nextScanLine().uri == "https://example.com")
        let end = try await scan.output.nextScanLine()
        #expect(end.code == 201)
        #expect(await scan.status() == 0)
        await tag.end(SIGINT)
        await daemon.process.end()
        await pcsc.end()
    }

    @Test func `a tag that is already present is detected when a session begins`() async throws {
        let pcsc = try await PrivatePCSC()
        let daemon = try await DaemonUnderTest(pcsc)
        let tag = try await daemon.tap("ntag213", "--text", "Hello", "--vpcd", Self.vpcd)
        try await daemon.wait(for: "tagArrived")
        for _ in 0..<2 {
            let scan = try await daemon.startScan("--count", "1")
            #expect(try await scan.output.nextScanLine().message?.records.first?.decoded?.text == "Hello")
            #expect(await scan.status() == 0)
        }
        await tag.end(SIGINT)
        await daemon.process.end()
        await pcsc.end()
    }

    @Test func `killing pcscd ends the session with 202, and a restarted pcscd is used again`() async throws {
        let pcsc = try await PrivatePCSC()
        let daemon = try await DaemonUnderTest(pcsc)
        let scan = try await daemon.startScan()
        await pcsc.kill()
        let end = try await scan.output.nextScanLine()
        #expect(end.code == 202)
        #expect(end.detail?.contains("PC/SC service") == true)
        #expect(await scan.status() == 69)

        let without = try await daemon.run("scan", "--json")
        #expect(without.status == 69)
        #expect(without.output.first?.contains("\"code\":6,") == true)

        try await pcsc.start()
        let again = try await daemon.startScan("--count", "1")
        let tag = try await daemon.tap("ntag215", "--uri", "https://example.com/again", "--vpcd", Self.vpcd)
        #expect(try await again.output.nextScanLine().uri == "https://example.com/again")
        #expect(await again.status() == 0)
        await tag.end(SIGINT)
        await daemon.process.end()
        await pcsc.end()
    }

    @Test func `nfcd uses a pcscd that starts later`() async throws {
        let pcsc = try await PrivatePCSC()
        await pcsc.kill()
        let daemon = try await DaemonUnderTest(pcsc)
        #expect(try await daemon.run("readers", "--json").output.isEmpty)
        try await pcsc.start()
        #expect(try await daemon.run("readers", "--json").output.count == 2)
        await daemon.process.end()
        await pcsc.end()
    }

    @Test func `the second of two sessions ends with 203 while the first is active`() async throws {
        let pcsc = try await PrivatePCSC()
        let daemon = try await DaemonUnderTest(pcsc)
        let first = try await daemon.startScan()
        let second = try await daemon.run("scan", "--json")
        #expect(second.status == 75)
        let line = try #require(second.output.first)
        let end = try JSONDecoder().decode(ScanLine.self, from: Data(line.utf8))
        #expect(end.code == 203)
        #expect(end.detail?.contains("held by uid \(geteuid())") == true)
        await first.end(SIGINT)
        let third = try await daemon.startScan()
        await third.end(SIGINT)
        await daemon.process.end()
        await pcsc.end()
    }

    @Test func `two sessions on two readers run side by side`() async throws {
        let pcsc = try await PrivatePCSC()
        let daemon = try await DaemonUnderTest(pcsc)
        let left = try await daemon.startScan("--count", "1", "--reader", "virtual-pcd-0")
        let right = try await daemon.startScan("--count", "1", "--reader", "Virtual PCD 00 01")
        let tag = try await daemon.tap("ntag213", "--uri", "https://example.com/right", "--vpcd", "127.0.0.1:35964")
        #expect(try await right.output.nextScanLine().uri == "https://example.com/right")
        #expect(await right.status() == 0)
        #expect(left.output.all.isEmpty)
        await left.end(SIGINT)
        await tag.end(SIGINT)
        await daemon.process.end()
        await pcsc.end()
    }

    @Test func `invalid cards are reported as errors, and the next tag is read`() async throws {
        let pcsc = try await PrivatePCSC()
        let daemon = try await DaemonUnderTest(pcsc)
        let scan = try await daemon.startScan()
        let kinds: [(name: String, codes: Set<Int>)] = [
            ("long-atr", [1, 102]), ("one-byte", [102]), ("no-byte", [100, 102]), ("nonsense-cc", [1]),
            ("overrun-tlv", [102]),
        ]
        for (kind, codes) in kinds {
            let card = try await daemon.tapStrange(kind)
            var tap = try await scan.output.nextScanLine()
            // The reader failed with the silent card. When it recovered, it detected that card again, which was leaving.
            if kind == "nonsense-cc", tap.error?.code == 100 { tap = try await scan.output.nextScanLine() }
            #expect(tap.event == "tag")
            #expect(tap.message == nil)
            #expect(codes.contains(tap.error?.code ?? 0), "\(kind): \(String(describing: tap.error))")
            #expect(tap.error?.detail.isEmpty == false)
            try await daemon.takeAway(card)
        }
        let tag = try await daemon.tap("ntag215", "--uri", "https://example.com/fine", "--vpcd", Self.vpcd)
        #expect(try await scan.output.nextScanLine().uri == "https://example.com/fine")
        await tag.end(SIGINT)
        await scan.end(SIGINT)
        await daemon.process.end()
        await pcsc.end()
    }
}

/// Programs that use CoreNFC, with a real pcscd and virtual tags through vpcd.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct `CoreNFC with a real pcscd` {
    private func run(_ program: String, until ready: String, _ tag: [String]) async throws -> [String] {
        let pcsc = try await PrivatePCSC()
        let daemon = try await DaemonUnderTest(pcsc)
        let child = try ChildProcess(
            pcsc.command([Programs.coreNFCPrograms, program]), environment: ["NFCD_SOCKET": daemon.socket])
        try #require(await child.output.next(containing: ready) != nil)
        let held = try await daemon.tap(tag + ["--vpcd", `With a real pcscd`.vpcd])
        #expect(await child.status() == 0)
        await held.end(SIGINT)
        await daemon.process.end()
        await pcsc.end()
        return child.output.all
    }

    @Test func `a scanner app reads the link on a tag`() async throws {
        let lines = try await run("scan", until: "active", ["ntag215", "--uri", "https://example.com/pcscd"])
        #expect(lines == ["active", "https://example.com/pcscd", "done"])
    }

    @Test func `an authenticator app exchanges commands with a card`() async throws {
        let lines = try await run("authenticate", until: "ready", ["type4", "--uri", "https://example.com"])
        #expect(lines == ["ready", "answered with 15 bytes", "closed"])
    }
}
