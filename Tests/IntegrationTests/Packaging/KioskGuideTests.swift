import Foundation
import Testing

/// What the guide to kiosks shows, as far as it can be checked without root.
@Suite(.timeLimit(.minutes(20)))
struct `The guide to kiosks with programs` {
    private static func blocks(_ language: String) throws -> [String] {
        try Document("Docs/guides/kiosk.md").blocks(language)
    }

    /// The configuration of the guide, with a user by number and a journal in a folder of the test.
    private static func configuration(_ scratch: Scratch, grants: Bool) throws -> String {
        let text = try #require(try blocks("toml").first)
            .replacing("\"kiosk\"", with: "4242")
            .replacing("enabled = true", with: "enabled = true\npath = \"\(scratch.path)/taps.db\"")
        let journal = text.components(separatedBy: "[[grant]]")[0]
        return try scratch.file("nfcd.toml", grants ? text : journal)
    }

    @Test func `has grants that nfcd accepts`() async throws {
        let scratch = try Scratch()
        let file = try Self.configuration(scratch, grants: true)
        let finished = try await run([Programs.nfcd, "--check", "--config", file])
        #expect(finished.status == 0, "\(finished.errors)")
    }

    @Test func `has a program that shows taps, also those from before its start`() async throws {
        guard try await Programs.found(["python3"]) else { return }
        let program = try #require(try Self.blocks("python").first)
        let journal = try await JournalUnderTest(simulatedReaders: 1)
        try await journal.tapOnce("--uid", "04112233445501", "--uri", "https://ex.am/1")
        // A consumer that is known gets its taps; a new one begins with the next.
        let known = try await journal.taps(["follow", "--consumer", "kiosk", "--after", "0", "--count", "1"])
        #expect(known.status == 0, "\(known.errors)")
        try await journal.tapOnce("--uid", "04112233445502", "--uri", "https://ex.am/2")
        let python = try ChildProcess(
            ["python3", "-c", program],
            environment: [
                "NFCD_SOCKET": journal.socket, "PYTHONPATH": Repository.file("Clients/python/src").path,
            ])
        #expect(await python.output.next() == "https://ex.am/2", "\(python.errors.all)")
        try await journal.tapOnce("--uid", "04112233445503", "--uri", "https://ex.am/3")
        #expect(await python.output.next() == "https://ex.am/3", "\(python.errors.all)")
        await python.end(SIGTERM)
        await journal.end()
    }

    @Test func `has a unit that systemd accepts`() async throws {
        guard try await Programs.found(["systemd-analyze"]) else { return }
        let unit = try #require(try Self.blocks("ini").first)
        let scratch = try Scratch()
        for folder in ["usr/lib/systemd/system", "usr/bin"] {
            try FileManager.default.createDirectory(
                atPath: "\(scratch.path)/\(folder)", withIntermediateDirectories: true)
        }
        chmod(try scratch.file("usr/bin/python3", "#!/bin/sh\n"), 0o755)
        let folder = "usr/lib/systemd/system"
        _ = try scratch.file("\(folder)/kiosk.service", unit)
        _ = try scratch.file("\(folder)/nfcd.socket", "[Socket]\nListenStream=/run/nfcd/nfcd.sock\nAccept=yes\n")
        _ = try scratch.file("\(folder)/nfcd@.service", "[Service]\nExecStart=/usr/bin/python3\n")
        for name in ["sysinit", "sockets", "basic", "multi-user", "shutdown"] {
            _ = try scratch.file("\(folder)/\(name).target", "[Unit]\nDescription=\(name)\n")
        }
        let finished = try await run([
            "systemd-analyze", "verify", "--man=no", "--root=\(scratch.path)", "kiosk.service",
        ])
        #expect(finished.status == 0)
        #expect(finished.output + finished.errors == [])
    }

    @Test func `has commands that work`() async throws {
        let scratch = try Scratch()
        let daemon = try await DaemonUnderTest(
            simulatedReaders: 1, configuration: try Self.configuration(scratch, grants: false))
        let commands = try Document("Docs/guides/kiosk.md").commands
        #expect(commands.count == 3)
        for command in commands {
            let finished = try await daemon.run(command.split(separator: " ").dropFirst().map(String.init))
            #expect(finished.status == 0, "\(command): \(finished.errors)")
        }
        await daemon.process.end()
    }
}
