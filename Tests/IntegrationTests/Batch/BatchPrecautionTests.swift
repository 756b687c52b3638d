import Foundation
import Testing

/// What a batch checks before and while it writes.
@Suite(.timeLimit(.minutes(20)))
struct `Precautions of a batch` {
    private static let uids = (0..<3).map { "0411223344550\($0)" }

    /// Models of readers that send no raw frame to a tag.
    @Test(arguments: [nil, "omnikey-5422", "springcard"], ["file", "column"])
    func `passwords are refused before the first tag on a reader that cannot send them`(
        model: String?, source: String
    ) async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1, model: model)
        let key = try daemon.scratch.file("door.key", "01020304")
        let table = try daemon.scratch.file("t.csv", "uri,key\nhttps://ex.am/1,01020304\n")
        let password = source == "file" ? ["--set-password-file", key] : ["--set-password-column", "key"]
        let refused = try await daemon.run(
            ["write", "--each", "--csv", table, "--report", "\(daemon.scratch.path)/r.csv"] + password)
        #expect(refused.status == 69, "\(refused)")
        #expect(refused.errors.last?.contains("cannot send a password to a tag. Nothing was written.") == true)
        await daemon.process.end()
    }

    @Test func `equal rows and serial numbers are named, and a dry run writes nothing`() async throws {
        let scratch = try Scratch()
        let table = try scratch.file(
            "t.csv",
            "uri,Serial-No,colour\nhttps://a/1,S1,red\nhttps://a/2,S2,red\nhttps://a/1,S3,red\nhttps://a/4,S2,red\nhttps://a/1,S5,red\n"
        )
        let nowhere = ["NFCD_SOCKET": "/nonexistent/nfcd.sock"]
        let dry = try await run(
            [Programs.nfcctl, "write", "--each", "--csv", table, "--dry-run"], environment: nowhere)
        #expect(dry.status == 0, "\(dry)")
        #expect(
            dry.errors == [
                "nfcctl: warning: numbers 1, 3, 5 have the same message",
                "nfcctl: warning: numbers 2, 4 have the same Serial-No: S2",
                "5 rows, at most 8 bytes each. Nothing was written.",
            ])
        #expect(dry.output.count == 5)
        #expect(dry.output.first == "number 1: URI https://a/1; 8 bytes")
        let json = try await run(
            [Programs.nfcctl, "write", "--each", "--count", "2", "--text", "x", "--dry-run", "--json"],
            environment: nowhere)
        #expect(json.errors == ["2 rows, at most 8 bytes each. Nothing was written."])
        #expect(json.output.allSatisfy { $0.contains(#""event":"row""#) && $0.contains(#""number":"#) })
        let report = "\(scratch.path)/r.csv"
        let kept = try await run(
            [Programs.nfcctl, "write", "--each", "--count", "1", "--text", "x", "--dry-run", "--report", report],
            environment: nowhere)
        #expect(kept.status == 0 && !FileManager.default.fileExists(atPath: report))
    }

    @Test(arguments: [
        ("uri,key\nhttps://a/1,01020304\nhttps://a/2,0102\n", "row 2, column 'key'"),
        ("uri,other\nhttps://a/1,01020304\n", "row 1 has no column 'key'"),
        ("uri,key\nhttps://a/1,\n", "row 1, column 'key'"),
        ("uri,key\nhttps://a/1,1.02E+07\n", "row 1, column 'key'"),
    ])
    func `a password in a column is checked before the first tag`(content: String, reason: String) async throws {
        let scratch = try Scratch()
        let table = try scratch.file("t.csv", content)
        let refused = try await run(
            [Programs.nfcctl, "write", "--each", "--csv", table, "--dry-run", "--set-password-column", "key"])
        #expect(refused.status == 65)
        #expect(refused.errors.first?.contains(reason) == true, "\(refused.errors)")
        #expect(!refused.errors.joined().contains("0102"), "a password is printed")
    }

    @Test func `each tag gets the password of its row, which the report leaves out`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1, model: "acr1252u")
        let table = try daemon.scratch.file(
            "t.csv", "uri,key,name\nhttps://a/1,11111111,Ada\nhttps://a/2,22222222,Bob\n")
        let report = "\(daemon.scratch.path)/r.csv"
        let batch = try await daemon.startBatch([
            "write", "--each", "--csv", table, "--report", report, "--set-password-column", "key",
        ])
        for (number, password) in ["11111111", "22222222"].enumerated() {
            let tag = try await daemon.tap("ntag213", "--uid", Self.uids[number])
            #expect(await batch.output.next()?.hasSuffix("verified; password set") == true)
            if number == 1 {
                #expect(await batch.status() == 0)
                #expect(try await daemon.run("transceive", "1B\(password)").output.last == "< 0000")
            }
            try await daemon.takeAway(tag)
        }
        let text = try String(contentsOfFile: report, encoding: .utf8)
        #expect(text.contains(",name\n") || text.contains(",name\r\n"), "\(text)")
        #expect(!text.contains("11111111") && !text.contains("key"), "\(text)")
        await daemon.process.end()
    }

    @Test func `with --only-empty, a tag that holds something keeps it`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let batch = try await daemon.startBatch([
            "write", "--each", "--count", "2", "--uri", "https://ex.am/{n}", "--report",
            "\(daemon.scratch.path)/r.csv", "--only-empty",
        ])
        _ = await batch.errors.next(containing: "Press Ctrl-C to stop.")
        let full = try await daemon.tap("ntag213", "--uid", Self.uids[0], "--text", "mine")
        #expect(await batch.errors.next()?.contains("is not empty, and was left unchanged.") == true)
        try await daemon.takeAway(full)
        let empty = try await daemon.tap("ntag213", "--uid", Self.uids[1])
        #expect(await batch.output.next()?.contains("number 1: URI https://ex.am/1; verified") == true)
        try await daemon.takeAway(empty)
        // A row of this batch, from a run whose report was lost.
        let own = try await daemon.tap("ntag213", "--uid", Self.uids[2], "--uri", "https://ex.am/2")
        #expect(await batch.output.next()?.contains("number 2: URI https://ex.am/2; verified") == true)
        #expect(await batch.status() == 0)
        try await daemon.takeAway(own)
        await daemon.process.end()
    }

    @Test func `with a real pcscd, the batch says that the reader is gone`() async throws {
        let pcsc = try await PrivatePCSC()
        let daemon = try await DaemonUnderTest(pcsc)
        let batch = try await daemon.startBatch([
            "write", "--each", "--count", "1", "--text", "x", "--report", "\(daemon.scratch.path)/r.csv",
        ])
        _ = await batch.errors.next(containing: "Press Ctrl-C to stop.")
        await pcsc.end()
        #expect(await batch.errors.next(containing: "The batch waits for the reader (0 of 1 done).") != nil)
        #expect(await batch.end(SIGINT) == 130)
        await daemon.process.end()
    }

    @Test(arguments: [
        ["--dry-run"], ["--only-empty"], ["--set-password-column", "x"],
        ["--each", "--count", "1", "--report", "r", "--set-password-column", "x"],
        ["--each", "--csv", "t", "--report", "r", "--set-password-column", "x", "--set-password-file", "y"],
        ["--each", "--csv", "t", "--report", "r", "--only-empty", "--force"],
    ])
    func `options that make no sense together are refused`(arguments: [String]) async throws {
        #expect(try await run([Programs.nfcctl, "write", "--uri", "https://a/1"] + arguments).status == 64)
    }
}

/// `nfcctl read --check`.
@Suite(.timeLimit(.minutes(20)))
struct `Checking a box against its report` {
    private static let heading = "number,uid,time,reader,content,ndef"
    private static let uids = (0..<4).map { "0411223344550\($0)" }

    /// A report of `https://a.b/1` and so on.
    private static func report(_ count: Int) -> String {
        ([heading]
            + (0..<count).map { "\($0 + 7),\(uids[$0]),2026-01-01T00:00:00Z,reader,,D101065504612E622F3\($0 + 1)" })
            .joined(separator: "\n") + "\n"
    }

    @Test func `names each tag that is right, different, unknown or missing`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let file = try daemon.scratch.file("r.csv", Self.report(3))
        let check = try await daemon.startBatch(["read", "--check", file])
        let rows: [([String], String)] = [
            (
                ["--uid", Self.uids[0], "--uri", "https://a.b/1"],
                "1 of 3  UID 04:11:22:33:44:55:00  number 7: as in the report"
            ),
            (
                ["--uid", Self.uids[0], "--uri", "https://a.b/1"],
                "1 of 3  UID 04:11:22:33:44:55:00  number 7: seen before"
            ),
            (
                ["--uid", Self.uids[1], "--uri", "https://a.b/9"],
                "1 of 3  UID 04:11:22:33:44:55:01  number 8: NOT the message of the report"
            ),
            (["--uid", Self.uids[3], "--uri", "https://a.b/1"], "1 of 3  UID 04:11:22:33:44:55:03  NOT in the report"),
            (["--uid", Self.uids[1]], "1 of 3  UID 04:11:22:33:44:55:01  number 8: NOT the message of the report"),
            (
                ["--uid", Self.uids[1], "--uri", "https://a.b/2"],
                "2 of 3  UID 04:11:22:33:44:55:01  number 8: as in the report"
            ),
        ]
        for (arguments, expected) in rows {
            let tag = try await daemon.tap(["ntag213"] + arguments)
            #expect(await check.output.next() == expected)
            try await daemon.takeAway(tag)
        }
        #expect(await check.end(SIGINT) == 130)
        #expect(
            check.errors.all.last
                == "Stopped: 2 of 3 were right. Missing: number 9. 1 tag is not in the report.")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == Self.report(3))
        await daemon.process.end()
    }

    @Test func `ends with 0 when all tags were right`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let check = try await daemon.startBatch([
            "read", "--json", "--check", try daemon.scratch.file("r.csv", Self.report(1)),
        ])
        let tag = try await daemon.tap(["ntag213", "--uid", Self.uids[0], "--uri", "https://a.b/1"])
        #expect(await check.output.next()?.contains(#""result":"right""#) == true)
        #expect(await check.output.next()?.contains(#""event":"check","missing":[],"seen":1,"#) == true)
        #expect(await check.status() == 0)
        try await daemon.takeAway(tag)
        await daemon.process.end()
    }

    @Test(arguments: ["id,name\n1,2\n", heading + "\n", ""])
    func `a file that is not a report is refused before a tag is needed`(content: String) async throws {
        let scratch = try Scratch()
        let file = try scratch.file("r.csv", content)
        let nowhere = ["NFCD_SOCKET": "/nonexistent/nfcd.sock"]
        let refused = try await run([Programs.nfcctl, "read", "--check", file], environment: nowhere)
        #expect(refused.status == 65, "\(refused)")
        let missing = try await run([Programs.nfcctl, "read", "--check", file + "x"], environment: nowhere)
        #expect(missing.status == 66 && !FileManager.default.fileExists(atPath: file + "x"))
    }
}
