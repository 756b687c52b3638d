import Foundation
import Testing

/// What pages show besides commands: configuration, output, and lines of the protocol.
@Suite(.timeLimit(.minutes(20)))
struct `The pages` {
    @Test func `for administrators have grants that nfcd accepts`() async throws {
        let grants = try #require(try Document("Docs/administration.md").blocks("toml").first)
        let scratch = try Scratch()
        // Another machine has no such user and group; a number need not belong to an account.
        let text = grants.replacing("\"login\"", with: "4242").replacing("\"nfc\"", with: "4243")
        let file = try scratch.file("nfcd.toml", text)
        let finished = try await run([Programs.nfcd, "--check", "--config", file])
        #expect(finished.status == 0, "\(finished.errors)")
    }

    @Test func `about trouble show checks that doctor makes`() async throws {
        let block = try #require(try Document("Docs/troubleshooting.md").blocks("").first)
        let shown = block.split(separator: "\n").compactMap { line in
            try? #/^(?:ok|warning|problem|skipped)\s+(\S+)/#.firstMatch(in: String(line)).map { String($0.1) }
        }
        #expect(shown.count > 5)
        // Some checks are made only with a daemon, some only with readers of PC/SC.
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let made = try await daemon.run("doctor", "--json").output.joined()
        await daemon.process.end()
        let without = try await run([Programs.nfcctl, "doctor", "--json"], environment: ["NFCD_SOCKET": daemon.socket])
        for name in shown {
            #expect((made + without.output.joined()).contains("\"check\":\"\(name)\""), "\(name): \(made)")
        }
    }

    /// Connects as the page describes; the lines of the page follow.
    private static let connecting = """
        import json, os, socket
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(os.environ["NFCD_SOCKET"])
        lines = connection.makefile("rw", buffering=1)

        """

    @Test func `for authors of clients have lines of Python that print messages`() async throws {
        guard try await Programs.found(["python3"]) else { return }
        let program = try #require(try Document("Docs/client-authors.md").blocks("python").first)
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let python = try ChildProcess(
            ["python3", "-u", "-c", Self.connecting + program], environment: ["NFCD_SOCKET": daemon.socket])
        try await daemon.wait(for: "is active")
        let tag = try await daemon.tap("ntag215", "--uri", "https://example.com")
        #expect(await python.output.next()?.contains("'uri': 'https://example.com'") == true, "\(python.errors.all)")
        await python.end(SIGTERM)
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `for authors of clients have an exchange that nfcd answers just so`() async throws {
        guard try await Programs.found(["python3"]) else { return }
        let block = try #require(try Document("Docs/client-authors.md").blocks("").first)
        let lines = block.replacing(#/\n +/#, with: "").split(separator: "\n").map { String($0.dropFirst(2)) }
        let request = try #require(lines.first)
        let program = Self.connecting + "lines.write('\(request)\\n')\nfor line in lines: print(line, end='')\n"
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let python = try ChildProcess(
            ["python3", "-u", "-c", program], environment: ["NFCD_SOCKET": daemon.socket])
        try await daemon.wait(for: "is active")
        let tag = try await daemon.tap("ntag215", "--uri", "https://example.com")
        for line in lines.dropFirst() {
            let answer = await python.output.next() ?? ""
            #expect(try Self.object(answer) == Self.object(line), "\(answer)")
        }
        await python.end(SIGTERM)
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    private static func object(_ line: String) throws -> NSDictionary? {
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? NSDictionary
    }

    @Test(arguments: ["README.md", "Docs/first-hour.md"])
    func `for newcomers have a tag that stays until it is taken away`(page: String) async throws {
        let block = try Document(page).blocks("").first { $0.hasPrefix("nfcctl virtual-tag") && !$0.contains("--uid") }
        let words = try #require(block).split(whereSeparator: \.isWhitespace).map(String.init)
        let daemon = try await DaemonUnderTest(simulatedReaders: 2)
        let tag = try await daemon.tap(Array(words.dropFirst(2)))
        #expect(try await daemon.run("read").output.contains("  1  URI https://example.com"))
        try await daemon.takeAway(tag)
        await daemon.process.end()
    }
}
