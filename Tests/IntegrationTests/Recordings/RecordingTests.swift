import Foundation
import Testing

/// Recordings of Tests/Recordings, and those that programs make.
@Suite(.timeLimit(.minutes(20)))
struct `Recordings of sessions` {
    /// What a recording has to lead to.
    struct Expectation: Decodable {
        let command: [String]
        let exit: Int32
        let output: [String]
    }

    static var names: [String] {
        let folder = Repository.file("Tests/Recordings")
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return files.filter { $0.hasSuffix(".jsonl") }.map { String($0.dropLast(".jsonl".count)) }.sorted()
    }

    @Test func `there are ten recordings`() { #expect(Self.names.count >= 10) }

    @Test(arguments: names)
    func `a replayed session has the recorded result, and sends no other command`(_ name: String) async throws {
        let file = Repository.file("Tests/Recordings/\(name).expected.json")
        let expected = try JSONDecoder().decode(Expectation.self, from: try Data(contentsOf: file))
        let daemon = try await DaemonUnderTest(replaying: Repository.file("Tests/Recordings/\(name).jsonl").path)
        let run = try await daemon.run(expected.command)
        #expect(run.status == expected.exit, "\(run.errors)")
        #expect(run.output == expected.output)
        await daemon.process.end()
        #expect(!daemon.process.errors.all.contains { $0.contains("was not recorded") })
    }

    /// The card of other authors was given the PIN 1234.
    @Test func `the PIN of a foreign card is not in its recording`() throws {
        let file = Repository.file("Tests/Recordings/vicc-iso7816-pin.jsonl")
        let text = try String(contentsOf: file, encoding: .utf8).uppercased()
        #expect(text.contains("0020000008****************"))
        #expect(!text.contains("313233344E"))
    }

    @Test func `a session is recorded through the socket, and gives the same result without the tag`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1, model: "acr122u")
        let file = "\(daemon.scratch.path)/tag.jsonl"
        let recorder = try daemon.start("record", "--output", file, "--with-content")
        #expect(await recorder.errors.next(containing: "recording to") != nil)
        let scan = try await daemon.startScan("--count", "1")
        let tag = try await daemon.tap("ntag215", "--uri", "https://example.com/recorded")
        let line = try #require(await scan.output.next())
        #expect(await scan.status() == 0)
        await tag.end(SIGINT)
        recorder.signal(SIGINT)
        #expect(await recorder.status() == 0, "\(recorder.errors.all)")
        await daemon.process.end()

        let replay = try await DaemonUnderTest(replaying: file)
        let again = try await replay.run("scan", "--json", "--count", "1")
        #expect(again.status == 0, "\(again.errors)")
        #expect(again.output.first?.contains("https://example.com/recorded") == true)
        #expect(again.output.first?.contains(#""type":"miFare""#) == line.contains(#""type":"miFare""#))
        await replay.process.end()
        #expect(!replay.process.errors.all.contains { $0.contains("was not recorded") })
    }

    @Test func `a password and contents are not in a recording`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1, model: "acr122u")
        let file = "\(daemon.scratch.path)/tag.jsonl"
        let recorder = try daemon.start("record", "--output", file)
        #expect(await recorder.errors.next(containing: "recording to") != nil)
        let tag = try await daemon.tap("ntag215", "--uri", "https://secret.example/patient-4711")
        #expect(try await daemon.run("transceive", "1BDEADBEEF").status != 64)
        #expect(try await daemon.run("read", "--json").status == 0)
        await tag.end(SIGINT)
        recorder.signal(SIGINT)
        #expect(await recorder.status() == 0, "\(recorder.errors.all)")
        await daemon.process.end()
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains("1B********"))
        #expect(!text.uppercased().contains("DEADBEEF"))
        let content = Data("patient".utf8).map { String(format: "%02X", $0) }.joined()
        #expect(!text.uppercased().contains(content))
        #expect(text.contains(#""event":"end""#))
    }

    @Test func `nfcd --record writes from the start on, and replaces no file`() async throws {
        let scratch = try Scratch()
        let file = "\(scratch.path)/all.jsonl"
        let daemon = try await DaemonUnderTest(simulatedReaders: 1, options: ["--record", file])
        let tag = try await daemon.tap("type4", "--uri", "https://example.com")
        #expect(try await daemon.run("read").status == 0)
        await tag.end(SIGINT)
        await daemon.process.end()
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.hasPrefix(#"{"content":false,"event":"recording""#))
        #expect(text.contains(#""event":"transmit""#))
        #expect(text.hasSuffix("\n") && text.contains(#""event":"end""#))
        let again = try await run([
            Programs.nfcd, "--simulator", "1", "--socket", "\(scratch.path)/s", "--record", file,
        ])
        #expect(again.status != 0)
        #expect(again.errors.contains { $0.contains("cannot be created") })
    }

    @Test func `virtual-tag presents a recording, and a reader of another model is refused`() async throws {
        let file = Repository.file("Tests/Recordings/acr122u-ntag216-text.jsonl").path
        let daemon = try await DaemonUnderTest(simulatedReaders: 1, model: "acr122u")
        let scan = try await daemon.startScan("--count", "1")
        let tag = try await daemon.tap("--recording", file)
        #expect(await scan.status() == 0)
        #expect(scan.output.all.first?.contains("Hello Hello") == true)
        await tag.end(SIGINT)
        await daemon.process.end()
        let other = try await DaemonUnderTest(simulatedReaders: 1)
        let refused = try await other.run("virtual-tag", "--recording", file)
        #expect(refused.status != 0)
        #expect(refused.errors.contains { $0.contains("--simulator-model acr122u") })
        await other.process.end()
    }

    @Test func `a recording is exported`() async throws {
        let file = Repository.file("Tests/Recordings/acr122u-ntag216-text.jsonl").path
        let scratch = try Scratch()
        let capture = "\(scratch.path)/tag.pcap"
        let export = try await run([Programs.nfcctl, "record", "export", file, "--to", "pcap", "--output", capture])
        #expect(export.status == 0, "\(export.errors)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: capture)).starts(with: [0xA1, 0xB2, 0xC3, 0xD4]))
        let log = try await run([Programs.nfcctl, "record", "export", file, "--to", "pcsc-spy"])
        #expect(log.output.contains { $0.hasSuffix("|SCardTransmit") })
        let invalid = try scratch.file("invalid.jsonl", "nonsense\n")
        #expect(try await run([Programs.nfcctl, "record", "export", invalid, "--to", "pcap"]).status == 65)
    }

    @Test(arguments: ["/dev/zero", "fifo", "sparse"])
    func `what has no end, and what is not a file, is not replayed`(_ kind: String) async throws {
        let scratch = try Scratch()
        let file = kind.hasPrefix("/") ? kind : "\(scratch.path)/\(kind)"
        if kind == "fifo" { #expect(mkfifo(file, 0o600) == 0) }
        if kind == "sparse" {
            _ = try scratch.file(kind, "{")
            #expect(truncate(file, 1 << 40) == 0)
        }
        let daemon = try await run([Programs.nfcd, "--socket", "\(scratch.path)/s", "--replay", file])
        #expect(daemon.status == 66)
        #expect(daemon.errors.contains { $0.contains(kind == "sparse" ? "67108864" : "it is not a file") })
    }

    @Test func `nfcd --record leaves no file where its socket is in use`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let file = "\(daemon.scratch.path)/all.jsonl"
        let second = try await run([
            Programs.nfcd, "--simulator", "1", "--socket", daemon.socket, "--record", file,
        ])
        #expect(second.status == 73, "\(second)")
        #expect(!FileManager.default.fileExists(atPath: file))
        await daemon.process.end()
    }

    @Test func `nfcd --record on a full disk states that, and no limit`() async throws {
        let scratch = try Scratch()
        let script =
            "trap '' XFSZ; ulimit -f 1; exec \(Programs.nfcd) --simulator 8 --socket \(scratch.path)/s --record \(scratch.path)/f"
        let daemon = try ChildProcess(["sh", "-c", script])
        #expect(await daemon.errors.next(containing: "cannot be written: File too large") != nil)
        _ = await daemon.end()
        #expect(!daemon.errors.all.contains { $0.contains("its limit") })
    }
}

/// The file of `nfcctl record`, for which a person may have worked for hours.
@Suite(.timeLimit(.minutes(5))) struct `The file of a recording` {
    /// Records a tag, and ends with a signal.
    private static func record(
        _ daemon: DaemonUnderTest, to file: String, prefix: String = "", whileRecording: () throws -> Void = {}
    ) async throws -> Finished {
        let recorder = try ChildProcess(
            ["sh", "-c", "\(prefix) exec \(Programs.nfcctl) record --output \(file)"],
            environment: ["NFCD_SOCKET": daemon.socket])
        #expect(await recorder.errors.next(containing: "recording to") != nil)
        let tag = try await daemon.tap("ntag215", "--uri", "https://example.com")
        #expect(try await daemon.run("read").status == 0)
        try whileRecording()
        await tag.end(SIGINT)
        recorder.signal(SIGINT)
        return await recorder.finished()
    }

    private static func files(_ folder: Scratch) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    @Test(arguments: ["folder/tag.jsonl", "dangling", "file"])
    func `that cannot be created is an error before anything is recorded`(_ name: String) async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let folder = try Scratch()
        #expect(symlink("\(folder.path)/nothing", "\(folder.path)/dangling") == 0)
        let file = try folder.file("file", "another file")
        let run = try await daemon.run("record", "--output", "\(folder.path)/\(name)", "--for", "60")
        #expect(run.status == 73, "\(run)")
        #expect(run.errors.contains { $0.contains("cannot create") })
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "another file")
        #expect(try Self.files(folder) == ["dangling", "file"])
        await daemon.process.end()
    }

    @Test func `that another program created meanwhile stays, and the recording is beside it`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let folder = try Scratch()
        let run = try await Self.record(daemon, to: "\(folder.path)/tag.jsonl") {
            _ = try folder.file("tag.jsonl", "another file")
        }
        #expect(run.status == 73, "\(run)")
        let files = try Self.files(folder)
        #expect(files.count == 2 && files.first == "tag.jsonl")
        #expect(try String(contentsOfFile: "\(folder.path)/tag.jsonl", encoding: .utf8) == "another file")
        let draft = "\(folder.path)/\(files.last ?? "")"
        #expect(run.errors.contains { $0.contains(draft) })
        let text = try String(contentsOfFile: draft, encoding: .utf8)
        #expect(text.contains(#""event":"transmit""#) && text.contains(#""event":"end""#))
        await daemon.process.end()
    }

    @Test func `on a full disk has a draft with what found room`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let folder = try Scratch()
        let run = try await Self.record(
            daemon, to: "\(folder.path)/tag.jsonl", prefix: "trap '' XFSZ; ulimit -f 1;")
        #expect(run.status == 74, "\(run)")
        let files = try Self.files(folder)
        #expect(files.count == 1)
        let draft = "\(folder.path)/\(files.first ?? "")"
        #expect(run.errors.contains { $0.contains(draft) })
        #expect(try String(contentsOfFile: draft, encoding: .utf8).hasPrefix(#"{"content":false"#))
        await daemon.process.end()
    }

    /// The signal of a terminal that is closed; some shells and the kernel both send it.
    @Test(arguments: [1, 2]) func `is written when the terminal is closed`(_ times: Int) async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let folder = try Scratch()
        let file = "\(folder.path)/tag.jsonl"
        let recorder = try daemon.start("record", "--output", file)
        #expect(await recorder.errors.next(containing: "recording to") != nil)
        for _ in 0..<times { recorder.signal(SIGHUP) }
        #expect(await recorder.status() == 0, "\(recorder.errors.all)")
        #expect(try String(contentsOfFile: file, encoding: .utf8).contains(#""event":"end""#))
        #expect(try Self.files(folder) == ["tag.jsonl"])
        await daemon.process.end()
    }

    @Test func `is continued under nohup when the terminal is closed`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let folder = try Scratch()
        let recorder = try ChildProcess(
            ["sh", "-c", "trap '' HUP; exec \(Programs.nfcctl) record --output \(folder.path)/tag.jsonl"],
            environment: ["NFCD_SOCKET": daemon.socket])
        #expect(await recorder.errors.next(containing: "recording to") != nil)
        recorder.signal(SIGHUP)
        let tag = try await daemon.tap("ntag215")
        #expect(try await daemon.run("read").status == 0)
        await tag.end(SIGINT)
        recorder.signal(SIGTERM)
        #expect(await recorder.status() == 0, "\(recorder.errors.all)")
        #expect(try String(contentsOfFile: "\(folder.path)/tag.jsonl", encoding: .utf8).contains("transmit"))
        await daemon.process.end()
    }

    /// As on FAT, and in some folders that a virtual machine or a container shares.
    @Test func `is created without hard links as well, and replaces none there`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let folder = try Scratch()
        let tools = try Scratch()
        let source = try tools.file(
            "link.c", "#include <errno.h>\nint link(const char *a, const char *b) { errno = EPERM; return -1; }\n")
        let library = "\(tools.path)/link.so"
        let compiled = try await run(["cc", "-shared", "-fPIC", "-o", library, source])
        try #require(compiled.status == 0, "\(compiled)")
        let prefix = "LD_PRELOAD=\(library)"
        let created = try await Self.record(daemon, to: "\(folder.path)/tag.jsonl", prefix: prefix)
        #expect(created.status == 0, "\(created)")
        let text = try String(contentsOfFile: "\(folder.path)/tag.jsonl", encoding: .utf8)
        #expect(text.contains(#""event":"transmit""#) && text.contains(#""event":"end""#))
        #expect(try Self.files(folder) == ["tag.jsonl"])
        let refused = try await Self.record(daemon, to: "\(folder.path)/other.jsonl", prefix: prefix) {
            _ = try folder.file("other.jsonl", "another file")
        }
        #expect(refused.status == 73, "\(refused)")
        #expect(try String(contentsOfFile: "\(folder.path)/other.jsonl", encoding: .utf8) == "another file")
        await daemon.process.end()
    }

    @Test func `is not begun for a reader that is not plugged in`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let folder = try Scratch()
        let file = "\(folder.path)/tag.jsonl"
        let unknown = try await daemon.run("record", "--output", file, "--reader", "nosuch", "--for", "1")
        #expect(unknown.status == 69)
        #expect(unknown.errors.contains { $0.contains("nosuch") && $0.contains("simulated-0") })
        #expect(try await daemon.run("record", "--output", file, "--reader", "", "--for", "1").status == 64)
        #expect(try Self.files(folder) == [])
        for name in ["simulated-0", "Simulated Reader 0"] {
            let known = try await daemon.run("record", "--output", file, "--reader", name, "--for", "0.1", "--force")
            #expect(known.status == 0, "\(known)")
        }
        await daemon.process.end()
    }
}
