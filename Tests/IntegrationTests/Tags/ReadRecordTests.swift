import Foundation
import Testing

/// Texts and payloads of records, with `nfcctl read`.
@Suite(.timeLimit(.minutes(20)))
struct `Reading a record` {
    /// A message with a record for each type and payload, as hexadecimal digits.
    static func message(_ records: [(type: String, payload: [UInt8])]) -> String {
        records.enumerated().flatMap { index, record -> [UInt8] in
            let flags: UInt8 = (index == 0 ? 0x80 : 0) | (index == records.count - 1 ? 0x40 : 0)
            let size = UInt32(record.payload.count).bigEndian
            return [flags | 0x02, UInt8(record.type.utf8.count)] + withUnsafeBytes(of: size, Array.init)
                + Array(record.type.utf8) + record.payload
        }.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    static let card = "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ada \u{1B}[2J\r\nEND:VCARD\r\n"
    static let records: [(String, [UInt8])] = [
        ("text/plain", Array("first\nse\u{202E}cond\u{7}".utf8)), ("application/json", Array(#"{"a":"é"}"#.utf8)),
        ("text/vcard", Array(card.utf8)), ("application/ld+json; charset=utf-8", Array("[1]".utf8)),
        ("text/plain", [0x4D, 0xFC, 0x6C]), ("application/octet-stream", [0, 1, 2, 255]),
        ("TEXT/CSV", Array((1...20).map { "line \($0)\n" }.joined().utf8)),
        ("text/html", Array(String(repeating: "x", count: 300).utf8)), ("image/png", Array("not text".utf8)),
    ]

    @Test func `text, JSON and contacts are shown, escaped and limited`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let tag = try await daemon.tap("ntag216", "--ndef", Self.message(Self.records.map { ($0.0, $0.1) }))
        let read = try await daemon.run("read")
        #expect(read.status == 0, "\(read.errors)")
        let text = read.output
        for line in [
            "first", #"se\u{202E}cond\u{7}"#, #"{"a":"é"}"#, "BEGIN:VCARD", #"FN:Ada \u{1B}[2J"#, "[1]",
            "not UTF-8; save it with --record 5 --output FILE", "line 12",
            "… save all of it with --record 7 --output FILE", String(repeating: "x", count: 160),
            "… save all of it with --record 8 --output FILE",
        ] {
            #expect(text.contains("       \(line)"), "\(line) is missing in \(text)")
        }
        #expect(!text.contains("       line 13") && !text.contains("       not text"))
        #expect(!text.joined().unicodeScalars.contains { $0.value < 0x20 || $0 == "\u{202E}" })
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `each payload is saved as it is on the tag`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let tag = try await daemon.tap("ntag216", "--ndef", Self.message(Self.records.map { ($0.0, $0.1) }))
        for (index, record) in Self.records.enumerated() {
            let file = "\(daemon.scratch.path)/payload\(index)"
            let saved = try await daemon.run("read", "--record", "\(index + 1)", "--output", file)
            #expect(saved.status == 0, "\(saved.errors)")
            #expect(try Array(Data(contentsOf: URL(filePath: file))) == record.1)
        }
        let printed = try await daemon.run("read", "--record", "7", "--output", "-")
        #expect(printed.output == (1...20).map { "line \($0)" })
        let absent = "\(daemon.scratch.path)/absent"
        let refused = try await daemon.run("read", "--record", "10", "--output", absent)
        #expect(refused.status == 65)
        #expect(refused.errors == ["nfcctl: there is no record 10: the tag holds 9 records"])
        #expect(!FileManager.default.fileExists(atPath: absent))
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `an existing file is kept unless --force is given, and no part of a file is left`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let file = try daemon.scratch.file("kept", "kept")
        // Refused before a tag is needed.
        let early = try await run(
            [Programs.nfcctl, "read", "--record", "1", "--output", file],
            environment: ["NFCD_SOCKET": "/nonexistent/nfcd.sock"])
        #expect(early.status == 73)
        #expect(early.errors == ["nfcctl: cannot create \(file): it already exists; use --force to replace it"])
        let tag = try await daemon.tap("ntag216", "--ndef", Self.message([("text/plain", Array("new".utf8))]))
        let link = "\(daemon.scratch.path)/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
        #expect(try await daemon.run("read", "--record", "1", "--output", link, "--force").status == 0)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "new")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == file)
        let full = try await daemon.run("read", "--record", "1", "--output", "/dev/full", "--force")
        #expect(full.status == 74, "\(full)")
        let nowhere = try await daemon.run("read", "--record", "1", "--output", "/nonexistent/file")
        #expect(nowhere.status == 73, "\(nowhere)")
        let names = try FileManager.default.contentsOfDirectory(atPath: daemon.scratch.path)
        #expect(!names.contains { $0.hasPrefix("kept.") || $0.hasPrefix("link.") }, "\(names)")
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test(arguments: [
        ["--record", "1"], ["--output", "x"], ["--record", "0", "--output", "x"], ["--force"],
        ["--record", "1", "--output", "-", "--json"],
    ])
    func `options that make no sense together are refused`(arguments: [String]) async throws {
        #expect(try await run([Programs.nfcctl, "read"] + arguments).status == 64)
    }
}
