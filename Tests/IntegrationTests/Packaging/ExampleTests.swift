import Foundation
import Testing

/// Every command in the README is run: the `make` lines by CI, the others here, with those of the pages that it opens with.
@Suite(.timeLimit(.minutes(20)))
struct `The README` {
    static let root = Repository.root

    /// The lines of the shell blocks.
    static func commands() throws -> [String] { try Document("README.md").commands }

    @Test(arguments: [
        ("README.md", 9), ("Docs/nfcctl.md", 6), ("Docs/administration.md", 1), ("Docs/first-hour.md", 2),
        ("Docs/cookbook.md", 24),
    ])
    func `has commands that work`(page: String, atLeast: Int) async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 2)
        let tag = try await daemon.tap("ntag215", "--uri", "https://example.com")
        let commands = try Document(page).commands.filter { $0.hasPrefix("nfcctl ") }
        #expect(commands.count >= atLeast)
        let path = "\(Programs.directory):" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
        for command in commands {
            let finished = try await IntegrationTests.run(
                ["sh", "-c", "cd \(daemon.scratch.path) && \(command)"],
                environment: ["NFCD_SOCKET": daemon.socket, "PATH": path])
            #expect(finished.status == 0, "\(command): \(finished.errors)")
            #expect(!finished.output.isEmpty || command.contains(" >"), "\(command)")
        }
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test(arguments: ["README.md", "Docs/first-hour.md"])
    func `simulates readers as described`(page: String) async throws {
        let lines = try Document(page).blocks("").flatMap { $0.split(separator: "\n") }
        let command = try #require(lines.first { $0.hasPrefix("nfcctl simulator ") })
        let scratch = try Scratch()
        let arguments = command.split(separator: " ").dropFirst().map {
            String($0).replacing("/tmp/nfcd.sock", with: "\(scratch.path)/nfcd.sock")
        }
        let simulator = try ChildProcess([Programs.nfcctl] + arguments)
        #expect(await simulator.output.next()?.hasPrefix("simulated-0 ") == true)
        #expect(await simulator.end() == 0)
    }

    /// After a change of what nfcctl prints, Scripts/products/terminal-picture makes the picture again.
    @Test func `shows what nfcctl prints`() async throws {
        guard try await Programs.found(["python3"]) else { return }
        let script = Self.root.appending(path: "Scripts/products/terminal-picture").path
        let recorded = try await run([script, "--programs", Programs.directory, "--text"])
        #expect(recorded.status == 0, "\(recorded.errors)")
        let file = Self.root.appending(path: "Docs/images/terminal.svg")
        let picture = try String(contentsOf: file, encoding: .utf8).matches(of: #/<text [^>]*>(.*)</text>/#).map {
            String($0.1).replacing(#/<[^>]*>/#, with: "").replacing("&quot;", with: "\"").replacing("&gt;", with: ">")
                .replacing("&amp;", with: "&")
        }
        #expect(picture == recorded.output.filter { !$0.isEmpty })
    }

    @Test func `has lines of Python that read and write`() async throws {
        guard try await Programs.found(["python3"]) else { return }
        let program = try #require(try Document("README.md").blocks("python").first)
        let scratch = try Scratch()
        // The first session ends by its time limit.
        let configuration = try scratch.file("nfcd.toml", "[session]\ntimeout = 1\n")
        let daemon = try await DaemonUnderTest(simulatedReaders: 1, configuration: configuration)
        let tag = try await daemon.tap("ntag213", "--uri", "https://example.com/before")
        let finished = try await run(
            ["python3", "-c", program],
            environment: [
                "NFCD_SOCKET": daemon.socket, "PYTHONPATH": Self.root.appending(path: "Clients/python/src").path,
            ])
        #expect(finished.status == 0, "\(finished.errors)")
        #expect(finished.output == ["046E0F044D5A80 https://example.com/before"])
        let read = try await daemon.run("read").output.joined(separator: " ")
        #expect(read.contains("URI https://example.com") && read.contains("Hello"), "\(read)")
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `names only targets that the Makefile has`() throws {
        let makefile = try String(contentsOf: Self.root.appending(path: "Makefile"), encoding: .utf8)
        let targets = try Self.commands().filter { $0.hasPrefix("make ") }.map { $0.dropFirst(5) }
        #expect(targets == ["demo", "test"])
        for target in targets { #expect(makefile.contains("\n\(target):")) }
    }
}

/// The steps of Docs/first-hour.md beyond its shell blocks: the batch, and taps in Python.
@Suite(.timeLimit(.minutes(20)))
struct `The first hour` {
    /// The commands of the page that wait for another terminal.
    private func commands(_ beginning: String) throws -> [String] {
        try Document("Docs/first-hour.md").blocks("").flatMap { $0.split(separator: "\n").map(String.init) }.filter {
            $0.hasPrefix(beginning)
        }
    }

    private func environment(_ daemon: DaemonUnderTest) -> [String: String] {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return [
            "NFCD_SOCKET": daemon.socket, "PATH": "\(Programs.directory):\(path)",
            "PYTHONPATH": `The README`.root.appending(path: "Clients/python/src").path,
        ]
    }

    @Test func `has a batch that writes three tags`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 2)
        let batch = try ChildProcess(
            ["sh", "-c", "cd \(daemon.scratch.path) && exec \(try #require(commands("nfcctl write --each").first))"],
            environment: environment(daemon))
        try await daemon.wait(for: "is active")
        let tags = try commands("nfcctl virtual-tag ntag213 --uid")
        #expect(tags.count == 3)
        for (number, command) in tags.enumerated() {
            // The tag stays until it is written, not for two seconds.
            let staying = command.replacing(" --for 2", with: "")
            let tag = try ChildProcess(["sh", "-c", "exec \(staying)"], environment: environment(daemon))
            #expect(
                await batch.output.next()?.contains("https://ex.am/0000\(number + 1)") == true, "\(batch.errors.all)")
            try await daemon.takeAway(tag)
        }
        #expect(await batch.status() == 0)
        let report = try String(contentsOfFile: "\(daemon.scratch.path)/report.csv", encoding: .utf8)
        #expect(report.split(separator: "\n").count == 4, "\(report)")
        await daemon.process.end()
    }

    @Test func `has lines of Python that print a tap`() async throws {
        guard try await Programs.found(["python3"]) else { return }
        let program = try #require(try Document("Docs/first-hour.md").blocks("python").first)
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let python = try ChildProcess(["python3", "-c", program], environment: environment(daemon))
        try await daemon.wait(for: "is active")
        let tag = try await daemon.tap("ntag215", "--uri", "https://example.com")
        #expect(await python.output.next() == "046E11044D5A80 https://example.com", "\(python.errors.all)")
        #expect(await python.status() == 0)
        await tag.end(SIGINT)
        await daemon.process.end()
    }
}

/// The clients in `Examples`; a test is skipped if a required program is missing.
@Suite(.timeLimit(.minutes(20)))
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
        let ended = await client.finished()
        #expect(ended.status == 0 && ended.output == ["https://example.com/ü?a=1&b"])
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test(arguments: examples)
    func `a language reports why there is no session`(file: String, needs: [String]) async throws {
        guard try await Programs.found(needs) else { return }
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let scan = try await daemon.startScan()
        let busy = await (try start(file, socket: daemon.socket)).finished()
        #expect(busy.status == 1)
        #expect(busy.errors.first?.hasPrefix("System resource unavailable: ") == true, "\(busy.errors)")
        await scan.end(SIGINT)
        await daemon.process.end()
        let alone = await (try start(file, socket: daemon.socket)).finished()
        #expect(alone.status == 1)
        #expect(alone.errors.contains { $0.contains("nfcd on \(daemon.socket)") }, "\(alone.errors)")
    }

    @Test(arguments: examples)
    func `a language reports that nfcd has ended`(file: String, needs: [String]) async throws {
        guard try await Programs.found(needs) else { return }
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let client = try start(file, socket: daemon.socket)
        #expect(await client.errors.next() == "Hold a tag to the reader.")
        await daemon.process.end(SIGKILL)
        let ended = await client.finished()
        #expect(ended.status == 1 && ended.errors.contains { $0.contains("nfcd") }, "\(ended.errors)")
    }
}
