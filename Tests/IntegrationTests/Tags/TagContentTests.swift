import Foundation
import Testing

/// The commands that read tags, with a real pcscd.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct `Reading tags through pcscd` {
    private func with(
        _ model: String, _ body: (DaemonUnderTest) async throws -> Void
    ) async throws {
        let pcsc = try await PrivatePCSC()
        let daemon = try await DaemonUnderTest(pcsc)
        let tag = try await daemon.tap(model, "--uri", "https://a.b/c", "--vpcd", "127.0.0.1:35963")
        try await daemon.wait(for: "tagArrived")
        try await body(daemon)
        await tag.end(SIGINT)
        await daemon.process.end()
        await pcsc.end()
    }

    @Test func `info and dump show an NTAG215`() async throws {
        try await with("ntag215") { daemon in
            let info = try await daemon.run("info")
            #expect(info.status == 0, "\(info.errors)")
            #expect(info.output.contains { $0.hasPrefix("Product  ") && $0.hasSuffix("  NTAG215") })
            #expect(info.output.contains { $0.hasPrefix("NDEF  ") && $0.hasSuffix("492 bytes, writable") })
            let line = try await daemon.run("info", "--json").output.first ?? ""
            #expect(line.contains(#""event":"info""#) && line.contains(#""product":"NTAG215""#))
            #expect(line.contains(#""ndef":{"capacity":492,"status":"readWrite"}"#))

            let dump = try await daemon.run("dump").output
            #expect(dump.dropFirst().first == "NTAG215, 135 pages of 4 bytes")
            #expect(dump.contains("   3  E1 10 3E 00  ..>.  capability container") && dump.contains("    *"))
            #expect(try await daemon.run("dump", "--all").output.count == 135 + 3)
            let json = try await daemon.run("dump", "--json").output
            #expect(json.count == 1 && json.first?.contains(#"{"bytes":"E1103E00","meaning":"#) == true)
        }
    }

    @Test func `a dump is saved, and replaces an existing file only with --force`() async throws {
        try await with("ntag213") { daemon in
            let path = "\(daemon.scratch.path)/card.nfc"
            let saved = try await daemon.run("dump", "--output", path)
            #expect(saved.status == 0 && saved.output.first?.hasPrefix("Saved NFC Forum Type 2") == true)
            let file = try String(contentsOfFile: path, encoding: .utf8)
            #expect(file.contains("NTAG/Ultralight type: NTAG213\n") && file.contains("Page 3: E1 10 12 00\n"))
            let refused = try await daemon.run("dump", "--output", path)
            #expect(refused.status == 73 && refused.errors.first?.hasSuffix("use --force to replace it") == true)
            #expect(try await daemon.run("dump", "--output", path, "--force").status == 0)
            #expect(try await daemon.run("dump", "--output", "\(daemon.scratch.path)/card.pdf").status == 64)
        }
    }

    @Test func `frames and passwords require a reader that supports raw commands`() async throws {
        try await with("ntag213") { daemon in
            for arguments in [["transceive", "60"], ["read", "--tag-password", "01020304"]] {
                let refused = try await daemon.run(arguments)
                #expect(refused.status == 74)
                #expect(refused.errors.first?.contains("Feature not supported") == true)
            }
        }
    }

    @Test func `frames are sent to a FeliCa card`() async throws {
        try await with("felica-lite-s") { daemon in
            // The first frame polls for a system that the card does not have, the second one for any system.
            let stopped = try await daemon.run("transceive", "00111100", "00FFFF0100")
            #expect(stopped.status == 74 && stopped.output.isEmpty)
            let going = try await daemon.run("transceive", "--keep-going", "00111100", "00 FF FF 01 00")
            #expect(going.status == 0 && going.output.count == 4)
            #expect(going.output.last?.hasPrefix("< 01") == true)
            let json = try await daemon.run("transceive", "--felica", "--json", "00FFFF0100").output.first
            #expect(json?.contains(#""command":"00FFFF0100","data":"01"#) == true)
            let other = try await daemon.run("transceive", "--iso15693", "022B")
            #expect(other.status == 74 && other.errors.first?.contains("it is FeliCa, type feliCa") == true)
        }
    }

    @Test func `write formats a tag first with --format`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let tag = try await daemon.tap("ultralight-ev1-11")
        #expect(try await daemon.run("write", "--uri", "https://a.b/c").status == 74)
        #expect(try await daemon.run("write", "--uri", "https://a.b/c", "--format").status == 0)
        #expect(try await daemon.run("read", "--hex").output == [`Writing tags through pcscd`.message])
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `a password is read from the command line, a file or standard input`() async throws {
        let scratch = try Scratch()
        let nowhere = ["NFCD_SOCKET": "/nonexistent/nfcd.sock"]
        let good = try scratch.file("good", "01 02:03 04\n")
        let bad = try scratch.file("bad", "secret")
        let cases: [([String], String, Int32)] = [
            (["--tag-password-file", good], "", 69), (["--tag-password-file", "-"], "01020304", 69),
            (["--tag-password-file", bad], "", 65), (["--tag-password-file", "-"], "", 65),
            (["--tag-password-file", "\(scratch.path)/missing"], "", 66),
            (["--tag-password", "01020304"], "", 69), (["--tag-password", "0102030"], "", 64),
            (["--tag-password", "01", "--tag-password-file", good], "", 64),
        ]
        for (options, input, status) in cases {
            let finished = try await run([Programs.nfcctl, "read"] + options, environment: nowhere, input: input)
            #expect(finished.status == status, "\(options): \(finished.errors)")
            #expect(!finished.errors.joined().contains("secret"))
        }
    }
}

/// Tags that are written by one program and read by another one, with a real pcscd.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct `Writing tags through pcscd` {
    static let vpcd = "127.0.0.1:35963"
    /// `https://a.b/c`.
    static let message = "D10106550461 2E622F63".filter { $0 != " " }

    @Test(arguments: ["ntag215", "type4", "felica-lite-s", "slix2", "mifare-classic-1k", "topaz512"])
    func `a message that one process writes is read by the next one`(model: String) async throws {
        let pcsc = try await PrivatePCSC()
        let daemon = try await DaemonUnderTest(pcsc)
        let tag = try await daemon.tap(model, "--text", "old", "--vpcd", Self.vpcd)
        try await daemon.wait(for: "tagArrived")

        let written = try await daemon.run("write", "--ndef", Self.message, "--verify", "--json")
        #expect(written.status == 0, "\(written.errors)")
        #expect(written.output.first?.contains(#""event":"written""#) == true)
        let read = try await daemon.run("read", "--hex")
        #expect(read.output == [Self.message], "\(read.errors)")
        let erased = try await daemon.run("erase")
        #expect(erased.status == 0, "\(erased.errors)")
        #expect(try await daemon.run("read", "--hex").output == [""])

        await tag.end(SIGINT)
        await daemon.process.end()
        await pcsc.end()
    }

    static let hasPyscard = {
        let python = Process()
        python.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        python.arguments = ["-c", "import smartcard"]
        python.standardError = FileHandle.nullDevice
        guard (try? python.run()) != nil else { return false }
        python.waitUntilExit()
        return python.terminationStatus == 0
    }()

    @Test(
        .enabled(if: hasPyscard, "python3-pyscard is not installed; Scripts/setup --tests installs it"),
        arguments: [("ntag213", "type2"), ("ultralight-c", "type2"), ("type4", "type4"), ("ntag424", "type4")])
    func `a message that nfcd writes is read by pyscard`(model: String, kind: String) async throws {
        let pcsc = try await PrivatePCSC()
        let daemon = try await DaemonUnderTest(pcsc)
        let tag = try await daemon.tap(model, "--text", "old", "--vpcd", Self.vpcd)
        try await daemon.wait(for: "tagArrived")
        let written = try await daemon.run("write", "--ndef", Self.message)
        #expect(written.status == 0, "\(written.errors)")

        let script = Repository.file("Tests/IntegrationTests/Support/read_ndef.py")
        let read = try await IntegrationTests.run(pcsc.command(["/usr/bin/python3", script.path, kind]))
        #expect(read.output == [Self.message], "\(read.errors)")

        await tag.end(SIGINT)
        await daemon.process.end()
        await pcsc.end()
    }
}
