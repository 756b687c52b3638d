import Foundation
import Testing

/// The guide to spools at a desk, as a person follows it, and the recipes for Spoolman and Moonraker.
@Suite(.timeLimit(.minutes(20)))
struct `The guide to spools` {
    private static let page = "Docs/guides/spools.md"
    private let document: Document

    init() throws { document = try Document(Self.page) }

    /// The lines of a block of output, without the spaces between its columns.
    private func lines(_ text: String) -> [String] {
        text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    }

    @Test func `goes from a blank tag to a weighed spool, and shows what is printed`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1, model: "acr1552u")
        let tag = try await daemon.tap("slix2")
        let commands = document.commands.filter { $0.hasPrefix("nfcctl spool ") }
        // The first one needs a spool that has a tag already.
        #expect(commands.count >= 6 && commands.first == "nfcctl spool show")
        let path = "\(Programs.directory):" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
        var shown: [[String]] = []
        for command in commands.dropFirst() {
            let finished = try await run(
                ["sh", "-c", command], environment: ["NFCD_SOCKET": daemon.socket, "PATH": path])
            #expect(finished.status == 0, "\(command): \(finished)")
            #expect(!finished.errors.contains { $0.contains("ISO/IEC 15693") }, "\(finished)")
            if command == "nfcctl spool show" { shown.append(lines(finished.output.joined(separator: "\n"))) }
        }
        let expected = document.blocks("").map(lines).filter { $0.contains { $0.hasPrefix("remaining_weight ") } }
        #expect(expected.count == 2 && shown.count == expected.count)
        for (expected, shown) in zip(expected, shown) {
            #expect(Set(expected).isSubset(of: shown), "\(shown)")
        }
        try await daemon.takeAway(tag)
        await daemon.process.end()
    }

    @Test(arguments: ["acr1552u", "identiv", "omnikey-5422", "generic"])
    func `names readers that weigh the tag of OpenPrintTag`(model: String) async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1, model: model)
        let tag = try await daemon.tap(["slix2"] + `The tag of a spool`.record)
        for arguments in [["show"], ["weigh", "843"], ["use", "1"]] {
            let finished = try await daemon.run(["spool"] + arguments)
            #expect(finished.status == 0 && !finished.errors.contains { $0.contains("warning") }, "\(finished)")
        }
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test(arguments: ["acr122u", "acr1252u"])
    func `names readers that do not read it, of which nfcctl warns before the tap`(model: String) async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1, model: model)
        let finished = try await daemon.run("spool", "show", "--timeout", "1")
        #expect(
            finished.status != 0 && finished.errors.contains { $0.contains("cannot read ISO/IEC 15693 tags") },
            "\(finished)")
        await daemon.process.end()
    }

    @Test(arguments: ["slix2", "ntag213", "ntag215", "ntag216"])
    func `has a command for a new spool that every tag on the page takes`(model: String) async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let tag = try await daemon.tap(model)
        let command = try #require(document.commands.first { $0.hasPrefix("nfcctl spool new ") })
        let path = "\(Programs.directory):" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
        let finished = try await run(["sh", "-c", command], environment: ["NFCD_SOCKET": daemon.socket, "PATH": path])
        #expect(finished.status == 0, "\(finished)")
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test(arguments: [page, "Docs/cookbook.md"])
    func `has tables that nfcd and the relay accept`(page: String) async throws {
        let scratch = try Scratch()
        let tables = try Document(page).blocks("toml")
        #expect(!tables.isEmpty)
        for table in tables {
            let file = try scratch.file("file.toml", table)
            let program = table.hasPrefix("[journal]") ? Programs.nfcd : Programs.relay
            let finished = try await run([program, "--check", "--config", file])
            #expect(finished.status == 0, "\(table): \(finished)")
        }
    }

    /// The tables of the guide with the port of the imitation; the second table of a block is for another printer.
    @Test func `has a relay that reports a tap to Spoolman and sets the spool of the printer with this reader`()
        async throws
    {
        guard try await Programs.found(["python3"]) else { return }
        let receiver = try await SpoolReceiver()
        let tables = document.blocks("toml").filter { $0.hasPrefix("[[webhook]]") }
        #expect(tables.count == 4)
        let several = try #require(tables.last)
        #expect(several.components(separatedBy: "readers = ").count == 3)
        let ids = several.matches(of: /readers = \["([^"]*)"\]/).map { String($0.1) }
        let text = ([tables[0]] + [several]).joined(separator: "\n")
            .replacing(ids[0], with: "simulated-0")
            .replacing(/127\.0\.0\.1:[0-9]+/, with: "127.0.0.1:\(receiver.port)")
        let relay = try await RelayUnderTest(consumers: text)
        for command in document.commands where command.hasPrefix("nfcctl relay ") {
            let finished = try await relay.nfcctl(command.split(separator: " ").dropFirst().map(String.init))
            #expect(finished.status == 0, "\(command): \(finished)")
        }
        #expect(await receiver.next(containing: "/api/v1/tag/scan")?.contains(#""uid":"00000000""#) == true)
        try await relay.daemon.tapOnce("--uri", "https://example.com/1")
        try await relay.wait(for: "1 of other readers left out", in: ["status"])
        #expect(await receiver.next(containing: #""uid":"046E0F044D5A80""#) != nil)
        #expect(await receiver.next(containing: "/server/spoolman/spool_id")?.hasSuffix(#"{"spool_id":7}"#) == true)
        #expect(receiver.all.count { $0.contains("spool_id\":") } == 1, "\(receiver.all)")
        await relay.end()
        await receiver.end()
    }

    @Test func `has a recipe that links an unknown spool`() async throws {
        guard try await Programs.found(["python3", "jq", "curl"]) else { return }
        let recipe = try #require(
            try Document("Docs/cookbook.md").blocks("").first { $0.contains("/api/v1/spool/7/tag") })
        let receiver = try await SpoolReceiver()
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let tag = try await daemon.tap("slix2", "--uid", "E004010203040506")
        let path = "\(Programs.directory):" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
        let finished = try await run(
            ["sh", "-c", recipe.replacing("127.0.0.1:7912", with: "127.0.0.1:\(receiver.port)")],
            environment: ["NFCD_SOCKET": daemon.socket, "PATH": path])
        #expect(finished.status == 0, "\(finished)")
        let request = await receiver.next(containing: "/api/v1/spool/7/tag")
        #expect(request?.filter { $0 != " " }.hasSuffix(#"{"uid":"E004010203040506"}"#) == true, "\(receiver.all)")
        await tag.end(SIGINT)
        await daemon.process.end()
        await receiver.end()
    }
}

/// An imitation of Spoolman and Moonraker.
private final class SpoolReceiver: Sendable {
    private let process: ChildProcess
    let port: String

    init() async throws {
        let script = Repository.file("Tests/IntegrationTests/Support/spool_receiver.py").path
        process = try ChildProcess(["python3", script])
        guard let port = await process.output.next() else { throw TestError("no receiver: \(process.errors.all)") }
        self.port = port
    }

    /// The requests so far.
    var all: [String] { Array(process.output.all.dropFirst()) }

    /// The next request with a text.
    func next(containing text: String) async -> String? { await process.output.next(containing: text) }

    func end() async { await process.end(SIGINT) }
}
