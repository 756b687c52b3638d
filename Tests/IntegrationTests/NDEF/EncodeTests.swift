import Foundation
import Testing

/// The options, the output and the exit codes of `nfcctl ndef encode`. The expected bytes are written by hand.
@Suite(.timeLimit(.minutes(20)))
struct `ndef encode` {
    static func encode(_ arguments: [String]) async throws -> Finished {
        try await run([Programs.nfcctl, "ndef", "encode"] + arguments)
    }

    static func digits(_ groups: String) -> String { groups.filter { $0 != " " } }

    // MARK: - Records

    @Test(arguments: [
        (["--uri", "https://example.com"], "D1010C55 04 6578616D706C652E636F6D"),
        (["--text", "Hello"], "D1010854 02 656E 48656C6C6F"),
        (["--language", "de-AT", "--text", "Hallo"], "D1010B54 05 64652D4154 48616C6C6F"),
        (["--encoding", "utf-16", "--text", "hi"], "D1010754 82 656E 00680069"),
        (["--text=-5°"], "D1010754 02 656E 2D35C2B0"),
        (["--mime", "text/plain", "--content", "hi"], "D20A02 746578742F706C61696E 6869"),
        (["--mime", "a/b", "--data", "01 fF"], "D20302 612F62 01FF"),
        (["--mime", "a/b", "--content", ""], "D20300 612F62"),
        (["--external", "a:b", "--data", "01"], "D40301 613A62 01"),
        (["--external", "a:b", "--content", "x"], "D40301 613A62 78"),
        (["--absolute-uri", "u:x"], "D30300 753A78"),
        (["--absolute-uri", "u:x", "--data", "05"], "D30301 753A78 05"),
        (["--aar", "com.example"], "D40F0B 616E64726F69642E636F6D3A706B67 636F6D2E6578616D706C65"),
        (["--empty"], "D00000"),
        (["--ndef", "D101015500"], "D101015500"),
        (["--uri", "tel:1", "--id", "x"], "D9010201 55 78 05 31"),
        (["--mime", "a/b", "--id", "x", "--content", "y"], "DA030101 612F62 78 79"),
        (["--record", #"{"typeNameFormat":"unknown","payload":"0102"}"#], "D50002 0102"),
        (["--record", #"{"decoded":{"kind":"uri","uri":"tel:1"}}"#, "--id", "x"], "D9010201 55 78 05 31"),
        (["--smart-poster", "tel:1"], "D10206 5370 D1010255 05 31"),
        (["--smart-poster", "tel:1", "--id", "x"], "D9020601 5370 78 D1010255 05 31"),
        (["--smart-poster", "tel:1", "--title", "Hi"], "D1020F 5370 91010255 05 31 51010554 02 656E 4869"),
        (
            ["--language", "de", "--smart-poster", "tel:1", "--title", "A", "--language", "fr", "--title", "B"],
            "D10216 5370 91010255 05 31 11010454 02 6465 41 51010454 02 6672 42"
        ),
    ])
    func `each option adds its bytes`(arguments: [String], bytes: String) async throws {
        let finished = try await Self.encode(arguments)
        #expect(finished.errors.isEmpty)
        #expect(finished.output == [Self.digits(bytes)])
        #expect(finished.status == 0)
    }

    @Test(arguments: [
        // Each option is followed by one of another kind, and by one of the same kind.
        (
            ["--uri", "tel:1", "--text", "a", "--uri", "tel:2", "--text", "b"],
            "91010255 05 31 11010454 02 656E 61 11010255 05 32 51010454 02 656E 62"
        ),
        (
            ["--text", "a", "--language", "de", "--text", "b", "--encoding", "utf-16", "--text", "c"],
            "91010454 02 656E 61 11010454 02 6465 62 51010554 82 6465 0063"
        ),
        (
            [
                "--external", "a:b", "--data", "01", "--mime", "a/b", "--data", "02", "--external", "a:b", "--content",
                "x",
            ],
            "940301 613A62 01 120301 612F62 02 540301 613A62 78"
        ),
        (
            ["--aar", "a.b", "--uri", "tel:1", "--id", "x", "--record", #"{"typeNameFormat":"unknown"}"#, "--id", "y"],
            "940F03 616E64726F69642E636F6D3A706B67 612E62 19010201 55 78 05 31 5D000001 79"
        ),
        (
            ["--smart-poster", "tel:1", "--uri", "tel:2", "--smart-poster", "tel:3", "--title", "c"],
            "910206 5370 D1010255 05 31 11010255 05 32 51020E 5370 91010255 05 33 51010454 02 656E 63"
        ),
    ])
    func `records are in the order of the command line`(arguments: [String], bytes: String) async throws {
        #expect(try await Self.encode(arguments).output == [Self.digits(bytes)])
    }

    @Test(arguments: [
        (["--action", "execute"], "03 01 616374 00"), (["--action", "save"], "03 01 616374 01"),
        (["--action", "edit"], "03 01 616374 02"), (["--size", "1024"], "01 04 73 00000400"),
        (["--type", "text/html"], "01 09 74 746578742F68746D6C"),
    ])
    func `a Smart Poster contains its action, size and type`(arguments: [String], part: String) async throws {
        let finished = try await Self.encode(["--smart-poster", "tel:1"] + arguments + ["--title", "x"])
        let line = try #require(finished.output.first)
        #expect(line.contains("010255" + "0531"))
        #expect(line.contains("010454" + "02656E78"))
        #expect(line.contains(Self.digits(part)))
    }

    @Test func `the type of a Smart Poster's icon is detected by its content`() async throws {
        let scratch = try Scratch()
        let icon = try scratch.file("icon", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x01])
        let finished = try await Self.encode(["--smart-poster", "tel:1", "--icon", icon])
        let line = try #require(finished.output.first)
        #expect(line.contains("0909" + "696D6167652F706E67" + "89504E470D0A1A0A01"))

        let text = try scratch.file("text", "no picture")
        let refused = try await Self.encode(["--smart-poster", "tel:1", "--icon", text])
        #expect(refused.status == 64)
        #expect(refused.errors.first?.contains("\(text) is not one of these") == true)
    }

    @Test(arguments: [
        (["--password", "secret12"], ["10030002" + "0020", "100F0002" + "0008", "10270008" + "7365637265743132"]),
        (["--security", "wpa2", "--password", "secret12"], ["10030002" + "0020", "100F0002" + "0008"]),
        ([], ["10030002" + "0001", "100F0002" + "0001"]), (["--security", "open"], ["10030002" + "0001"]),
    ])
    func `a Wi-Fi record contains the credentials of the network`(arguments: [String], parts: [String]) async throws {
        let finished = try await Self.encode(["--wifi", "Net"] + arguments)
        let line = try #require(finished.output.first)
        #expect(line.contains("6170706C69636174696F6E2F766E642E7766612E777363"))
        #expect(line.contains("10450003" + "4E6574"))
        for part in parts { #expect(line.contains(part), "\(line)") }
    }

    @Test func `files are read without changes`() async throws {
        let scratch = try Scratch()
        let card = try scratch.file("card.vcf", "BEGIN:VCARD\r\n\u{1}")
        let data = try scratch.file("data", [0x00, 0xFF, 0x0A])
        let message = try scratch.file("message.json", #"{"records":[{"decoded":{"kind":"uri","uri":"tel:1"}}]}"#)
        let cases = [
            (["--vcard", card], "D20A0E 746578742F7663617264 424547494E3A56434152440D0A01"),
            (
                ["--mime", "a/b", "--file", data, "--external", "a:b", "--file", data],
                "920303 612F62 00FF0A 540303 613A62 00FF0A"
            ),
            (["--file", message], "D1010255 05 31"),
        ]
        for (arguments, bytes) in cases { #expect(try await Self.encode(arguments).output == [Self.digits(bytes)]) }
        let piped = try await run(
            [Programs.nfcctl, "ndef", "encode", "--text", "a", "--mime", "a/b", "--file", "-"], input: "hi")
        #expect(piped.output == [Self.digits("91010454 02 656E 61 520302 612F62 6869")])
    }

    // MARK: - Errors

    @Test(arguments: [
        (["--title", "x"], "--title must follow --smart-poster"),
        (["--smart-poster", "a", "--uri", "b", "--title", "x"], "--title must follow --smart-poster"),
        (["--action", "save"], "--action must follow --smart-poster"),
        (["--smart-poster", "a", "--action", "open"], "--action requires execute, save or edit"),
        (["--size", "1"], "--size must follow --smart-poster"),
        (["--smart-poster", "a", "--size", "-1"], "Missing value for '--size <bytes>'"),
        (["--smart-poster", "a", "--size", "4294967296"], "--size requires a number from 0 to 4294967295"),
        (["--type", "a/b"], "--type must follow --smart-poster"),
        (["--icon", "x"], "--icon must follow --smart-poster"),
        (["--password", "x"], "--password must follow --wifi"),
        (["--text", "a", "--security", "open"], "--security must follow --wifi"),
        (["--wifi", "a", "--security", "wep"], "--security requires wpa2 or open"),
        (["--wifi", "a", "--security", "wpa2"], "--wifi a requires --password"),
        (["--wifi", "a", "--password", "b", "--security", "open"], "--wifi a is an open network; remove --password"),
        (["--mime", "a/b"], "--mime a/b requires data; add --content, --data or --file after it"),
        (["--external", "a:b", "--uri", "c"], "--external a:b requires data"),
        (["--content", "x"], "--content must follow --mime, --external or --absolute-uri"),
        (["--uri", "a", "--data", "00"], "--data must follow --mime, --external or --absolute-uri"),
        (["--mime", "a/b", "--data", "0G"], "--data requires hexadecimal digits: character 2: \"G\""),
        (["--mime", "a/b", "--data", "00", "--content", "x"], "--content sets the data of --mime a/b a second time"),
        (["--uri", "a", "--file", "x"], "--file must follow --mime, --external or --absolute-uri, or be the whole"),
        (["--id", "x"], "--id must follow the option for a record"),
        (["--uri", "a", "--id", "x", "--id", "y"], "--id was given twice for one record"),
        (["--language", "de"], "--language must precede the texts that it applies to, but no text follows"),
        (
            ["--text", "a", "--encoding", "utf-16"],
            "--encoding must precede the texts that it applies to, but no text follows"
        ),
        (["--language", "é", "--text", "x"], "--text: the language code is not ASCII"),
        (["--encoding", "latin1", "--text", "x"], "--encoding latin1 is for the file of --csv or --json-lines"),
        (["--uri", "a\u{1}"], "--uri: the URI contains control characters"),
        (["--record", "{}"], "--record requires a record in the JSON form: typeNameFormat: a record needs"),
        (["--record", "x"], "--record requires a record in the JSON form: the input is not JSON"),
        (
            ["--mime", String(repeating: "a", count: 256), "--content", ""],
            "the message cannot be encoded: record 1: type of"
        ),
        (["--empty", "--uri", "a"], "--empty is a whole message"),
        (["--ndef", "D00000", "--empty"], "--ndef is a whole"),
        (["--ndef", "D1"], "--ndef is not an NDEF message"), (["--ndef", "D"], "--ndef requires an even number"),
        (["{}", "--uri", "a"], "a JSON message and options for records cannot be combined"),
        (["--json-lines", "--uri", "a"], "--json-lines reads messages from standard input"),
        (["--json-lines", "--output", "x"], "--json-lines reads messages from standard input"),
        (["--json", "--base64", "--uri", "a"], "Value to be set with flag '--base64' had already been set"),
    ])
    func `an invalid or misplaced option is reported, and the exit code is 64`(
        arguments: [String], message: String
    ) async throws {
        let finished = try await Self.encode(arguments)
        #expect(finished.status == 64)
        #expect(finished.output.isEmpty)
        let line = try #require(finished.errors.first)
        #expect(line.hasPrefix("Error: \(message)"), "\(line)")
        #expect(finished.errors.last == "  See 'nfcctl ndef encode --help' for more information.")
    }

    @Test(arguments: [
        ("x", "the input is not JSON (INVALID_JSON)"), ("{}", "records: required, but missing (INVALID_MESSAGE)"),
        ("[]", "expected an object (INVALID_MESSAGE)"),
        (#"{"records":1}"#, "records: expected an array (INVALID_MESSAGE)"),
        (#"{"records":[{"typeNameFormat":"x"}]}"#, "records[0].typeNameFormat: no type name format has this name"),
        (
            #"{"records":[{"decoded":{"kind":"uri","uri":"\u0001"}}]}"#,
            "records[0].decoded.uri: the URI contains control characters (URI_CONTROL_CHARS)"
        ),
        (#"{"records":[{"typeNameFormat":"unchanged"}]}"#, "record 1: the type name format is unchanged"),
    ])
    func `exits with 65 for an invalid JSON message`(json: String, message: String) async throws {
        let scratch = try Scratch()
        let file = try scratch.file("message.json", json)
        for finished in [
            try await Self.encode([json]), try await run([Programs.nfcctl, "ndef", "encode"], input: json),
        ] {
            #expect(finished.status == 65)
            #expect(finished.errors.first?.hasPrefix("nfcctl: \(message)") == true, "\(finished.errors)")
        }
        let fromFile = try await Self.encode(["--file", file])
        #expect(fromFile.status == (json.contains("unchanged") ? 64 : 65))
        let answer = try await Self.encode(["--json", json])
        #expect(answer.status == 65)
        #expect(answer.output.first?.hasPrefix(#"{"error":{"code":""#) == true)
    }

    @Test(arguments: [
        ["--vcard", "/nonexistent"], ["--mime", "a/b", "--file", "/"], ["--file", "/nonexistent"],
        ["--smart-poster", "a", "--icon", "/nonexistent"],
    ])
    func `exits with 66 if a file cannot be read`(arguments: [String]) async throws {
        let finished = try await Self.encode(arguments)
        #expect(finished.status == 66)
        #expect(finished.errors.first?.contains("cannot read ") == true)
    }

    // MARK: - Output

    @Test func `the message is written in the requested format`() async throws {
        #expect(try await Self.encode(["--uri", "tel:1", "--base64"]).output == ["0QECVQUx"])
        #expect(try await Self.encode(["--uri", "tel:1", "--json"]).output == [#"{"ok":true,"hex":"D10102550531"}"#])
        #expect(try await Self.encode([#"{"records":[]}"#, "--json"]).output == [#"{"ok":true,"hex":""}"#])
        let piped = try await run(
            [
                "sh", "-c",
                "'\(Programs.nfcctl)' ndef encode --uri tel:1 --binary | '\(Programs.nfcctl)' ndef decode --json",
            ])
        #expect(piped.output.first?.contains(#""uri":"tel:1""#) == true)
    }

    @Test func `the message is written to a file`() async throws {
        let scratch = try Scratch()
        let path = "\(scratch.path)/message"
        #expect(try await Self.encode(["--uri", "tel:1", "--output", path]).output.isEmpty)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("D10102550531\n".utf8))
        #expect(try await Self.encode(["--uri", "tel:1", "--binary", "--output", path]).status == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data([0xD1, 0x01, 0x02, 0x55, 0x05, 0x31]))
        let refused = try await Self.encode(["--uri", "a", "--output", "/nonexistent/message"])
        #expect(refused.status == 73)
        #expect(refused.errors.suffix(1) == ["nfcctl: cannot create /nonexistent/message: No such file or directory"])
    }

    @Test(arguments: [
        ("--uri tel:1 --binary", "Error: --binary does not write to a terminal"), ("", "Error: no message given"),
    ])
    func `binary is not written to a terminal, and input is not read from one`(arguments: String, message: String)
        async throws
    {
        let finished = try await run(["script", "-qec", "\(Programs.nfcctl) ndef encode \(arguments)", "/dev/null"])
        #expect(finished.status == 64)
        #expect(finished.output.first?.hasPrefix(message) == true, "\(finished.output)")
    }

    @Test func `help has an example for each common use`() async throws {
        let finished = try await Self.encode(["--help"])
        #expect(finished.status == 0)
        for option in ["--uri", "--text", "--smart-poster", "--wifi", "--mime", "--aar", "--vcard", "--json-lines"] {
            #expect(finished.output.contains { $0.contains("nfcctl ndef encode") && $0.contains(option) }, "\(option)")
        }
        #expect(finished.output.allSatisfy { $0.count <= 80 || $0.hasPrefix("USAGE: ") })
    }

    @Test func `virtual-tag has the same options`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let tag = try await daemon.tap("ntag215", "--text", "a", "--smart-poster", "tel:1", "--uri", "tel:2")
        let scan = try await daemon.run("scan", "--json", "--count", "1")
        let line = try #require(scan.output.first)
        let message = try JSONDecoder().decode(ScanLine.self, from: Data(line.utf8)).message
        #expect(message?.records.map(\.type) == ["54", "5370", "55"])
        await tag.end(SIGINT)
        await daemon.process.end()
    }
}
