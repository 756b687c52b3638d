import Foundation
import NFCProtocol
import Testing

/// `nfcctl spool new --each`.
@Suite(.timeLimit(.minutes(20)))
struct `A batch of spools` {
    private static let uids = ["04112233445500", "04112233445501", "04112233445502"]
    private static let uuid = "00010203-0405-0607-0809-0a0b0c0d0e0f"
    private static let table = """
        material_type,material_name,nominal_netto_full_weight,uri
        PLA,Black,1000,https://ex.am/1
        PETG,"Grey, dark",750,
        PLA,Black,1000,https://ex.am/3

        """

    /// Too much for an NTAG213.
    private static let room = ["--aux-size", "100"]

    private func start(_ daemon: DaemonUnderTest, _ table: String, _ report: String) async throws -> ChildProcess {
        try await daemon.startBatch(
            ["spool", "new", "--each", "--csv", table, "--report", report, "brand_name=Example {n}"] + Self.room)
    }

    private func shown(_ daemon: DaemonUnderTest) async throws -> JSONValue? {
        let finished = try await daemon.run("spool", "show", "--json")
        return try JSONLine.decode(JSONValue.self, from: Data((finished.output.first ?? "").utf8))["spool"]
    }

    @Test func `is laid out for each tag, continues where it was stopped, and is checked`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let table = try daemon.scratch.file("spools.csv", Self.table)
        let report = "\(daemon.scratch.path)/report.csv"
        var batch = try await start(daemon, table, report)
        let small = try await daemon.tap("ntag213", "--uid", "04112233445509")
        #expect(await batch.errors.next(containing: "was left unchanged") != nil)
        try await daemon.takeAway(small)
        let first = try await daemon.tap("ntag216", "--uid", Self.uids[0])
        #expect(await batch.output.next()?.contains("1 of 3  UID 04:11:22:33:44:55:00  number 1:") == true)
        #expect(await batch.end(SIGINT) == 130)
        // A spool that was used has its row still.
        #expect(try await daemon.run("spool", "use", "5").status == 0)
        batch = try await start(daemon, table, report)
        try await daemon.takeAway(first)
        let second = try await daemon.tap("ntag215", "--uid", Self.uids[1])
        #expect(await batch.output.next()?.contains("2 of 3") == true)
        try await daemon.takeAway(second)
        let full = try await daemon.tap("ntag215", "--uid", "04112233445508", "--text", "Hello")
        #expect(await batch.errors.next(containing: "is not empty, and was left unchanged") != nil)
        try await daemon.takeAway(full)
        let third = try await daemon.tap("ntag215", "--uid", Self.uids[2])
        #expect(await batch.output.next()?.contains("3 of 3") == true)
        #expect(await batch.status() == 0)
        let main = try await shown(daemon)?["data"]?["main"]
        #expect(main?["brand_name"] == "Example 3" && main?["nominal_netto_full_weight"] == 1000)
        let check = try daemon.start("read", "--check", report)
        #expect(await check.output.next()?.contains("number 3: as in the report") == true)
        await check.end(SIGINT)
        let again = try await daemon.run(
            "spool", "new", "--each", "--csv", table, "--report", report, "brand_name=Example {n}", "--aux-size", "100")
        #expect(again.status == 0, "\(again)")
        let other = try await daemon.run("spool", "new", "--each", "--csv", table, "--report", report)
        #expect(other.status == 65 && other.errors.contains { $0.contains("another batch") }, "\(other)")
        await third.end(SIGINT)
        await daemon.process.end()
    }

    @Test(
        arguments: [
            (["--csv", "matrial_type\nPLA\n"], 65, "did you mean material_type?"),
            (["--csv", "material_type\nPLAX\n"], 65, "row 1: material_type cannot be PLAX"),
            (
                ["--csv", "min_bed_temperature,max_bed_temperature\n50,60\n70,60\n"], 65,
                "min_bed_temperature, 70, is above max_bed_temperature, 60"
            ),
            (["--csv", "material_type,material_type\nPLA,PLA\n"], 65, "two columns have the name"),
            (["--csv", "Brand\nx\n"], 65, "did you mean brand_name? nfcctl help spool set lists all"),
            (["--csv", "gtin\n1\n", "gtin=2"], 65, "has the column gtin, and the command line gtin=2"),
            (["--csv", "gtin,uri\n1,example.com/42\n"], 65, "row 1: example.com/42: it has no scheme"),
            (["--csv", "uri\nhttps://ex.am\n"], 65, "row 1: no field given"),
            (
                ["--csv", "gtin,instance_uuid\n1,\(uuid)\n2,\n3,\(uuid)\n"], 65,
                "rows 1 and 3 have the same instance_uuid, \(uuid)"
            ),
            (["--csv", "gtin\n1\n", "--encoding", "klingon"], 64, "--encoding takes utf-8"),
            (["--count", "2", "--dry-run", "--encoding", "utf-8", "gtin=1"], 64, "--encoding is for --csv"),
            (["--count", "2", "--dry-run"], 64, "no field given"),
            (["--csv", "gtin\n1\n", "--uri", "https://ex.am/{serial}"], 65, "{serial} has no value"),
            (["--count", "2"], 64, "--each needs --report"), (["--report", "r.csv"], 64, "--each needs one of"),
            (["--count", "2", "--dry-run", "--timeout", "5"], 64, "--timeout cannot be used"),
        ] as [([String], Int32, String)])
    func `is refused before the first tag`(arguments: [String], status: Int32, reason: String) async throws {
        let scratch = try Scratch()
        var arguments = arguments
        if arguments[0] == "--csv" {
            arguments[1] = try scratch.file("spools.csv", arguments[1])
            arguments += ["--report", "\(scratch.path)/r.csv"]
        }
        let finished = try await run([Programs.nfcctl, "spool", "new", "--each"] + arguments)
        #expect(finished.status == status, "\(finished)")
        #expect(finished.errors.contains { $0.contains(reason) }, "\(finished)")
        #expect(!FileManager.default.fileExists(atPath: "\(scratch.path)/r.csv"))
    }

    @Test func `has a column as a field and in the link, and another one in the link alone`() async throws {
        let scratch = try Scratch()
        let table = try scratch.file(
            "spools.csv", [UInt8]("brand_name;id;material_name\nB\u{E4}r;7;x\n".unicodeScalars.map { UInt8($0.value) }))
        let finished = try await run([
            Programs.nfcctl, "spool", "new", "--each", "--csv", table, "--dry-run", "--encoding", "iso-8859-1",
            "material_name={material_name} {n}", "--uri", "https://ex.am/{brand_name}/{id}",
        ])
        #expect(finished.status == 0 && finished.output.count == 1, "\(finished)")
        #expect(finished.output.last?.contains("OpenPrintTag Bär x 1") == true, "\(finished)")
    }

    @Test func `of stickers that are not formatted says so`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1, model: "acr1552u")
        let report = "\(daemon.scratch.path)/report.csv"
        let spools = ["spool", "new", "--each", "--count", "1", "gtin=1", "--report", report]
        for command in [spools, ["write", "--each", "--count", "1", "--uri", "https://ex.am/{n}", "--report", report]] {
            let batch = try await daemon.startBatch(command)
            let tag = try await daemon.tap("slix2")
            let line = await batch.errors.next(containing: "is not formatted for NDEF")
            #expect(line?.contains("repeat the command with --format") == true, "\(line ?? "")")
            #expect(await batch.end(SIGINT) == 130)
            try await daemon.takeAway(tag)
        }
        let batch = try await daemon.startBatch(spools + ["--format"])
        let tag = try await daemon.tap("slix2")
        #expect(await batch.status() == 0)
        try await daemon.takeAway(tag)
        await daemon.process.end()
    }

    @Test func `names the spool that a copy replaces`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let batch = try await daemon.startBatch([
            "write", "--each", "--count", "1", "--uri", "https://ex.am/{n}", "--report", "\(daemon.scratch.path)/r.csv",
        ])
        let tag = try await daemon.tap(["ntag215"] + `The tag of a spool`.record)
        #expect(await batch.output.next()?.hasSuffix("; verified; it replaced an OpenPrintTag") == true)
        #expect(await batch.status() == 0)
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `is shown without a tag`() async throws {
        let finished = try await run([
            Programs.nfcctl, "spool", "new", "--each", "--count", "2", "--dry-run", "brand_name=Example",
            "--uri", "https://ex.am/{n}",
        ])
        #expect(finished.status == 0 && finished.output.count == 2, "\(finished)")
        #expect(finished.output.last?.contains("URI https://ex.am/2; OpenPrintTag Example") == true, "\(finished)")
    }
}
