import Foundation
import Testing

/// Virtual tags from dump files.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct `Dump files as virtual tags` {
    /// File names, contents and identifiers of tags; the message of each is `https://a.b/c`.
    static let files: [(name: String, content: String, identifier: String)] = [
        ("ntag213.nfc", DumpFiles.flipperNTAG213, "04112233445580"),
        ("card.json", DumpFiles.classicJSON, "01020304"),
        ("slix.nfc", DumpFiles.flipperSLIX, "E004011011223344"),
        ("files.json", DumpFiles.type4JSON, "04112233445580"),
    ]

    @Test(arguments: files)
    func `are read from a simulated reader`(name: String, content: String, identifier: String) async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let tag = try await daemon.tap(try daemon.scratch.file(name, content))
        try await Self.expectMessage(daemon, identifier)
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test(arguments: files)
    func `are read through pcscd`(name: String, content: String, identifier: String) async throws {
        let pcsc = try await PrivatePCSC()
        let daemon = try await DaemonUnderTest(pcsc)
        let tag = try await daemon.tap(try daemon.scratch.file(name, content), "--vpcd", "127.0.0.1:35963")
        try await daemon.wait(for: "tagArrived")
        try await Self.expectMessage(daemon, identifier)
        await tag.end(SIGINT)
        await daemon.process.end()
        await pcsc.end()
    }

    @Test func `missing bytes have to be filled`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let content = DumpFiles.classicJSON.replacing("FFFFFFFFFFFF\" }", with: "????????????\" }")
        let file = try daemon.scratch.file("holes.json", content)
        let refused = try await daemon.run("virtual-tag", file)
        #expect(refused.status == 65)
        #expect(
            refused.errors == [
                "nfcctl: \(file): Keys of sector 15, block 63: these bytes are not known, so no tag can be made; "
                    + "use --fill 00 to set missing bytes to 00"
            ])
        let tag = try await daemon.tap(file, "--fill", "FF")
        try await Self.expectMessage(daemon, "01020304")
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `errors are reported with their position`() async throws {
        let scratch = try Scratch()
        let broken = DumpFiles.flipperNTAG213.replacing("Page 3: E1", with: "Page 3: E")
        let file = try scratch.file("broken.nfc", broken)
        let good = try scratch.file("good.nfc", DumpFiles.flipperNTAG213)
        let large = try scratch.file("large.bin", [UInt8](repeating: 0, count: 1_048_577))
        let rows: [([String], Int32, String)] = [
            ([file], 65, "nfcctl: \(file): line 13: Page 3: \"E 10 12 00\" is not a value for this field"),
            (["\(scratch.path)/absent.nfc"], 66, "/absent.nfc: No such file"),
            ([large], 65, "exceeds the limit of 1048576 bytes"),
            ([good, "--uid", "04"], 64, "--uid requires a product"),
            ([good, "--text", "x"], 64, "a dump file includes the content"),
            ([good, "--fill", "000"], 64, "--fill requires one byte"),
            (["ntag213", "--fill", "00"], 64, "--fill requires a dump file"),
            (["teapot"], 65, "there is no virtual tag model \"teapot\""),
        ]
        for (arguments, status, text) in rows {
            let outcome = try await run([Programs.nfcctl, "virtual-tag"] + arguments)
            #expect(outcome.status == status, "\(arguments) \(outcome.errors)")
            #expect(outcome.errors.joined(separator: "\n").contains(text), "\(outcome.errors)")
        }
    }

    private static func expectMessage(_ daemon: DaemonUnderTest, _ identifier: String) async throws {
        let read = try await daemon.run("read", "--json")
        let line = Data((read.output.first ?? "").utf8)
        let answer = try #require(
            try? JSONSerialization.jsonObject(with: line) as? [String: Any], "\(read.output) \(read.errors)")
        #expect((answer["tag"] as? [String: Any])?["identifier"] as? String == identifier, "\(answer)")
        let records = (answer["message"] as? [String: Any])?["records"] as? [[String: Any]]
        #expect((records?.first?["decoded"] as? [String: Any])?["uri"] as? String == "https://a.b/c", "\(answer)")
    }
}

/// Dump files of tags with the message `https://a.b/c`, written according to the specifications of the tags.
enum DumpFiles {
    /// Message TLV and Terminator TLV.
    private static let content = bytes("030A D10106550461 2E622F63 FE")

    private static func bytes(_ text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// Upper-case hexadecimal, padded with zeros to `size` bytes.
    private static func text(_ bytes: [UInt8], size: Int = 0, separator: String = " ") -> String {
        (bytes + [UInt8](repeating: 0, count: max(size - bytes.count, 0))).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined(separator: separator)
    }

    /// The pages or blocks of a memory.
    private static func units(_ memory: [UInt8], size: Int, count: Int) -> [[UInt8]] {
        (0..<count).map { number in
            let unit = Array(memory.dropFirst(number * size).prefix(size))
            return unit + [UInt8](repeating: 0, count: size - unit.count)
        }
    }

    static let flipperNTAG213: String = {
        let head = bytes("041122BF 33445580 A2480000 E1101200 0103A00C34") + content
        var pages = units(head, size: 4, count: 45)
        pages.replaceSubrange(40..., with: units(bytes("000000BD 040000FF 00050000 FFFFFFFF"), size: 4, count: 5))
        return """
            Filetype: Flipper NFC device
            Version: 4
            Device type: NTAG/Ultralight
            UID: 04 11 22 33 44 55 80
            ATQA: 00 44
            SAK: 00
            NTAG/Ultralight type: NTAG213
            Mifare version: 00 04 04 02 01 00 0F 03
            Pages total: 45

            """ + pages.enumerated().map { "Page \($0.offset): \(text($0.element))\n" }.joined()
    }()

    static let flipperSLIX = """
        Filetype: Flipper NFC device
        Version: 4
        Device type: ISO15693-3
        UID: E0 04 01 10 11 22 33 44
        DSFID: 00
        AFI: 00
        IC Reference: 01
        Lock DSFID: false
        Lock AFI: false
        Block Count: 28
        Block Size: 04
        Data Content: \(text(bytes("E1400E01") + content, size: 112))
        Security Status: \(text([], size: 28))

        """

    /// MIFARE Classic 1K with MAD1 in sector 0 and NFC Forum sectors.
    static let classicJSON: String = {
        let directory = bytes("1401") + (0..<15).flatMap { _ in bytes("03E1") }
        let manufacturer = bytes("01020304 04 08 0400") + [UInt8](repeating: 0, count: 8)
        var blocks = units(manufacturer + directory, size: 16, count: 64)
        for block in stride(from: 3, to: 64, by: 4) { blocks[block] = bytes("D3F7D3F7D3F7 7F078840 FFFFFFFFFFFF") }
        blocks[3] = bytes("A0A1A2A3A4A5 787788C1 FFFFFFFFFFFF")
        blocks[4] = content + [UInt8](repeating: 0, count: 16 - content.count)
        let fields = blocks.enumerated().map { "\"\($0.offset)\": \"\(text($0.element, separator: ""))\"" }
        return """
            { "Created": "proxmark3", "FileType": "mfc v2",
              "Card": { "UID": "01020304", "ATQA": "0400", "SAK": "08" },
              "blocks": { \(fields.joined(separator: ", ")) } }
            """
    }()

    /// The message file has 32 bytes and begins with the length of the message.
    static let type4JSON = """
        { "FileType": "nfcd type4", "Card": { "UID": "04112233445580" },
          "files": { "E103": "000F20003B00340406E10400200000",
            "E104": "\(text(bytes("000A") + content.dropFirst(2).dropLast(), size: 32, separator: ""))" } }
        """
}
