import Foundation
import Testing

/// The guides about keys: their commands run, and their files are valid.
@Suite(.timeLimit(.minutes(20))) struct `The guides about keys` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func run(_ command: String) async throws -> Finished {
        let path = "\(Programs.directory):" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
        return try await IntegrationTests.run(
            ["sh", "-c", "cd \(scratch.path) && \(command)"], environment: ["PATH": path])
    }

    /// A file that only its owner can read.
    private func write(_ name: String, _ text: String) throws { chmod(try scratch.file(name, text), 0o600) }

    @Test func `the one about keys has commands that work`() async throws {
        let commands = try Document("Docs/guides/keys.md").commands
        #expect(commands.count == 7)
        for command in commands {
            let finished = try await run(command)
            #expect(finished.status == 0 && !finished.output.isEmpty, "\(command): \(finished)")
        }
    }

    @Test func `the one about a web server prints what it shows`() async throws {
        let document = try Document("Docs/guides/ntag424-web.md")
        try write("demo.toml", try #require(document.blocks("toml").first))
        var printed: [String] = []
        for command in document.commands {
            let finished = try await run(command)
            #expect(finished.status == 0, "\(command): \(finished)")
            printed += finished.output
            guard command.hasSuffix("--counters web.counters") else { continue }
            let again = try await run(command)
            #expect(again.status == 65)
            printed += again.output
        }
        #expect(document.commands.count == 4)
        for line in document.blocks("").flatMap({ $0.split(separator: "\n").map(String.init) }) {
            #expect(printed.contains(line), "\(line): \(printed)")
        }
    }

    @Test func `the one about a door has profiles and a grant that nfcd accepts`() async throws {
        let document = try Document("Docs/guides/door.md")
        let value = "8C1F5E02B7A94D36F0E1D2C3B4A59687"
        let keys = ["door", "door-master"].map { "[[key]]\nname = \"\($0)\"\nvalue = \"\(value)\"\n" }.joined()
        let blocks = document.blocks("toml")
        for profile in blocks.filter({ $0.hasPrefix("[[profile]]") }) {
            try write("keys.toml", keys + profile)
            let finished = try await run("nfcctl keys check --keys keys.toml")
            #expect(finished.status == 0, "\(finished)")
        }
        let grant = try #require(blocks.first { $0.hasPrefix("[[grant]]") }).replacing("\"door\"", with: "4242")
        try write("nfcd.toml", grant)
        #expect(try await run("nfcd --check --config nfcd.toml").status == 0)
        #expect(blocks.count == 3)
    }

    @Test func `the one about a door sets cards up, one and many, as it shows`() async throws {
        let document = try Document("Docs/guides/door.md")
        let keys = ["8C1F5E02B7A94D36F0E1D2C3B4A59687", "51D3E9A07C2B4F8896E1A2B3C4D5E6F7"]
        let profile = try #require(document.blocks("toml").first { $0.hasPrefix("[[profile]]") })
        let named = zip(["door", "door-master"], keys).map { "[[key]]\nname = \"\($0)\"\nvalue = \"\($1)\"\n" }
        try write("keys.toml", named.joined() + profile)
        let configuration = try scratch.file(
            "nfcd.toml",
            "[keys]\nfile = \"\(scratch.path)/keys.toml\"\n[journal]\ndebounce = 0\npath = \"\(scratch.path)/taps.db\"\n"
        )
        let daemon = try await DaemonUnderTest(simulatedReaders: 1, configuration: configuration)
        let path = "\(Programs.directory):" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
        let environment = ["PATH": path, "NFCD_SOCKET": daemon.socket]
        var printed: [String] = []

        let card = try await daemon.tap(["ntag424", "--uid", "04A1B2C3D4E5F6"])
        let (single, many) = (document.commands.prefix(5), document.commands.dropFirst(5))
        for command in single {
            let finished = try await IntegrationTests.run(["sh", "-c", command], environment: environment)
            #expect(finished.status == 0, "\(command): \(finished)")
            printed += finished.output
        }
        try await daemon.takeAway(card)

        #expect(many.count == 1)
        let people = try #require(document.blocks("csv").first)
        _ = try scratch.file("people.csv", people)
        let command = "cd \(scratch.path) && exec \(many.first ?? "")"
        let batch = try ChildProcess(["sh", "-c", command], environment: environment)
        printed.append(try #require(await batch.errors.next(containing: "Put one tag after another")))
        for uid in ["04A1B2C3D4E5F7", "04A1B2C3D4E5F8"] {
            let tag = try await daemon.tap(["ntag424", "--uid", uid])
            printed.append(try #require(await batch.output.next(containing: "UID"), "\(batch.errors.all)"))
            try await daemon.takeAway(tag)
        }
        #expect(await batch.status() == 0)
        printed += batch.errors.all.suffix(1)

        let shown = document.blocks("").filter { $0.contains("04:A1:B2:C3") || $0.contains("All 2 tags") }
        #expect(shown.count == 2)
        for line in shown.flatMap({ $0.split(separator: "\n").map(String.init) }) {
            #expect(printed.contains(line), "\(line): \(printed)")
        }
        await daemon.process.end()
    }
}
