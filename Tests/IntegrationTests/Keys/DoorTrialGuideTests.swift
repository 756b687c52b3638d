import Foundation
import Testing

/// The guide to a door without cards, as a person at four terminals follows it, with a real pcscd.
@Suite(.timeLimit(.minutes(20))) struct `The guide to a door without cards` {
    private let document: Document
    private let scratch: Scratch
    private let pcsc: PrivatePCSC

    init() async throws {
        document = try Document("Docs/guides/door-without-cards.md")
        scratch = try Scratch()
        pcsc = try await PrivatePCSC()
    }

    private func command(_ line: String) -> [String] {
        pcsc.command(["sh", "-e", "-c", "cd \(scratch.path)\n\(line)"])
    }

    private var environment: [String: String] {
        let path = "\(Programs.directory):" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
        return ["PATH": path, "NFCD_SOCKET": "\(scratch.path)/nfcd.sock"]
    }

    /// Runs a block of commands.
    @discardableResult private func run(_ block: String) async throws -> Finished {
        let finished = try await IntegrationTests.run(command(block), environment: environment)
        #expect(finished.status == 0, "\(block): \(finished)")
        return finished
    }

    /// Starts the command of a terminal that stays.
    private func start(_ line: String) throws -> ChildProcess {
        try ChildProcess(command("exec \(line)"), environment: environment)
    }

    /// The lines of all blocks, in order.
    private var lines: [String] { document.blocks("").flatMap { $0.split(separator: "\n").map(String.init) } }

    /// The block that begins with a command.
    private func block(_ beginning: String) throws -> String {
        try #require(document.blocks("").first { $0.hasPrefix(beginning) }, "\(beginning)")
    }

    /// The first line that begins with a command.
    private func line(_ beginning: String) throws -> String {
        try #require(lines.first { $0.hasPrefix(beginning) }, "\(beginning)")
    }

    @Test func `goes from the keys to the log`() async throws {
        try await run(try block("nfcctl keys generate "))
        try await run(try block("cat >nfcd.toml "))
        let nfcd = try start(try line("nfcd --config nfcd.toml --socket "))
        #expect(await nfcd.errors.next(containing: "listening on") != nil)
        #expect(try await run(try block("nfcctl readers")).output.contains { $0.contains("Virtual PCD 00 00") })

        let door = try start(try line("nfcctl watch "))
        #expect(await door.errors.next() == `nfcctl watch`.prompt)
        let taps = try start("nfcctl taps follow --after 0")
        let observer = try start("nfcctl watch --json --removals")
        #expect(await observer.errors.next() == `nfcctl watch`.prompt)
        let cards = lines.filter { $0.hasPrefix("nfcctl virtual-tag ") }
        #expect(cards.count == 4)
        // The test signals the card itself: others may be on this machine.
        #expect(try line("kill -USR1 ").contains("virtual-tag --profile front-door"))

        let card = try start(cards[0])
        #expect(await card.output.next()?.hasPrefix("Virtual tag of profile front-door") == true)
        #expect(await door.output.next(containing: "proven by door v1") != nil)
        try await moveAway(card, observer)
        #expect(await door.output.next(containing: "proven by door v1") != nil)
        try await end(card, observer)

        for (command, words) in zip(cards.dropFirst(), ["FAILED: ", "not proven: ", "unknown key: "]) {
            let card = try start(command)
            #expect(await taps.output.next(containing: words) != nil, "\(command): \(taps.output.all)")
            if words == "unknown key: " {
                try await run(try line("nfcctl secure setup "))
                try await moveAway(card, observer)
                #expect(await door.output.next(containing: "proven by door v1") != nil)
            }
            try await end(card, observer)
        }
        #expect(door.output.all.count == 3, "\(door.output.all)")
        #expect(await door.end(SIGINT) == 0)

        let log = try await run(try block("nfcctl taps list")).output
        for line in try #require(document.blocks("").last).split(separator: "\n") {
            #expect(log.contains { $0.hasSuffix(line) }, "\(line): \(log)")
        }
        #expect(log.count { $0.hasPrefix("open for 04") } == 3, "\(log)")
        for program in [taps, observer] { await program.end(SIGINT) }
        await nfcd.end()
        await pcsc.end()
    }

    /// Lifts a card, and puts it back once nfcd has noticed: a person is not faster either.
    private func moveAway(_ card: ChildProcess, _ observer: ChildProcess) async throws {
        card.signal(SIGUSR1)
        #expect(await card.output.next(containing: "Lifted.") != nil)
        #expect(await observer.output.next(containing: #""removed""#) != nil)
        card.signal(SIGUSR1)
        #expect(await card.output.next()?.hasPrefix("Virtual ") == true)
    }

    /// Takes a card away, and waits until nfcd has noticed.
    private func end(_ card: ChildProcess, _ observer: ChildProcess) async throws {
        await card.end(SIGINT)
        #expect(await observer.output.next(containing: #""removed""#) != nil)
    }
}
