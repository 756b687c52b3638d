import Foundation
import Testing

/// `--stdin-lines` and `--json-lines`, with interactive and bulk input.
@Suite(.timeLimit(.minutes(20)))
struct `Line by line` {
    static let decode = [Programs.nfcctl, "ndef", "decode", "--json", "--stdin-lines"]
    static let encode = [Programs.nfcctl, "ndef", "encode", "--json-lines"]

    @Test func `every line of hexadecimal is answered, including empty lines`() async throws {
        let good = "d1010c55046578616d706c652e636f6d"
        let lines = ["", "d1", "xx", good, "000", good.uppercased(), "d1 00 00", "0x\(good)", "é", good + "\r"]
        let finished = try await run(Self.decode, input: lines.joined(separator: "\n") + "\n")
        #expect(finished.status == 0)
        #expect(finished.errors.isEmpty)
        #expect(finished.output.count == lines.count)
        let expected = [
            "EMPTY_INPUT", "TRUNCATED_HEADER", "NOT_HEXADECIMAL", "\"ok\":true", "NOT_HEXADECIMAL", "\"ok\":true",
            "NOT_HEXADECIMAL", "NOT_HEXADECIMAL", "NOT_HEXADECIMAL", "\"ok\":true",
        ]
        for (line, text) in zip(finished.output, expected) { #expect(line.contains(text), "\(line)") }
        #expect(finished.output[3] == finished.output[5])
        #expect(
            finished.output[3]
                == #"{"ok":true,"records":[{"decoded":{"kind":"uri","uri":"https://example.com"},"identifier":"","#
                + #""payload":"046578616D706C652E636F6D","type":"55","typeNameFormat":"nfcWellKnown"}],"warnings":[]}"#)
    }

    @Test func `every line of JSON is answered`() async throws {
        let cases = [
            (#"{"records":[{"decoded":{"kind":"uri","uri":"tel:1"}}]}"#, #"{"ok":true,"hex":"D10102550531"}"#),
            ("", #"{"error":{"code":"INVALID_JSON","message":"the input is not JSON"},"ok":false}"#),
            (#"{"records":["#, #"{"error":{"code":"INVALID_JSON","message":"the input is not JSON"},"ok":false}"#),
            (
                #"{"records":[{},7]}"#,
                #"{"error":{"code":"INVALID_MESSAGE","message":"records[0].typeNameFormat: a record needs "#
                    + #"typeNameFormat, or decoded alone"},"ok":false}"#
            ),
            (
                #"{"ok":false,"error":{"code":"X"}}"#,
                #"{"error":{"code":"INVALID_MESSAGE","message":"records: required, but missing"},"ok":false}"#
            ),
            (
                #"{"records":[{"decoded":{"kind":"uri","uri":"\n"}}]}"#,
                #"{"error":{"code":"URI_CONTROL_CHARS","message":"records[0].decoded.uri: the URI contains control "#
                    + #"characters"},"ok":false}"#
            ),
            (
                #"{"records":[{"typeNameFormat":"empty","payload":"00"}]}"#,
                #"{"error":{"code":"EMPTY_RECORD_NOT_EMPTY","message":"record 1: an empty record has a type, an "#
                    + #"identifier or a payload"},"ok":false}"#
            ),
            (#"{"records":[],"ok":true,"warnings":["X"]}"#, #"{"ok":true,"hex":""}"#),
        ]
        let finished = try await run(Self.encode, input: cases.map(\.0).joined(separator: "\n"))
        #expect(finished.status == 0)
        #expect(finished.errors.isEmpty)
        #expect(finished.output == cases.map(\.1))
    }

    @Test(arguments: [
        (decode, "D10102550531", "\"ok\":true"), (decode, "D1", "\"ok\":false"),
        (encode, #"{"records":[{"decoded":{"kind":"uri","uri":"tel:1"}}]}"#, "D10102550531"),
        (encode, "", "\"ok\":false"),
    ])
    func `each line is answered before the next one is written`(command: [String], line: String, answer: String)
        async throws
    {
        let child = try ChildProcess(command)
        for _ in 0..<3 {
            child.send(Array("\(line)\n".utf8))
            #expect(try #require(await child.output.next()).contains(answer))
        }
        child.finishInput()
        #expect(await child.status() == 0)
    }

    @Test func `20,000 lines at once are decoded and encoded again`() async throws {
        // Alternately a URI record and a text record, each with its number.
        let messages = (0..<20_000).map { number in
            let digits = String(format: "%06d", number).utf8.map { String(format: "%02X", $0) }.joined()
            return number.isMultiple(of: 2) ? "D1010755" + "04" + digits : "D1010954" + "02656E" + digits
        }
        let decoded = try await run(Self.decode, input: messages.joined(separator: "\n") + "\n")
        #expect(decoded.status == 0)
        #expect(decoded.output.count == messages.count)
        #expect(decoded.output.allSatisfy { $0.hasPrefix(#"{"ok":true,"#) })
        #expect(decoded.output.last?.contains(#""text":"019999""#) == true)

        let encoded = try await run(Self.encode, input: decoded.output.joined(separator: "\n") + "\n")
        #expect(encoded.status == 0)
        #expect(encoded.output == messages.map { #"{"ok":true,"hex":"\#($0)"}"# })
    }

    @Test func `ends silently if the reader closes the pipe`() async throws {
        let pipe =
            "yes D10102550531 | head -n 20000 | '\(Programs.nfcctl)' ndef decode --json --stdin-lines | head -n 1"
        // The test process ignores SIGPIPE once swift-nio runs in it, and its children inherit that.
        let shell = ["env", "--default-signal=PIPE", "bash", "-c", "\(pipe); exit ${PIPESTATUS[2]}"]
        let finished = try await run(shell)
        #expect(finished.output.count == 1)
        #expect(finished.errors.isEmpty)
        #expect(finished.status == 141)
    }

    @Test func `a line that is too long is answered, and so is the next one`() async throws {
        let long = String(repeating: "0", count: 23_068_674)
        let finished = try await run(Self.decode, input: "\(long)\nD10102550531\n")
        #expect(finished.status == 0)
        #expect(finished.output.count == 2)
        #expect(finished.output.first?.contains("LIMIT_EXCEEDED") == true)
        #expect(finished.output.last?.contains(#""ok":true"#) == true)
    }

    @Test func `exits with 66 if standard input cannot be read`() async throws {
        let finished = try await run(["sh", "-c", "'\(Programs.nfcctl)' ndef decode --json --stdin-lines < /"])
        #expect(finished.status == 66)
        #expect(finished.errors == ["nfcctl: cannot read standard input: Is a directory"])
    }
}
