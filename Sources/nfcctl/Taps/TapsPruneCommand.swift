import ArgumentParser
import FoundationEssentials
import NDEF
import NFCClient
import NFCProtocol

/// `nfcctl taps prune`: deletes the oldest taps of the journal.
struct TapsPruneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Delete the oldest taps of the journal.",
        discussion: """
            Deletes the taps up to a sequence number, or those before the first that was read on a date or later. Taps that \
            a consumer has not acknowledged are kept, and all that follow them, unless --include-undelivered is given. It \
            asks for confirmation, unless --yes is given. It needs the capability manage.

            Examples:
              nfcctl taps prune --before 2026-01-31
              nfcctl taps prune --before 2026-01-31T12:00Z --yes
              nfcctl taps prune --through 1000 --include-undelivered
            """)

    @Option(
        help: ArgumentHelp(
            "Delete taps before this date or time, in UTC: 2026-01-31 or 2026-01-31T12:00Z.", valueName: "date"),
        transform: TapDate.init)
    var before: TapDate?

    @Option(help: ArgumentHelp("Delete taps up to this sequence number.", valueName: "sequence"))
    var through: Int64?

    @Flag(help: "Also delete taps that a consumer has not acknowledged.")
    var includeUndelivered = false

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    @Flag(help: "Print one line of JSON.")
    var json = false

    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        guard (before == nil) != (through == nil) else {
            throw ValidationError("give either --before or --through")
        }
        if let through, through < 1 { throw ValidationError("--through takes a sequence number of at least 1") }
        if !yes, !Terminal.isInput { throw ValidationError("deleted taps are gone; confirm it with --yes") }
    }

    func run() async throws {
        let result = try await connection.withJournal { client, status in
            guard let last = try await last(client, status), last >= status.oldest, status.taps > 0 else {
                return TapsPrune.Result?.none
            }
            try confirm(through: last, status)
            return try await client.call(
                TapsPrune.self, .init(through: last, includeUndelivered: includeUndelivered ? true : nil))
        }
        if json {
            Terminal.print(json: Removed(removed: result?.removed ?? 0))
        } else if let result {
            Terminal.print("Deleted \(counted(result.removed, "tap")).")
        } else {
            Terminal.print("There are no such taps.")
        }
    }

    private struct Removed: Encodable {
        let removed: Int
    }

    /// The sequence number of the last tap to delete; nil if there is none.
    private func last(_ client: NFCClient, _ status: TapsStatus.Result) async throws -> Int64? {
        guard let before else { return through.map { min($0, status.newest) } }
        defer { Terminal.clearStatus() }
        var pages = TapPages(client)
        var (last, count) = (Int64?.none, 0)
        while let taps = try await pages.next() {
            let older = taps.prefix { before.isAfter($0) }
            last = older.last?.sequence ?? last
            if older.count < taps.count { break }
            count += taps.count
            Terminal.status("Searched \(count) of \(status.taps) taps…")
        }
        return last
    }

    private func confirm(through last: Int64, _ status: TapsStatus.Result) throws {
        guard !yes else { return }
        let what = includeUndelivered ? ", also those that a consumer has not acknowledged" : ""
        Terminal.error("The taps \(status.oldest) to \(last) will be deleted\(what). Type \"prune\" to continue:")
        guard readLine() == "prune" else {
            Terminal.error("No tap was deleted.")
            throw ExitCode.interrupted
        }
    }
}

/// A date or a time in UTC, compared with the times of taps as text.
struct TapDate: Sendable {
    /// `2026-01-31`, or more of RFC 3339 without the zone.
    private let text: String

    /// - Throws: `ValidationError` if the text is not a date.
    init(_ text: String) throws {
        let pattern = /(\d{4})-(\d\d)-(\d\d)(?:T([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?Z)?/
        guard let match = try pattern.wholeMatch(in: text), let month = Int(match.2), let day = Int(match.3),
            (1...12).contains(month), (1...31).contains(day)
        else { throw ValidationError("'\(text)' is not a date; write 2026-01-31, or 2026-01-31T12:00Z") }
        self.text = text.hasSuffix("Z") ? String(text.dropLast()) : text
    }

    /// Whether a tap was read before.
    func isAfter(_ tap: RecordedTap) -> Bool { tap.time < text }
}
