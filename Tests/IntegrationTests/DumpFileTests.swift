import Foundation
import Testing

/// Dump files held to readers as virtual tags.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct `Dump files as virtual tags` {
    /// File names, contents and the identifier of the tag; each has `https://a.b/c` on it.
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

    @Test func `what a file does not know has to be filled in`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let content = DumpFiles.classicJSON.replacing("FFFFFFFFFFFF\" }", with: "????????????\" }")
        let file = try daemon.scratch.file("holes.json", content)
        let refused = try await daemon.run("virtual-tag", file)
        #expect(refused.status == 65)
        #expect(
            refused.errors == [
                "nfcctl: \(file): Keys of sector 15, block 63: these bytes are not known, so no tag can be made; "
                    + "--fill 00 fills in what is not known"
            ])
        let tag = try await daemon.tap(file, "--fill", "FF")
        try await Self.expectMessage(daemon, "01020304")
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `mistakes are named with their place`() async throws {
        let scratch = try Scratch()
        let broken = DumpFiles.flipperNTAG213.replacing("Page 3: E1", with: "Page 3: E")
        let file = try scratch.file("broken.nfc", broken)
        let good = try scratch.file("good.nfc", DumpFiles.flipperNTAG213)
        let large = try scratch.file("large.bin", [UInt8](repeating: 0, count: 1_048_577))
        let rows: [([String], Int32, String)] = [
            ([file], 65, "nfcctl: \(file): line 13: Page 3: \"E 10 12 00\" is not a value for this field"),
            (["\(scratch.path)/absent.nfc"], 66, "absent.nfc cannot be read"),
            ([large], 65, "longer than 1048576 bytes"),
            ([good, "--uid", "04"], 64, "--uid is for a product"),
            ([good, "--text", "x"], 64, "a dump file has its own content"),
            ([good, "--fill", "000"], 64, "--fill takes one byte"),
            (["ntag213", "--fill", "00"], 64, "--fill is for a dump file"),
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
