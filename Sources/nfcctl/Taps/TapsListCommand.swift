import ArgumentParser
import FoundationEssentials
import NDEF
import NFCClient
import NFCProtocol

/// `nfcctl taps list`: lists the taps of the journal.
struct TapsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the taps of the journal.",
        discussion: """
            Taps are listed in their order, or with --newest in reverse. The first column is the sequence number for \
            --after and 'nfcctl taps show'. With --json, each line is the tap as webhooks and MQTT subscribers receive it:
              {"sequence":…,"id":…,"time":…,"reader":…,"tag":{"type":…,"identifier":…},
               "message":{…}|null,…}

            Examples:
              nfcctl taps list --newest --limit 20
              nfcctl taps list --json --after 1000 | jq -r .tag.identifier
            """)

    @Flag(help: "Print one line of JSON per tap.")
    var json = false

    @OptionGroup var selection: TapSelection

    @Option(help: ArgumentHelp("The most taps to list (default: all).", valueName: "number"))
    var limit: Int?

    @Flag(help: "List the newest tap first.")
    var newest = false

    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit takes a number of at least 1") }
    }

    func run() async throws {
        let count = try await connection.withJournal { client, _ in
            var pages = TapPages(
                client, after: selection.after, readers: selection.readers, limit: limit, isNewestFirst: newest)
            let output = OutputBuffer()
            var count = 0
            while let taps = try await pages.next() {
                if json { try output.put(json: taps) } else { try output.put(table: taps) }
                try output.flush()
                count += taps.count
            }
            return count
        }
        if count == 0, !json { Terminal.error("There are no taps.") }
    }
}

extension OutputBuffer {
    /// Appends a line of JSON for each tap.
    func put(json taps: [RecordedTap]) throws {
        for tap in taps { try put(try JSONLine.printable(tap)) }
    }

    /// Appends a row for each tap.
    fileprivate func put(table taps: [RecordedTap]) throws {
        for line in TextTable(rows: taps.map(\.row)).lines(width: OutputStyle.output.width) { try put(line: line) }
    }
}

/// `nfcctl taps show`: shows one tap with its message.
struct TapsShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show a tap of the journal with its message.",
        discussion: """
            The tap is given by its sequence number or its id. Looking for an id takes some seconds in a journal of a \
            million taps.

            Examples:
              nfcctl taps show 1001
              nfcctl taps show 0192f0c1-2b00-7000-8000-000000000001 --json
            """)

    @Argument(help: ArgumentHelp("The sequence number or the id of the tap.", valueName: "tap"))
    var name: String

    @Flag(help: "Print one line of JSON.")
    var json = false

    @Flag(help: "Show long payloads and texts in full.")
    var full = false

    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let tap = try await connection.withJournal { client, status in
            if let sequence = Int64(name) { return try await client.tap(sequence) }
            let tap = try await client.tap(id: name.lowercased()) { count in
                Terminal.status("Searched \(count) of \(status.taps) taps…")
            }
            Terminal.clearStatus()
            return tap
        }
        guard let tap else {
            Terminal.error("nfcctl: the journal has no tap \(name.escaped). 'nfcctl taps list' lists those it has.")
            throw ExitCode.badData
        }
        guard !json else { return Terminal.print(json: tap) }
        for line in TextTable(rows: tap.facts).lines(width: OutputStyle.output.width) { Terminal.print(line) }
        guard let message = tap.message else { return }
        Terminal.print("")
        _ = try MessageReport(isFull: full) { Terminal.print($0) }.show(message.encoded())
    }
}
