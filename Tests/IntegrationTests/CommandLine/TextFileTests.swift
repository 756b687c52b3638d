import Foundation
import Testing

@testable import nfcctl

/// Text from files, arguments and standard input is taken exactly or refused.
@Suite(.timeLimit(.minutes(20)))
struct `Text that is not UTF-8` {
    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = Array(hexadecimal)
        return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) }
    }

    // MARK: Files

    @Test(arguments: [
        ("4D4DFC", "line 1, column 3: byte 0xFC is not UTF-8"), ("C3A40AFF", "line 2, column 1: byte 0xFF"),
        ("610D0A62C3", "line 2, column 2: byte 0xC3"), ("C3A4C3A4E4", "line 1, column 3: byte 0xE4"),
        // An overlong form, a surrogate, and a character beyond Unicode (RFC 3629, section 3).
        ("61C080", "line 1, column 2: byte 0xC0"), ("EDA080", "column 1: byte 0xED"),
        ("F4908080", "column 1: byte 0xF4"),
        ("610062", "line 1, column 2: a NUL character"), ("FFFE00D8", "surrogate"), ("FEFF0061AA", "odd number"),
        ("504B0304", "(.xlsx, .ods, .numbers)"), ("D0CF11E0A1B11AE1", "(.xls)"),
    ])
    func `is refused with its place`(content: String, reason: String) {
        let error = #expect(throws: TextError.self) { try TextContent(Self.bytes(content)) }
        #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
    }

    @Test(arguments: [
        ("EFBBBF61", nil, "a"), ("FFFE6100FC00", nil, "aü"), ("FEFF006100FC", nil, "aü"), ("", nil, ""),
        ("4DFC80", "windows-1252", "Mü€"), ("4DFC", "latin1", "Mü"), ("6100", "utf-16le", "a"),
        ("0061", "utf-16be", "a"),
        // A byte order mark takes precedence.
        ("EFBBBFC3A4", "cp1252", "ä"), ("FFFE3DD800DE", nil, "😀"),
    ])
    func `is converted if its encoding is known`(content: String, declared: String?, text: String) throws {
        let content = try TextContent(Self.bytes(content), declared: declared.flatMap(TextEncoding.init(ofTable:)))
        #expect(content.text == text)
    }

    @Test(arguments: TextEncoding.allCases)
    func `is written in its encoding`(encoding: TextEncoding) throws {
        let text = "Müller;é\r\n"
        let bytes = encoding.bytes(of: text)
        #expect(try TextContent(encoding.mark + bytes, declared: encoding).text == text)
        #expect(TextEncoding.windows1252.bytes(of: "€Ł\u{81}") == [0x80] + Array(#"\u{141}\u{81}"#.utf8))
    }

    // MARK: Arguments

    /// Runs nfcctl with an argument in bytes, given in octal for the shell's printf.
    private func encode(_ option: String, _ octal: String) async throws -> Finished {
        try await run([
            "/bin/sh", "-c", #"exec "$0" ndef encode "$1" "$(printf "$2")""#, Programs.nfcctl, option, octal,
        ])
    }

    @Test(arguments: ["--text", "--uri", "--wifi", "--contact", "--mime", "--aar", "--record", "--file", "--tel"])
    func `is not an argument`(option: String) async throws {
        let finished = try await encode(option, #"M\374ller"#)
        #expect(finished.status == 64 && finished.output.isEmpty, "\(finished)")
        let reason = #"nfcctl: argument 4 is not UTF-8: byte 0xFC at its column 2, in M\xFCller."#
        #expect(finished.errors.first?.hasPrefix(reason) == true, "\(finished)")
    }

    @Test func `that is UTF-8 is an argument, and what was typed as U+FFFD stays`() async throws {
        let finished = try await encode("--text", #"\303\274\357\277\275"#)
        #expect(finished.output == ["D101085402656EC3BCEFBFBD"], "\(finished)")
    }

    @Test(arguments: [Programs.nfcctl, Programs.nfcd, Programs.relay, Programs.fido, Programs.web])
    func `is not an argument of any program, nor a variable`(program: String) async throws {
        let argument = try await run(
            ["/bin/sh", "-c", #"exec "$0" --config "$(printf 'a\377')" --check"#, program])
        #expect(
            argument.status == 64 && argument.errors.first?.contains("argument 2 is not UTF-8") == true, "\(argument)")
        let variable = try await run(
            ["/bin/sh", "-c", #"NFCD_SOCKET="$(printf '/tmp/\377')" exec "$0" --version"#, program])
        #expect(variable.status == 64, "\(variable)")
        #expect(
            variable.errors.first?.contains("NFCD_SOCKET is not UTF-8: byte 0xFF at column 6") == true, "\(variable)")
    }

    // MARK: JSON

    @Test(arguments: [
        #"{"records":[{"decoded":{"kind":"text","language":"en","text":"\377"}}]}"#,
        #"{"records":[{"decoded":{"kind":"text","language":"en","text":"\\ud83d"}}]}"#,
        #"{"records":[{"decoded":{"kind":"text","language":"en","text":"\\ude00"}}]}"#,
    ])
    func `and half a surrogate pair are not JSON`(json: String) async throws {
        for option in ["--json", "--json-lines"] {
            let finished = try await run([
                "/bin/sh", "-c", #"printf "$1" | "$0" ndef encode "$2""#, Programs.nfcctl, json, option,
            ])
            #expect(finished.output.first?.contains(#""ok":false"#) == true || finished.status == 65, "\(finished)")
            #expect(finished.output.allSatisfy { !$0.contains(#""ok":true"#) }, "\(finished)")
        }
    }

    // MARK: Byte order marks

    @Test func `a byte order mark is not part of a vCard or a line`() async throws {
        let scratch = try Scratch()
        let card = "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ada\r\nEND:VCARD\r\n"
        let plain = try await run(
            [Programs.nfcctl, "ndef", "encode", "--vcard", try scratch.file("a.vcf", card)])
        for encoding in [TextEncoding.utf8, .utf16LittleEndian, .utf16BigEndian] {
            let file = try scratch.file("\(encoding).vcf", encoding.mark + encoding.bytes(of: card))
            let marked = try await run([Programs.nfcctl, "ndef", "encode", "--vcard", file])
            #expect(marked.output == plain.output && marked.errors.isEmpty && plain.status == 0, "\(marked)")
        }
        let latin = try await run([
            Programs.nfcctl, "ndef", "encode", "--vcard", try scratch.file("l.vcf", Array("FN:".utf8) + [0xE4]),
        ])
        #expect(latin.status == 65 && latin.errors.first?.contains("l.vcf, line 1, column 4: byte 0xE4") == true)
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let lines = try await run(
            [Programs.nfcctl, "ndef", "decode", "--json", "--stdin-lines"], input: mark + "D00000\r\nD00000\n".utf8)
        #expect(lines.output.count == 2 && lines.output.allSatisfy { $0.contains(#""ok":true"#) }, "\(lines)")
        let json = #"{"records":[{"decoded":{"kind":"uri","uri":"tel:1"}}]}"#
        for option in ["--json", "--json-lines"] {
            let encoded = try await run([Programs.nfcctl, "ndef", "encode", option], input: mark + "\(json)\n".utf8)
            #expect(encoded.output == [#"{"ok":true,"hex":"D101025505 31"}"#.replacing(" ", with: "")], "\(encoded)")
        }
    }
}
