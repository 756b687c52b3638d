import Foundation
import NFCProtocol
import Testing

/// `nfcctl taps` with a journal.
@Suite(.timeLimit(.minutes(20)))
struct `nfcctl taps` {
    /// Three taps on two readers: a URI, a text, and an empty tag.
    private func daemonWithTaps() async throws -> JournalUnderTest {
        let daemon = try await JournalUnderTest(simulatedReaders: 2)
        try await daemon.tapOnce("--uri", "https://example.com/1", "--reader", "simulated-0")
        try await daemon.tapOnce("--text", "=1+1, \"two\"", "--reader", "simulated-1")
        try await daemon.tapOnce("--reader", "simulated-0")
        return daemon
    }

    private func sequences(_ finished: Finished) throws -> [Int64] {
        #expect(finished.status == 0, "\(finished.errors)")
        return try finished.output.map { try JSONLine.decode(RecordedTap.self, from: Data($0.utf8)).sequence }
    }

    @Test func `list prints the taps that were asked for, in the order that was asked for`() async throws {
        let daemon = try await daemonWithTaps()
        let expected: [([String], [Int64])] = [
            ([], [1, 2, 3]), (["--after", "1"], [2, 3]), (["--after", "3"], []), (["--limit", "2"], [1, 2]),
            (["--newest"], [3, 2, 1]), (["--newest", "--limit", "1"], [3]), (["--newest", "--after", "1"], [3, 2]),
            (["--reader", "simulated-0"], [1, 3]),
            (["--reader", "simulated-0", "--reader", "simulated-1"], [1, 2, 3]),
        ]
        for (arguments, taps) in expected {
            #expect(try sequences(try await daemon.taps(["list", "--json"] + arguments)) == taps, "\(arguments)")
        }
        let table = try await daemon.taps(["list"]).output
        #expect(table.count == 3 && table[0].hasPrefix("1  "), "\(table)")
        #expect(table[0].contains("https://example.com/1") && table[2].contains("no message"), "\(table)")
        let none = try await daemon.taps(["list", "--after", "3"])
        #expect(none.status == 0 && none.errors == ["There are no taps."])
        await daemon.end()
    }

    @Test func `list prints the fixed interface`() async throws {
        let daemon = try await daemonWithTaps()
        let lines = try await daemon.taps(["list", "--json"]).output
        let first = try JSONLine.decode(JSONValue.self, from: Data(try #require(lines.first).utf8))
        for field in ["sequence", "id", "time", "reader", "tag", "message"] { #expect(first[field] != nil, "\(field)") }
        #expect(first["tag"]?["type"] == .string("miFare") && first["tag"]?["identifier"] != nil)
        #expect(lines.last?.contains(#""message":null"#) == true)
        await daemon.end()
    }

    @Test func `show finds a tap by its number and by its id`() async throws {
        let daemon = try await daemonWithTaps()
        let line = try #require(try await daemon.taps(["list", "--json", "--limit", "1"]).output.first)
        let tap = try JSONLine.decode(RecordedTap.self, from: Data(line.utf8))
        for name in ["1", tap.id, tap.id.uppercased()] {
            #expect(try await daemon.taps(["show", name, "--json"]).output == [line])
        }
        let text = try await daemon.taps(["show", "1"]).output
        #expect(
            text.contains { $0.contains(tap.id) } && text.contains { $0.contains("https://example.com/1") }, "\(text)")
        for name in ["9", "0", "-1", "0192f0c1-2b00-7000-8000-000000000001"] {
            let missing = try await daemon.taps(["show", "--", name])
            #expect(missing.status == 65 && missing.errors.last?.contains("has no tap \(name)") == true)
        }
        await daemon.end()
    }

    @Test func `export writes CSV and lines of JSON, and replaces no file`() async throws {
        let daemon = try await daemonWithTaps()
        let csv = "\(daemon.scratch.path)/taps.csv"
        let made = try await daemon.taps(["export", "--format", "csv", "--output", csv])
        #expect(made.status == 0 && made.output == [] && made.errors.last == "Exported 3 taps.", "\(made)")
        let text = try String(contentsOfFile: csv, encoding: .utf8)
        let lines = text.components(separatedBy: "\r\n")
        #expect(lines.count == 5 && lines[0].hasPrefix("sequence,id,time,reader,") && lines[4].isEmpty, "\(lines)")
        #expect(lines[1].hasPrefix("1,") && lines[2].contains(#","Text ""=1+1, "#), "\(lines)")
        let again = try await daemon.taps(["export", "--output", csv])
        #expect(again.status == 73 && again.errors.last?.contains("already exists") == true, "\(again)")
        let forced = try await daemon.taps(["export", "--output", csv, "--force", "--after", "1"])
        #expect(forced.status == 0)
        #expect(try String(contentsOfFile: csv, encoding: .utf8).split(separator: "\n").count == 2)
        #expect(try sequences(try await daemon.taps(["export"])) == [1, 2, 3])
        await daemon.end()
    }

    @Test func `follow continues where it was when nfcd was killed, and prints no tap twice`() async throws {
        let daemon = try await JournalUnderTest(simulatedReaders: 1)
        let follow = try daemon.start(["follow", "--json", "--after", "0", "--count", "3"])
        try await daemon.tapOnce("--uri", "https://example.com/1")
        #expect(await follow.output.next()?.contains("https://example.com/1") == true)
        try await daemon.restart()
        #expect(await follow.errors.next(containing: "connecting again") != nil)
        for number in 2...3 { try await daemon.tapOnce("--uri", "https://example.com/\(number)") }
        #expect(await follow.status() == 0, "\(follow.errors.all)")
        let taps = try follow.output.all.map { try JSONLine.decode(RecordedTap.self, from: Data($0.utf8)).sequence }
        #expect(taps == [1, 2, 3])
        await daemon.end()
    }

    @Test func `follow with a consumer gets what came while it did not run`() async throws {
        let daemon = try await daemonWithTaps()
        let first = try await daemon.taps(["follow", "--json", "--consumer", "till", "--after", "0", "--count", "2"])
        #expect(try sequences(first) == [1, 2])
        let status = try await daemon.taps(["status"]).output
        #expect(status.contains { $0.hasPrefix("till  ") && $0.contains("1 to deliver") }, "\(status)")
        let second = try await daemon.taps(["follow", "--json", "--consumer", "till", "--count", "1"])
        #expect(try sequences(second) == [3])
        #expect(try await daemon.taps(["remove-consumer", "till"]).status == 0)
        let gone = try await daemon.taps(["remove-consumer", "till"])
        #expect(gone.status == 65 && gone.errors.last?.contains("has no consumer till") == true)
        await daemon.end()
    }

    @Test func `follow ends with Ctrl-C`() async throws {
        let daemon = try await daemonWithTaps()
        let follow = try daemon.start(["follow", "--after", "2"])
        #expect(await follow.output.next()?.hasPrefix("3  ") == true)
        #expect(await follow.end(SIGINT) == 0)
        await daemon.end()
    }

    @Test func `prune keeps what a consumer does not have, unless an option says otherwise`() async throws {
        let daemon = try await daemonWithTaps()
        _ = try await daemon.taps(["follow", "--consumer", "till", "--after", "0", "--count", "1"])
        #expect(try await daemon.taps(["prune", "--through", "2"]).status == 64)
        #expect(
            try await daemon.taps(["prune", "--before", "2020-01-31", "--yes"]).output == ["There are no such taps."])
        #expect(try await daemon.taps(["prune", "--through", "2", "--yes"]).output == ["Deleted 1 tap."])
        #expect(
            try await daemon.taps(["prune", "--before", "2999-01-01", "--yes", "--include-undelivered", "--json"])
                .output
                == [#"{"removed":2}"#])
        #expect(try sequences(try await daemon.taps(["list", "--json"])) == [])
        await daemon.end()
    }

    @Test(arguments: [
        ["list"], ["list", "--json"], ["follow"], ["show", "1"], ["export"], ["prune", "--through", "1", "--yes"],
        ["status"], ["remove-consumer", "x"],
    ])
    func `without a journal, they show what to write into nfcd.toml`(arguments: [String]) async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let finished = try await daemon.run(["taps"] + arguments)
        #expect(finished.status == 78)
        #expect(finished.errors.contains("  [journal]") && finished.errors.contains("  enabled = true"))
        #expect(finished.output.isEmpty)
        await daemon.process.end()
    }

    @Test(arguments: [
        ["list", "--after", "-1"], ["list", "--limit", "0"], ["follow", "--count", "0"], ["follow", "--consumer", ""],
        ["export", "--format", "xml"], ["export", "--force"], ["prune", "--yes"], ["show"], ["remove-consumer"],
        ["prune", "--yes", "--before", "2026-01-31", "--through", "1"], ["prune", "--yes", "--before", "yesterday"],
        ["prune", "--yes", "--before", "2026-13-01"], ["prune", "--yes", "--through", "0"],
    ])
    func `exit with 64 for an invalid option`(arguments: [String]) async throws {
        let finished = try await run(
            [Programs.nfcctl, "taps"] + arguments, environment: `The command line`.nowhere)
        #expect(finished.status == 64, "\(finished.errors)")
    }
}
