import Foundation
import Testing

/// `nfcctl restore`.
@Suite(.timeLimit(.minutes(20)))
struct `Restoring a dump` {
    private static let uri = "https://a.b/c"

    /// A kind of tag, and the formats that can hold it.
    @Test(arguments: [
        ("ntag213", ["nfc", "json", "bin"]), ("ultralight-ev1-11", ["nfc", "json", "bin"]),
        ("ntag-i2c-1k", ["nfc", "json"]), ("type4", ["json"]), ("felica-lite-s", ["nfc", "json"]),
        ("mifare-classic-1k", ["nfc", "json", "mct"]), ("topaz512", ["json"]), ("slix2", ["nfc", "json", "bin"]),
    ])
    func `its message is written to a tag of another kind`(model: String, formats: [String]) async throws {
        let daemon = try await DaemonUnderTest(
            simulatedReaders: 1, model: ["ntag-i2c-1k", "felica-lite-s", "topaz512"].contains(model) ? "acr122u" : nil)
        let original = try await daemon.tap(model, "--uri", Self.uri)
        for format in formats {
            let dump = try await daemon.run("dump", "--output", "\(daemon.scratch.path)/card.\(format)")
            #expect(dump.status == 0, "\(dump.errors)")
        }
        try await daemon.takeAway(original)
        let tag = try await daemon.tap("ntag215", "--text", "old")
        for format in formats {
            let file = "\(daemon.scratch.path)/card.\(format)"
            let restored = try await daemon.run("restore", file)
            #expect(restored.status == 0, "\(restored.errors)")
            #expect(restored.output.first?.hasPrefix("Restored URI \(Self.uri) from \(file) to ") == true)
            #expect(restored.output.first?.hasSuffix("; verified") == true)
            #expect(try await daemon.run("read").output.contains("  1  URI \(Self.uri)"))
            #expect(try await daemon.run("write", "--text", "old").status == 0)
        }
        let json = try await daemon.run("restore", "\(daemon.scratch.path)/card.\(formats[0])", "--json")
        #expect(json.output.first?.contains(#""event":"restored""#) == true, "\(json)")
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    /// The message of a spool that nfcctl makes fills its tag.
    @Test func `a spool is written again, in a reader that does not show the size of its tag`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let tag = try await daemon.tap("slix2")
        #expect(try await daemon.run("spool", "new", "--format", "nominal_netto_full_weight=1000").status == 0)
        let spool = try await daemon.run("read", "--json").output
        for format in ["nfc", "json", "bin"] {
            let file = "\(daemon.scratch.path)/spool.\(format)"
            #expect(try await daemon.run("dump", "--output", file).status == 0)
            #expect(try await daemon.run("write", "--text", "old").status == 0)
            let restored = try await daemon.run("restore", file)
            #expect(restored.status == 0, "\(format): \(restored.errors)")
            #expect(restored.output.count == 1, "\(restored.output)")
            #expect(try await daemon.run("read", "--json").output == spool, "\(format)")
        }
        let again = try await daemon.run("restore", "\(daemon.scratch.path)/spool.nfc")
        #expect(again.output.last == "The message replaced an OpenPrintTag.", "\(again)")
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test
    func `a message with a hole, a file without one and a file that is not a dump are refused before a tag is needed`()
        async throws
    {
        let scratch = try Scratch()
        let hole = DumpFiles.flipperNTAG213.replacing(#/Page 6: .*/#, with: "Page 6: ?? ?? ?? ??")
        let blank = DumpFiles.flipperNTAG213.replacing(#/Page 3: .*/#, with: "Page 3: 00 00 00 00")
        let rows: [(String, Int32, String)] = [
            (try scratch.file("hole.nfc", hole), 65, "a part of the message is missing"),
            (try scratch.file("blank.nfc", blank), 65, "cannot restore the message of"),
            (try scratch.file("text.nfc", "hello"), 65, "text.nfc"),
            ("\(scratch.path)/missing.nfc", 66, "cannot read"),
        ]
        for (file, status, reason) in rows {
            let refused = try await run(
                [Programs.nfcctl, "restore", file], environment: ["NFCD_SOCKET": "/nonexistent/nfcd.sock"])
            #expect(refused.status == status, "\(refused)")
            #expect(refused.errors.first?.contains(reason) == true, "\(refused.errors)")
        }
    }

    /// Files of other programs, and a warning that names what they contradict.
    static let foreign: [(name: String, content: [UInt8], warning: String?)] = {
        let text = DumpFiles.flipperNTAG213
        // AUTH0 is 4 and PROT is set: all pages that hold data need the password.
        let protected = text.replacing("Page 41: 04 00 00 FF", with: "Page 41: 04 00 00 04")
            .replacing("Page 42: 00 05 00 00", with: "Page 42: 80 05 00 00")
        let clone = text.replacing(
            "Mifare version: 00 04 04 02 01 00 0F 03", with: "Mifare version: 00 34 21 01 01 00 0E 03")
        let other = text.replacing("UID: 04 11 22", with: "UID: 04 11 23")
        let ndef: [UInt8] = [3, 10, 0xD1, 1, 6, 0x55, 4, 0x61, 0x2E, 0x62, 0x2F, 0x63, 0xFE]
        let raw = [0xE1, 0x40, 0x27, 0x01] + ndef + [UInt8](repeating: 0, count: 316 - 4 - ndef.count)
        let hidden = DumpFiles.classicJSON.replacing("7F078840FFFFFFFFFFFF", with: "7F078840------------")
            .replacing("D3F7D3F7D3F77F078840", with: "0000000000000F00FF40")
        return [
            ("protected.nfc", Array(protected.utf8), nil), ("clone.nfc", Array(clone.utf8), nil),
            ("other.nfc", Array(other.utf8), "the UID of the memory is used"), ("raw.bin", raw, "the file has no UID"),
            ("hidden.json", Array(hidden.utf8), nil),
        ]
    }()

    @Test func `files of other programs are restored, whatever access rules they hold`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let tag = try await daemon.tap("ntag215", "--text", "old")
        for (name, content, warning) in Self.foreign {
            let file = try daemon.scratch.file(name, content)
            #expect(try await daemon.run("write", "--text", "old").status == 0)
            let restored = try await daemon.run("restore", file)
            #expect(restored.status == 0, "\(name) \(restored.errors)")
            #expect(try await daemon.run("read").output.contains("  1  URI \(Self.uri)"), "\(name)")
            let warnings = restored.errors.filter { $0.hasPrefix("nfcctl: warning: \(file): ") }
            #expect(warnings.count == (warning == nil ? 0 : 1), "\(restored.errors)")
            if let warning { #expect(warnings.first?.contains(warning) == true, "\(warnings)") }
        }
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `keys that a Classic card does not show are marked, and never saved as zeros`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let tag = try await daemon.tap("mifare-classic-1k", "--uri", Self.uri)
        let shown = try await daemon.run("dump")
        #expect(
            shown.output.contains { $0.contains("D3 F7 D3 F7 D3 F7 7F 07 88 40 -- -- -- -- -- --") }, "\(shown.output)")
        for (format, text) in [
            ("nfc", "7F 07 88 40 ?? ??"), ("json", "7F078840------------"), ("mct", "7F078840------------"),
        ] {
            let file = "\(daemon.scratch.path)/card.\(format)"
            #expect(try await daemon.run("dump", "--output", file).status == 0)
            #expect(try String(contentsOfFile: file, encoding: .utf8).contains(text), "\(format)")
        }
        let file = "\(daemon.scratch.path)/card.bin"
        let refused = try await daemon.run("dump", "--output", file)
        #expect(refused.status == 65)
        #expect(refused.errors.first?.contains("Block 3 was not read completely") == true, "\(refused.errors)")
        #expect(!FileManager.default.fileExists(atPath: file))
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `a message that does not fit is refused, and the tag keeps its own`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let original = try await daemon.tap("ntag215", "--text", String(repeating: "x", count: 200))
        let file = "\(daemon.scratch.path)/card.nfc"
        #expect(try await daemon.run("dump", "--output", file).status == 0)
        try await daemon.takeAway(original)
        let tag = try await daemon.tap("ntag213", "--text", "old")
        let refused = try await daemon.run("restore", file)
        #expect(refused.status == 74 && refused.errors.joined().contains("(error 402)"), "\(refused.errors)")
        #expect(try await daemon.run("read").output.contains("  1  Text \"old\" (en)"))
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test(arguments: ["ntag213", "slix2"])
    func `with a real pcscd, the memory is written to a tag of the same product`(model: String) async throws {
        let pcsc = try await PrivatePCSC()
        let daemon = try await DaemonUnderTest(pcsc)
        let place = ["--vpcd", "127.0.0.1:35963", "--reader-model", "acr1552u"]
        let original = try await daemon.tap([model, "--uri", Self.uri] + place)
        try await daemon.wait(for: "tagArrived")
        let file = "\(daemon.scratch.path)/card.json"
        #expect(try await daemon.run("dump", "--output", file).status == 0)
        try await daemon.takeAway(original)
        let tag = try await daemon.tap([model, "--text", String(repeating: "old", count: 30)] + place)
        try await daemon.wait(for: "tagArrived")
        let restored = try await daemon.run("restore", file, "--memory")
        #expect(restored.status == 0, "\(restored.errors)")
        #expect(restored.output.first?.hasSuffix("s changed; verified") == true, "\(restored.output)")
        let again = try await daemon.run("restore", file, "--memory", "--json")
        #expect(again.output.first?.contains(#""written":0"#) == true, "\(again)")
        #expect(try await daemon.run("read").output.contains("  1  URI \(Self.uri)"))
        await tag.end(SIGINT)
        await daemon.process.end()
        await pcsc.end()
    }

    @Test func `a memory that does not fit is refused, and the tag keeps its own`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let file = try daemon.scratch.file("ntag213.nfc", DumpFiles.flipperNTAG213)
        let hole = try daemon.scratch.file(
            "hole.nfc", DumpFiles.flipperNTAG213.replacing(#/Page 6: .*/#, with: "Page 6: ?? ?? ?? ??"))
        let classic = try daemon.scratch.file("classic.json", DumpFiles.classicJSON)
        let other = try await daemon.tap("ntag215", "--text", "old")
        let refused = try await daemon.run("restore", file, "--memory")
        #expect(refused.status == 65)
        #expect(refused.errors.first?.contains("it has 45 pages of 4 bytes, ") == true, "\(refused.errors)")
        #expect(try await daemon.run("read").output.contains("  1  Text \"old\" (en)"))
        try await daemon.takeAway(other)
        let tag = try await daemon.tap("ntag213", "--text", "old")
        let missing = try await daemon.run("restore", hole, "--memory")
        #expect(
            missing.status == 65 && missing.errors.first?.contains("page 6 is missing") == true, "\(missing.errors)")
        let keys = try await daemon.run("restore", classic, "--memory")
        #expect(keys.status == 65 && keys.errors.first?.contains("Type 2 and ISO/IEC 15693 tags only") == true)
        #expect(try await daemon.run("restore", file, "--memory", "--format").status == 64)
        #expect(try await daemon.run("read").output.contains("  1  Text \"old\" (en)"))
        #expect(try await daemon.run("restore", file, "--memory").status == 0)
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `with a real pcscd, a blank tag is formatted first`() async throws {
        let pcsc = try await PrivatePCSC()
        let daemon = try await DaemonUnderTest(pcsc)
        let file = try daemon.scratch.file("ntag213.nfc", DumpFiles.flipperNTAG213)
        let tag = try await daemon.tap("ultralight-ev1-21", "--vpcd", "127.0.0.1:35963")
        try await daemon.wait(for: "tagArrived")
        let refused = try await daemon.run("restore", file)
        #expect(refused.status == 74 && refused.errors.joined().contains("Add --format"), "\(refused.errors)")
        #expect(try await daemon.run("restore", file, "--format").status == 0)
        #expect(try await daemon.run("read").output.contains("  1  URI https://a.b/c"))
        await tag.end(SIGINT)
        await daemon.process.end()
        await pcsc.end()
    }
}
