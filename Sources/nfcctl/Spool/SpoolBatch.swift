import ArgumentParser
import NDEF
import NFCClient
import NFCTypes

/// The options for many spools.
struct SpoolBatchOptions: ParsableArguments {
    @Flag(help: "Write one tag after another, each with its own row; needs --report, and --count or --csv.")
    var each = false

    @Option(help: ArgumentHelp("The number of tags.", valueName: "n"))
    var count: Int?

    @Option(
        help: ArgumentHelp(
            "One spool for each line of this CSV file; its columns are fields, and uri for a link.", valueName: "file"),
        completion: .file(extensions: ["csv"]))
    var csv: String?

    @Option(
        help: ArgumentHelp(
            "The delimiter of the CSV file, such as ';' or tab (default: detected in its first line).",
            valueName: "character"))
    var delimiter: String?

    @Option(
        help: ArgumentHelp(
            "The encoding of the CSV file, if it has no byte order mark: \(TextEncoding.declared) (default: utf-8).",
            valueName: "name"),
        completion: .list(["utf-8", "windows-1252", "iso-8859-1", "utf-16le", "utf-16be"]))
    var encoding: String?

    /// The encoding that is named.
    var tableEncoding: TextEncoding? { encoding.flatMap(TextEncoding.init(ofTable:)) }

    @Option(
        help: ArgumentHelp(
            "Append a line for each tag to this CSV file; a batch that was interrupted continues where it ends.",
            valueName: "file"),
        completion: .file(extensions: ["csv"]))
    var report: String?

    @Flag(help: "Print the rows and check them; nfcd, a reader and --report are not needed, and nothing is written.")
    var dryRun = false

    func validate() throws {
        guard each else {
            let given = [
                ("--count", count != nil), ("--csv", csv != nil), ("--delimiter", delimiter != nil),
                ("--encoding", encoding != nil), ("--report", report != nil), ("--dry-run", dryRun),
            ]
            if let option = given.first(where: { $0.1 })?.0 {
                throw ValidationError("\(option) is for batches; add --each")
            }
            return
        }
        if report == nil, !dryRun {
            throw ValidationError("--each needs --report FILE, which makes the batch resumable")
        }
        try validateReport(report)
        if (count != nil) == (csv != nil) { throw ValidationError("--each needs one of --count N and --csv FILE") }
        try validateDelimiter(delimiter, csv: csv)
        if let encoding {
            if csv == nil { throw ValidationError("--encoding is for --csv") }
            if tableEncoding == nil, !["utf-8", "utf8"].contains(encoding.lowercased()) {
                throw ValidationError("--encoding takes utf-8, or one of \(TextEncoding.declared)")
            }
        }
        try validateCount(count)
    }
}

/// The spools of a batch: one for each row, laid out for the tag that gets it.
struct SpoolBatch: Sendable {
    /// What a table may have beside fields.
    static let uriColumn = "uri"
    /// The bytes of the longest message of a SLIX2.
    private static let usual = 308

    private let spools: [NewSpool]
    private let tables: [[String: String]]
    /// Whether the rows have their own instances, so that two rows with the same fields differ.
    private let keepsInstance: Bool

    /// - Parameters:
    ///   - rows: the values of the table, by column; none for a batch without one.
    ///   - make: the spool of a row.
    /// - Throws: `ExitCode`, after printing which row is invalid.
    init(rows: [[String: String]], make: (RowValues) throws -> NewSpool) throws {
        tables = rows
        var doubts: [(text: String, row: Int)] = []
        spools = try rows.enumerated().map { offset, columns in
            do {
                let spool = try make(RowValues(number: offset + 1, columns: columns))
                doubts += try spool.check(warns: false).map { ($0, offset + 1) }
                return spool
            } catch let error as PlaceholderError {
                throw Self.invalid(offset, error.reason)
            } catch let error as ValidationError {
                throw Self.invalid(offset, error.message)
            } catch let code as ExitCode {
                Terminal.error("This is row \(offset + 1).")
                throw code
            }
        }
        keepsInstance = spools.contains { $0.givenInstance != nil }
        try Self.checkInstances(spools)
        Self.report(doubts)
    }

    /// Prints what is unusual in which rows.
    private static func report(_ doubts: [(text: String, row: Int)]) {
        let limit = 5
        let rows = Dictionary(grouping: doubts, by: \.text).sorted {
            ($0.value[0].row, $0.key) < ($1.value[0].row, $1.key)
        }
        for (text, found) in rows.prefix(limit) {
            let more = found.count > 1 ? " and \(counted(found.count - 1, "other"))" : ""
            Terminal.error("nfcctl: warning: row \(found[0].row)\(more): \(text)")
        }
        if rows.count > limit {
            Terminal.error("nfcctl: warning: \(counted(rows.count - limit, "value")) more unusual")
        }
    }

    /// Refuses rows that would be the same spool.
    ///
    /// - Throws: `ExitCode` 65, after printing both rows.
    private static func checkInstances(_ spools: [NewSpool]) throws {
        var rows: [[UInt8]: Int] = [:]
        for (offset, spool) in spools.enumerated() {
            guard let instance = spool.givenInstance else { continue }
            if let first = rows.updateValue(offset, forKey: instance) {
                throw spoolRefusal(
                    "rows \(first + 1) and \(offset + 1) have the same instance_uuid, \(OpenPrintTagUUIDs.text(instance)), and "
                        + "each spool has its own. Leave it out, and each tag gets a random one")
            }
        }
    }

    private static func invalid(_ offset: Int, _ reason: String) -> ExitCode {
        Terminal.error("nfcctl: row \(offset + 1): \(reason)")
        return .badData
    }

    /// The rows for the plan: what a message of each has on every tag.
    ///
    /// - Throws: ``NDEFPayloadError``, if a row was not checked before.
    func rows() throws -> [BatchRow] {
        try zip(spools, tables).enumerated().map { offset, row in
            let bytes = key(of: try row.0.message(capacity: NewSpool.largest)) ?? []
            return BatchRow(number: offset + 1, bytes: bytes, columns: row.1)
        }
    }

    /// The rows as they are on a tag of the usual size, or on a larger one.
    func preview() throws -> [BatchRow] {
        try spools.enumerated().map { offset, spool in
            let message =
                try (try? spool.message(capacity: Self.usual)) ?? spool.message(capacity: NewSpool.largest)
            return BatchRow(number: offset + 1, bytes: try message.encoded())
        }
    }

    private func key(of message: NDEFMessage) -> [UInt8]? {
        guard let (index, record) = message.openPrintTag,
            let kept = keepsInstance ? record : try? record.changing(.main, ["instance_uuid": .remove]),
            let main = kept.main, let size = main.usedSize
        else { return nil }
        return message.records.prefix(index).flatMap { $0.type + $0.payload } + main.bytes.prefix(size)
    }
}

extension SpoolBatch: BatchLayout {
    /// The fields of main and what is in front of the record: the room differs by tag, and aux changes with use.
    func key(of message: [UInt8]) -> [UInt8]? { (try? NDEFMessage(decoding: message)).flatMap(key(of:)) }

    func message(of row: BatchRow, on tag: RemoteTag) async throws -> BatchMessage {
        let status = try await tag.queryNDEFStatus()
        if status.status == .notSupported {
            return .notFormatted(try await tag.formatAdvice() ?? "holds no NDEF message.")
        }
        let capacity = status.capacity
        guard spools.indices.contains(row.number - 1) else { return .refused("there is no such row") }
        do throws(NDEFPayloadError) {
            return .message(try spools[row.number - 1].message(capacity: capacity))
        } catch {
            return .refused(error.message.escaped)
        }
    }
}
