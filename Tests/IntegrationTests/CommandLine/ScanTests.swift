import Foundation
import Testing

/// Tags that cannot be read, with a real pcscd.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct `A tag that cannot be read` {
    private static let vpcd = `With a real pcscd`.vpcd

    @Test func `does not count for scan, which continues and exits with 0 after the next tag`() async throws {
        try await withReaders { daemon, _ in
            let scan = try await daemon.startScan("--count", "1")
            let card = try await daemon.tapStrange("one-byte")
            #expect(try await scan.output.nextScanLine().error?.code == 102)
            try await daemon.takeAway(card)
            let tag = try await daemon.tap("ntag215", "--uri", "https://example.com", "--vpcd", Self.vpcd)
            #expect(try await scan.output.nextScanLine().uri == "https://example.com")
            #expect(await scan.status() == 0)
            await tag.end(SIGINT)
        }
    }

    @Test func `is reported, and makes scan exit with 74 if there is no other`() async throws {
        try await withReaders { daemon, _ in
            let scan = try daemon.start("scan")
            try await daemon.wait(for: "is active")
            let card = try await daemon.tapStrange("one-byte")
            #expect(await scan.errors.next(containing: "Cannot read the tag on") != nil)
            #expect(await scan.end(SIGINT) == 74)
            #expect(scan.output.all.isEmpty)
            await card.end(SIGINT)
        }
    }

    @Test func `is reported by watch, which runs no command for it`() async throws {
        try await withReaders { daemon, _ in
            let watch = try daemon.start("watch", "--exec", "echo run")
            #expect(await watch.errors.next() == `nfcctl watch`.prompt)
            let card = try await daemon.tapStrange("one-byte")
            #expect(await watch.errors.next(containing: "Cannot read the tag on") != nil)
            try await daemon.takeAway(card)
            let tag = try await daemon.tap("ntag215", "--uri", "https://example.com", "--vpcd", Self.vpcd)
            #expect(await watch.output.next()?.hasSuffix("URI https://example.com") == true)
            #expect(await watch.output.next() == "run")
            #expect(await watch.end(SIGINT) == 0)
            await tag.end(SIGINT)
        }
    }
}

/// A scan of a tag that needs a password, with simulated readers.
@Suite(.timeLimit(.minutes(20)))
struct `A tag that scan may not read` {
    @Test func `is reported with the option that nfcctl read takes, and without the code of its answer`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1, model: "acr1552u")
        let tag = try await daemon.tap("slix2", "--uri", "https://example.com")
        let protected = try await daemon.run(
            "password", "set", "--kind", "read", "--new-password", "C1D2E3F4", "--yes")
        #expect(protected.status == 0, "\(protected)")
        let scan = try daemon.start("scan")
        #expect(
            await scan.errors.next(containing: "Cannot read the tag on")
                == "Cannot read the tag on Simulated ACR1552U 0: block 0 needs the read password of the tag. nfcctl read takes it with "
                + "--tag-password-file read=FILE.")
        #expect(await scan.end(SIGINT) == 74)
        await tag.end(SIGINT)
        await daemon.process.end()
    }
}

/// The end of a scan that another program ends, with simulated readers.
@Suite(.timeLimit(.minutes(20)))
struct `A scan that is cancelled` {
    @Test func `names who did that, and exits with 75`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let scan = try await daemon.startScan()
        #expect(try await daemon.run("cancel", "session-1").status == 0)
        #expect(await scan.status() == 75)
        #expect(await scan.errors.next(containing: "cancelled by uid \(getuid()), pid ") != nil)
        await daemon.process.end()
    }
}

/// A scan whose nfcd ends while it waits for an answer.
@Suite(.timeLimit(.minutes(20)))
struct `A scan that loses nfcd` {
    @Test func `as its session becomes active prints its end, and exits with 69`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let proxy = try RecordingProxy(
            socket: "\(daemon.scratch.path)/proxy.sock", daemon: daemon.socket, endingAt: "readers.list")
        let scan = try await run([Programs.nfcctl, "scan", "--json", "--socket", proxy.socket])
        #expect(scan.status == 69)
        #expect(scan.output.count == 1 && scan.output.first?.contains(#""code":202"#) == true, "\(scan)")
        await daemon.process.end()
    }

    @Test(arguments: [
        ["scan", "--count", "1"], ["scan", "--count", "1", "--json"], ["read"], ["write", "--text", "x"], ["info"],
        ["dump"], ["erase"], ["lock", "--yes"],
    ])
    func `a time limit that nfcd cuts is reported, and watch is named`(command: [String]) async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let tag = try await daemon.tap(["ntag213", "--uri", "https://ex.am/0"])
        let cut = try await daemon.run(command + ["--timeout", "600"])
        let line = cut.errors.first { $0.contains("--timeout 600 is cut to 60 s") }
        #expect(cut.status == 0 && line?.contains("'nfcctl watch'") == true, "\(cut)")
        let short = try await daemon.run("scan", "--count", "1", "--timeout", "60")
        #expect(short.status == 0 && !short.errors.contains { $0.contains("--timeout") }, "\(short)")
        await tag.end(SIGINT)
        await daemon.process.end()
    }
}
