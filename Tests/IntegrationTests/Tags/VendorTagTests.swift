import Foundation
import NFCProtocol
import Testing

/// Tags whose makers put data beside NDEF, through nfcd and nfcctl. Their memory is written from the descriptions of the formats.
@Suite(.timeLimit(.minutes(20)))
struct `The data of a maker` {
    struct Maker: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let format: String
        let name: String
        let block: Int
        let memory: [UInt8]
        var hasMessage = false
    }

    static let makers = [
        Maker(
            testDescription: "TigerTag", format: "tigertag", name: "a TigerTag", block: 4,
            memory: ntag213("E1101200 5BF59264 FFFFFFFF 954B68FF 8E38E120 BCBCBCFF 0003E815 00BE00F0 32082D37 3162E429")
        ),
        Maker(
            testDescription: "TigerTag+", format: "tigertag", name: "a TigerTag+", block: 4,
            memory: ntag213("E1101200 BC0FCB97 00001234 954B68FF 8E38E120 BCBCBCFF 0003E815 00BE00F0 32082D37 3162E429")
        ),
        Maker(
            testDescription: "Anycubic", format: "anycubic", name: "an Anycubic filament tag", block: 4,
            memory: ntag213(
                "E1101200 7B006500 41485042 4C422D31 30330000 00000000 00000000 41430000 00000000 00000000 00000000 00000000 "
                    + "504C4100 00000000 00000000 00000000 00000000 FF0000FF 00000000 00000000 00000000 BE00E600 00000000 00000000 "
                    + "00000000 00000000 32003C00 AF004A01 E8030000")),
        Maker(
            testDescription: "Elegoo", format: "elegoo", name: "an Elegoo filament tag", block: 16,
            memory: ntag213(
                "E1101200 0103A00C 34030FD1 010B5502 656C6567 6F6F2E63 6F6DFE00 00000000 00000000 00000000 00000000 00000000 00000000 "
                    + "36EEEEEE EE000000 80766500 00000000 106DD7FF 00BE00E6 00000000 00AF03E8 0036C800"),
            hasMessage: true),
        Maker(
            testDescription: "Qidi", format: "qidi", name: "a Qidi filament tag", block: 4,
            memory: classic(key: "FFFFFFFFFFFF", block4: "291401")),
    ]

    private static func bytes(_ text: String) -> [UInt8] {
        let digits = text.filter { $0 != " " }
        return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(digits.dropFirst($0).prefix(2), radix: 16) }
    }

    /// An NTAG213 from page 3 on.
    private static func ntag213(_ content: String) -> [UInt8] {
        // UID and check bytes: 88 ^ 53 ^ 11 ^ 22, 33 ^ 44 ^ 55 ^ 66.
        var memory = bytes("531122E8 33445566 44480000") + bytes(content)
        memory += [UInt8](repeating: 0, count: 160 - memory.count)
        return memory + bytes("000000BD 040000FF 00050000 00000000 00000000")
    }

    /// A MIFARE Classic 1K with one key for all sectors.
    private static func classic(key: String, block4: String) -> [UInt8] {
        let trailer = bytes(key + "FF078069" + key)
        var memory: [UInt8] = []
        for _ in 0..<16 { memory += [UInt8](repeating: 0, count: 48) + trailer }
        memory.replaceSubrange(0..<16, with: bytes("9BD05AF4 E5080400 044444844AA1A190"))
        memory.replaceSubrange(64..<64 + block4.count / 2, with: bytes(block4))
        return memory
    }

    private func json(_ daemon: DaemonUnderTest, _ arguments: String...) async throws -> JSONValue {
        let finished = try await daemon.run(arguments + ["--json"])
        return try JSONLine.decode(JSONValue.self, from: Data((finished.output.first ?? "").utf8))
    }

    @Test(arguments: makers)
    func `is named by info and read, and not overwritten without --force`(maker: Maker) async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let tag = try await daemon.tap([try daemon.scratch.file("tag.bin", maker.memory)])
        let place = "\(maker.name) from block \(maker.block) on"

        let info = try await daemon.run("info")
        #expect(info.status == 0, "\(info)")
        let row = info.output.first { $0.hasPrefix("Content  ") }
        #expect(row?.hasSuffix(maker.hasMessage ? "  NDEF, and \(place)" : "  \(place)") == true, "\(info)")
        let content: JSONValue = .object([
            "format": .string(maker.format), "name": .string(maker.name), "block": .integer(Int64(maker.block)),
        ])
        #expect(try await json(daemon, "info")["ndef"]?["content"] == content)

        let read = try await daemon.run("read")
        #expect(read.status == 0, "\(read)")
        let verb = maker.hasMessage ? "also holds" : "holds"
        #expect(read.output.contains("  \(verb) \(place); nfcctl spool show reads it"), "\(read)")
        #expect(try await json(daemon, "read")["content"] == content)

        let before = try await json(daemon, "dump")["sections"]
        let uri = "https://example.com/a/link/that/is/longer/than/the/old/one"
        let write = try await daemon.run("write", "--uri", uri)
        #expect(write.status == 74, "\(write)")
        #expect(write.errors.contains { $0.contains(maker.name) && $0.contains("--force overwrites it") }, "\(write)")
        let restricted = try await daemon.run("write", "--uri", uri, "--format")
        #expect(restricted.status == 74 && restricted.errors.contains { $0.contains(maker.name) }, "\(restricted)")
        let format = try await daemon.run("format")
        // A tag with a message is formatted, and keeps everything.
        #expect(format.status == (maker.hasMessage ? 0 : 74), "\(format)")
        if !maker.hasMessage {
            #expect(
                format.errors.contains { $0.contains("the memory holds \(place); it is not overwritten") }, "\(format)")
        }
        #expect(try await json(daemon, "dump")["sections"] == before)

        let forced = try await daemon.run("write", "--uri", uri, "--force", "--verify")
        #expect(forced.status == 0, "\(forced)")
        let after = try await daemon.run("read")
        #expect(after.output.contains("  1  URI \(uri)") && !after.output.contains { $0.contains("holds") }, "\(after)")
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `behind a message is kept by every client of the socket, unless it says otherwise`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let maker = try #require(Self.makers.first { $0.hasMessage })
        // The tag first: it takes a busy machine longer than the session lasts.
        let tag = try await daemon.tap([try daemon.scratch.file("tag.bin", maker.memory)])
        let client = try LineClient(path: daemon.socket)
        let session = try await client.result("session.begin", #"{"kind":"ndef","detection":"tags"}"#)["session"]
        guard case .array(let tags)? = try await client.notification("session.didDetectTags")["tags"],
            case .string(let name)? = tags.first?["tag"], case .string(let session)? = session
        else { throw TestError("no session, or no tag") }
        let address = #""session":"\#(session)","tag":"\#(name)""#
        _ = try await client.result("session.connect", "{\(address)}")
        let payload = "03" + String(repeating: "61", count: 60)
        let message = #""message":{"records":[{"typeNameFormat":"nfcWellKnown","type":"55","payload":"\#(payload)"}]}"#
        let refused = try await client.call("tag.writeNDEF", "{\(address),\(message)}")
        #expect(refused["error"]?["code"] == 1, "\(refused)")
        let detail =
            "the message would overwrite an Elegoo filament tag from block 16 on; it is not overwritten unasked"
        #expect(refused["error"]?["data"]?["detail"] == .string(detail), "\(refused)")
        let read = try await client.result("tag.readNDEF", #"{\#(address),"content":true}"#)
        #expect(read["content"]?["format"] == "elegoo", "\(read)")
        #expect(try await client.result("tag.readNDEF", "{\(address)}")["content"] == nil)
        _ = try await client.result("tag.writeNDEF", #"{\#(address),\#(message),"overwrite":true}"#)
        let after = try await client.result("tag.queryNDEFStatus", #"{\#(address),"content":true}"#)
        #expect(after["status"] == "readWrite" && after["content"] == nil, "\(after)")
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `under keys that are not public is not named falsely`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let memory = Self.classic(key: "112233445566", block4: "")
        let tag = try await daemon.tap([try daemon.scratch.file("tag.bin", memory)])
        let info = try await daemon.run("info")
        #expect(info.status == 0, "\(info)")
        let row = info.output.drop { !$0.hasPrefix("Content  ") }.prefix(4).joined(separator: " ")
        #expect(row.contains("unknown: ") && row.contains("Bambu"), "\(info)")
        #expect(try await json(daemon, "info")["ndef"]?["content"] == nil)
        #expect(try await daemon.run("read").status == 0)
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test(arguments: [
        ["ultralight-ev1-11"], ["ntag213"], ["slix2"], ["type4", "--uri", "https://a.b"], ["felica-lite-s"],
        ["mifare-classic-1k"],
    ])
    func `is a row of info on every tag`(model: [String]) async throws {
        let daemon = try await DaemonUnderTest(
            simulatedReaders: 1, model: model[0] == "slix2" ? "acr1552u" : "acr122u")
        let tag = try await daemon.tap(model)
        let info = try await daemon.run("info")
        #expect(info.status == 0 && info.output.contains { $0.hasPrefix("Content  ") }, "\(info)")
        await tag.end(SIGINT)
        await daemon.process.end()
    }
}

/// `nfcctl dump` and OpenPrintTag on a Type 5 Tag.
@Suite(.timeLimit(.minutes(20)))
struct `The memory of a Type 5 Tag` {
    @Test func `is saved raw, or as proxmark3 has it by the name of the file`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1, model: "acr1552u")
        let tag = try await daemon.tap(["slix2"] + `The tag of a spool`.record)
        let folder = daemon.scratch.path
        var bytes: [String: [UInt8]] = [:]
        for name in ["spool.bin", "hf-15-E004010812345678-dump.bin"] {
            let saved = try await daemon.run("dump", "--output", "\(folder)/\(name)")
            #expect(saved.status == 0, "\(saved)")
            bytes[name] = [UInt8](try Data(contentsOf: URL(filePath: "\(folder)/\(name)")))
        }
        #expect(bytes["spool.bin"]?.count == 320 && bytes["spool.bin"]?.prefix(2) == [0xE1, 0x40])
        #expect(bytes["hf-15-E004010812345678-dump.bin"]?.count == 2235)
        for name in bytes.keys {
            let restored = try await daemon.run("restore", "--memory", "\(folder)/\(name)")
            #expect(restored.status == 0 && restored.output.contains { $0.contains("0 of 79 blocks") }, "\(restored)")
        }
        let decoded = try await daemon.run("ndef", "decode", "--file", "\(folder)/spool.bin")
        #expect(decoded.status == 65 && decoded.errors.contains { $0.contains("the memory of a tag") }, "\(decoded)")
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `is warned about where a message moves an OpenPrintTag off its blocks`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1, model: "acr1552u")
        let tag = try await daemon.tap("slix2")
        let made = try await daemon.run(
            "spool", "new", "material_type=PETG", "--format", "--uri", "https://example.com/s/42")
        #expect(made.status == 0 && !made.errors.contains { $0.contains("off the blocks") }, "\(made)")
        let file = "\(daemon.scratch.path)/spool.json"
        let read = try await daemon.run("read", "--json")
        for (uri, isMoved) in [("s/42", false), ("s/43", false), ("s/4", true), ("s", true), ("", false)] {
            let other = read.output.joined().replacing("example.com/s/42", with: "example.com/\(uri)")
            let raw = other.replacing(Self.hex("example.com/s/42"), with: Self.hex("example.com/\(uri)"))
            try Data(raw.utf8).write(to: URL(filePath: file))
            let written = try await daemon.run("write", "--file", file)
            #expect(written.status == 0, "\(uri): \(written)")
            #expect(
                written.errors.contains { $0.contains("off the blocks of the tag") } == isMoved, "\(uri): \(written)")
        }
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    private static func hex(_ text: String) -> String {
        text.utf8.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined().uppercased()
    }
}
