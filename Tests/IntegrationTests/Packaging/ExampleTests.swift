import Foundation
import Testing

/// Every command in the README is run: the `make` lines by CI, the others here.
@Suite(.timeLimit(.minutes(5)))
struct `The README` {
    static let root = Repository.root

    /// The lines of the shell blocks.
    static func commands() throws -> [String] { try Document("README.md").commands }

    @Test func `has commands that work`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 2)
        let tag = try await daemon.tap("ntag213", "--uri", "https://example.com")
        let commands = try Self.commands().filter { $0.hasPrefix("nfcctl ") }
        #expect(commands.count >= 6)
        for command in commands {
            let arguments = command.split(separator: " ").dropFirst().map(String.init)
            let finished = try await IntegrationTests.run(
                [Programs.nfcctl] + arguments, environment: ["NFCD_SOCKET": daemon.socket])
            #expect(finished.status == 0, "\(command): \(finished.errors)")
            #expect(!finished.output.isEmpty, "\(command)")
        }
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `starts nfcd as described`() async throws {
        let command = try #require(try Self.commands().first { $0.hasPrefix("nfcd ") })
        let scratch = try Scratch()
        let arguments = command.split(separator: " ").dropFirst().map {
            String($0).replacing("/tmp/nfcd.sock", with: "\(scratch.path)/nfcd.sock")
        }
        let daemon = try ChildProcess([Programs.nfcd] + arguments)
        #expect(await daemon.errors.next(containing: "listening on") != nil)
        #expect(await daemon.end() == 0)
    }

    @Test func `names only targets that the Makefile has`() throws {
        let makefile = try String(contentsOf: Self.root.appending(path: "Makefile"), encoding: .utf8)
        let targets = try Self.commands().filter { $0.hasPrefix("make ") }.map { $0.dropFirst(5) }
        #expect(targets == ["demo", "test"])
        for target in targets { #expect(makefile.contains("\n\(target):")) }
    }
}

/// The clients in `Examples`; a test is skipped if a required program is missing.
@Suite(.timeLimit(.minutes(5)))
struct `The example in` {
    /// A client and the programs it requires; the shell client requires one of two programs.
    static let examples: [(file: String, needs: [String])] = [
        ("scan.py", ["python3"]), ("scan.js", ["node"]), ("scan.sh", ["bash", "jq", "socat"]),
        ("scan.sh", ["bash", "jq", "nc"]),
    ]

    private static func path(_ file: String) -> String {
        `The README`.root.appending(path: "Examples/\(file)").path
    }

    private func start(_ file: String, socket: String) throws -> ChildProcess {
        try ChildProcess([Self.path(file)], environment: ["NFCD_SOCKET": socket])
    }

    @Test(arguments: examples)
    func `a language prints the URLs of the first tag with a message`(file: String, needs: [String]) async throws {
        guard try await Programs.found(needs) else { return }
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let client = try start(file, socket: daemon.socket)
        #expect(await client.errors.next() == "Hold a tag to the reader.")
        let empty = try await daemon.tap("ntag213")
        #expect(await client.errors.next()?.hasPrefix("NDEF tag contains no message: ") == true)
        try await daemon.takeAway(empty)
        let tag = try await daemon.tap("ntag215", "--text", "Hello", "--uri", "https://example.com/ü?a=1&b")
        #expect(await client.status() == 0)
        #expect(client.output.all == ["https://example.com/ü?a=1&b"])
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test(arguments: examples)
    func `a language reports why there is no session`(file: String, needs: [String]) async throws {
        guard try await Programs.found(needs) else { return }
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let scan = try await daemon.startScan()
        let busy = try start(file, socket: daemon.socket)
        #expect(await busy.status() == 1)
        #expect(busy.errors.all.first?.hasPrefix("System resource unavailable: ") == true, "\(busy.errors.all)")
        await scan.end(SIGINT)
        await daemon.process.end()
        let alone = try start(file, socket: daemon.socket)
        #expect(await alone.status() == 1)
        #expect(alone.errors.all.contains { $0.contains("nfcd on \(daemon.socket)") }, "\(alone.errors.all)")
    }

    @Test(arguments: examples)
    func `a language reports that nfcd has ended`(file: String, needs: [String]) async throws {
        guard try await Programs.found(needs) else { return }
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let client = try start(file, socket: daemon.socket)
        #expect(await client.errors.next() == "Hold a tag to the reader.")
        await daemon.process.end(SIGKILL)
        #expect(await client.status() == 1)
        #expect(client.errors.all.contains { $0.contains("nfcd") }, "\(client.errors.all)")
    }
}
