import Foundation
import Testing

/// The input, the exit codes and the errors of `nfcctl ndef decode`.
@Suite(.timeLimit(.minutes(20)))
struct `ndef decode` {
    static let uri = "D1010C55046578616D706C652E636F6D"

    static func decode(_ arguments: String...) async throws -> Finished {
        try await run([Programs.nfcctl, "ndef", "decode"] + arguments)
    }

    static func decode(_ input: [UInt8], _ arguments: String...) async throws -> Finished {
        try await run([Programs.nfcctl, "ndef", "decode"] + arguments, input: input)
    }

    // MARK: - Input

    @Test(arguments: [
        uri, uri.lowercased(), "D1 01 0C 55 04 65 78 61 6D 70 6C 65 2E 63 6F 6D",
        "D1:01:0c:55:04:6578616D706C652E636F6D", "d1-01-0c-55-04-65-78-61-6d-70-6c-65-2e-63-6f-6d", "0x\(uri)",
        "  \(uri)\n", "D101 0C55\r\n0465 7861\r\n\t6D70 6C65\n\n2E63 6F6D\n", "\u{FEFF}\(uri)",
        "0xD1, 0x01, 0x0C, 0x55, 0x04, 0x65, 0x78, 0x61, 0x6D, 0x70, 0x6C, 0x65, 0x2E, 0x63, 0x6F, 0x6D",
        "0QEMVQRleGFtcGxlLmNvbQ==", "0QEMVQRleGFtcGxlLmNvbQ", "0QEMVQRl\neGFtcGxl\nLmNvbQ==\n",
    ])
    func `the notation is detected in an argument, a pipe and a file`(text: String) async throws {
        let scratch = try Scratch()
        let file = try scratch.file("message", text)
        let results = [
            try await Self.decode("--json", text), try await Self.decode("--json", "--file", file),
            try await Self.decode(Array(text.utf8), "--json"), try await Self.decode(Array(text.utf8), "--json", "-"),
            try await Self.decode(Array(text.utf8), "--json", "--file", "-"),
        ]
        for finished in results {
            #expect(finished.status == 0)
            #expect(finished.output.count == 1)
            #expect(finished.output.first?.contains(#""uri":"https://example.com""#) == true, "\(finished.output)")
        }
    }

    @Test func `binary input is detected in a pipe and a file`() async throws {
        let bytes: [UInt8] = [0xD1, 0x01, 0x0C, 0x55, 0x04] + Array("example.com".utf8)
        let scratch = try Scratch()
        let file = try scratch.file("message", bytes)
        for finished in [try await Self.decode(bytes, "--json"), try await Self.decode("--json", "--file", file)] {
            #expect(finished.status == 0)
            #expect(finished.output.first?.contains(#""uri":"https://example.com""#) == true)
        }
    }

    @Test(arguments: [
        // In base64, this is a text record with the text 6; in hexadecimal, a message without MB.
        ("--base64", "0QEBVQA=", true), ("--base64", "0QEBVQA", true), ("--base64", "00000000", false),
        ("--hex", "00000000", false), ("--hex", "D101015500", true), ("--binary", "D101015500", false),
    ])
    func `a flag selects the notation`(flag: String, text: String, isMessage: Bool) async throws {
        let finished = try await Self.decode(Array(text.utf8), flag, "--json")
        #expect(finished.status == (isMessage ? 0 : 65))
        #expect(finished.output.first?.contains("\"ok\":\(isMessage)") == true, "\(finished.output)")
    }

    // MARK: - Errors

    @Test(arguments: [
        ("D1010G", #"the message, character 6: "G" is not a hexadecimal digit; use --base64 or --binary"#),
        ("D1 0", #"the message, character 4: "0" is a single digit, but a byte has two"#),
        ("D1 0 1", #"the message, character 4: "0" is a single digit"#),
        ("D1\n01 5\u{E9}", #"the message, line 2, character 5: "é" is not a hexadecimal digit"#),
        ("D1\u{1B}", #"the message, character 3: "\u{1B}" is not a hexadecimal digit"#),
        ("0QE%", #"the message, character 4: "%" is neither hexadecimal nor base64"#),
        ("0QEMV", #"the message, character 5: the text is truncated after "V""#),
        ("0QEMVR", "the message, character 6: the last bits belong to no byte"),
        ("0QEMVQ=", "the message, character 7: wrong number of padding characters"),
        ("0QEMVQ==x", #"the message, character 9: "x" follows the padding"#),
    ])
    func `an invalid character is reported with its position, and the exit code is 65`(
        text: String, message: String
    ) async throws {
        let finished = try await Self.decode(text)
        #expect(finished.status == 65)
        #expect(finished.output.isEmpty)
        #expect(finished.errors.count == 1)
        let line = try #require(finished.errors.first)
        #expect(line.hasPrefix("nfcctl: \(message)"), "\(line)")
        #expect(line.hasSuffix("(NOT_HEXADECIMAL)") || line.hasSuffix("(NOT_BASE64)"), "\(line)")

        let json = try await Self.decode("--json", text)
        #expect(json.status == 65)
        #expect(json.errors.isEmpty)
        #expect(json.output.first?.hasPrefix(#"{"error":{"code":"NOT_"#) == true, "\(json.output)")
    }

    @Test func `an invalid file is reported with its name`() async throws {
        let scratch = try Scratch()
        let file = try scratch.file("message", "D1 01\n0x 5")
        let finished = try await Self.decode("--file", file)
        #expect(finished.status == 65)
        #expect(
            finished.errors.first?.hasPrefix("nfcctl: \(file), line 2, character 4: \"5\" is a single digit") == true)
    }

    @Test(arguments: [
        ("/nonexistent/message", "No such file or directory"), ("/", "Is a directory"),
    ])
    func `exits with 66 if the file cannot be read`(path: String, reason: String) async throws {
        for arguments in [["--file", path], ["--file", path, "--json"]] {
            let finished = try await run([Programs.nfcctl, "ndef", "decode"] + arguments)
            #expect(finished.status == 66)
            #expect(finished.errors == ["nfcctl: cannot read \(path): \(reason)"])
            #expect(finished.output.isEmpty)
        }
    }

    @Test func `exits with 65 if the file is too long`() async throws {
        let finished = try await Self.decode("--file", "/dev/zero")
        #expect(finished.status == 65)
        #expect(finished.errors.first?.hasPrefix("nfcctl: /dev/zero exceeds the limit of ") == true)
    }

    @Test(arguments: [
        ["D0", "--file", "x"], ["D0", "--binary"], ["--hex", "--base64", "D0"], ["--json", "--full", "D0"],
        ["--stdin-lines"], ["--stdin-lines", "--json", "D0"], ["--stdin-lines", "--json", "--file", "x"],
        ["--stdin-lines", "--json", "--base64"], ["D0", "00", "00"], ["--file"],
    ])
    func `exits with 64 for options that cannot be combined`(arguments: [String]) async throws {
        let finished = try await run([Programs.nfcctl, "ndef", "decode"] + arguments)
        #expect(finished.status == 64)
        #expect(finished.errors.first?.hasPrefix("Error: ") == true)
    }

    @Test func `exits with 64 without a message on a terminal, and shows an example`() async throws {
        let finished = try await run(["script", "-qec", "\(Programs.nfcctl) ndef decode", "/dev/null"])
        #expect(finished.status == 64)
        #expect(finished.output.first?.hasPrefix("Error: no message given; give one such as D101") == true)
    }

    // MARK: - Exit codes

    @Test(
        arguments: [
            (uri, 0), ("", 65), ("D1", 65), ("D10101550000", 65),
            // The payload is not a valid URI, but the message is valid.
            ("D1010155FF", 0),
        ] as [(String, Int32)])
    func `exits with 65 for an invalid message, with text and JSON output`(digits: String, status: Int32) async throws {
        for flag in ["--json", "--full"] {
            let finished = try await Self.decode(flag, digits)
            #expect(finished.status == status)
            #expect(finished.errors.isEmpty)
            #expect(!finished.output.isEmpty)
        }
    }

    @Test func `exits with 74 if the output cannot be written`() async throws {
        let finished = try await run(["sh", "-c", "'\(Programs.nfcctl)' ndef decode \(Self.uri) > /dev/full"])
        #expect(finished.status == 74)
        #expect(finished.errors == ["nfcctl: cannot write to standard output: No space left on device"])
    }

    @Test func `help has examples`() async throws {
        let finished = try await Self.decode("--help")
        #expect(finished.status == 0)
        #expect(finished.output.contains { $0.hasPrefix("USAGE: nfcctl ndef decode") })
        #expect(finished.output.count { $0.hasPrefix("  ") && $0.contains("nfcctl ndef decode") } >= 5)
        #expect(finished.output.allSatisfy { $0.count <= 80 || $0.hasPrefix("USAGE: ") })
    }
}
