import ArgumentParser
import NDEF
import NFCClient
import NFCProtocol

/// `nfcctl spool new`: makes a tag one of a spool.
struct SpoolNewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Write an OpenPrintTag for a new spool to the next tag.",
        discussion: """
            The record takes the room of the tag, so that nothing in front of it changes when the spool is used. Fields \
            are those of nfcctl spool set; a file has them as nfcctl spool show --json prints them. Without \
            material_class it is FFF (filament), and without instance_uuid the tag gets a random one. What the \
            specification does not allow, such as a least temperature above the highest, is refused before the tap.

            A tag that has a message already is refused without --force. Tags: ICODE SLIX2, or NTAG215 and 216, which \
            fewer printers read.

            With --each, it writes one tag after another, as nfcctl write --each does: no tag is written twice, no row to two \
            tags, and the same command continues after Ctrl-C. The columns of the CSV file are fields; an empty cell leaves \
            its field out. Fields of the command line are those of all rows; {n} in them and in --uri is the number of the row, \
            and {name} the value of a column. A row of the report is checked against its tag with nfcctl read --check.

            Examples:
              nfcctl spool new material_type=PETG nominal_netto_full_weight=1000
              nfcctl spool new --file spool.json --uri https://example.com/s/42
              nfcctl spool new --each --csv spools.csv --report tags.csv
              nfcctl spool new --each --count 20 material_type=PLA --report tags.csv
            """)

    @Argument(help: ArgumentHelp("A field and its value.", valueName: "field=value"))
    var fields: [String] = []

    @Option(
        help: ArgumentHelp("Read fields from this file of JSON; - is standard input.", valueName: "path"),
        completion: .file())
    var file: String?

    @Option(help: ArgumentHelp("A link for phones, in front of the record.", valueName: "uri"))
    var uri: String?

    @Flag(help: "Format the tag first if necessary; on most tags this cannot be undone.")
    var format = false

    @Flag(help: "Replace a message, or other data, that the tag holds.")
    var force = false

    @OptionGroup var room: SpoolRoom
    @OptionGroup var workgroup: SpoolWorkgroupOptions
    @OptionGroup(title: "Many tags")
    var batch: SpoolBatchOptions
    @OptionGroup var options: TagOptions

    private var preparation: TagPreparation { TagPreparation(formats: format || force, overwrites: force) }

    func validate() throws {
        if batch.each, options.session.timeout != nil {
            throw ValidationError(
                "--timeout cannot be used with several tags; a batch ends with its last row, or with Ctrl-C")
        }
    }

    func run() async throws {
        if batch.each { return try await writeEach() }
        let (force, json, preparation) = (force, options.json, preparation)
        let spool = try spool(RowValues(number: 1), try shown(), fills: false)
        try spool.check()
        let operation = options.spoolOperation(
            requires: TagWriteNDEF.requirement, TagReadNDEF.requirement, format ? TagFormat.requirement : .nothing)
        try await operation.run { tag in
            try await tag.prepare(preparation)
            if !force { try await Self.checkEmpty(tag) }
            let status = try await tag.queryNDEFStatus()
            if status.status == .notSupported, let advice = try await tag.formatAdvice() {
                Terminal.error("nfcctl: \(tag.summary) \(advice) Nothing was written.")
                throw ExitCode.tagError
            }
            let message = try Self.message(of: spool, for: tag, capacity: status.capacity)
            try await tag.write(message, verify: true, preparation)
            try SpoolReport(.record(message.records.count - 1, of: message), identifier: tag.identifier).show(
                "spoolWritten", tag, json: json)
        }
    }

    /// The fields of the file.
    private func shown() throws -> OpenPrintTagUpdate? { try file.map { try OpenPrintTagUpdate(file: $0) } }

    /// What the workgroup is, then what is in the file, then what is on the command line, then what is in the table.
    ///
    /// - Parameter fills: whether placeholders are replaced.
    private func spool(_ values: RowValues, _ shown: OpenPrintTagUpdate?, fills: Bool) throws -> NewSpool {
        let given = try OpenPrintTagUpdate(fields: fills ? fields.map { try values.filling($0) } : fields)
        let placed = { (name: String) in ([uri ?? ""] + fields).contains { $0.contains("{\(name)}") } }
        let cells = values.columns.filter { name, value in
            name != SpoolBatch.uriColumn && !value.isEmpty && !placed(name)
        }
        let table = try OpenPrintTagUpdate(fields: cells.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })
        let link = values.columns[SpoolBatch.uriColumn].flatMap { $0.isEmpty ? nil : $0 }
        return try NewSpool(
            [workgroup.chosen.update, shown, given, table].compactMap { $0 },
            uri: link ?? uri.map { fills ? try values.filling($0) : $0 }, room: room)
    }

    /// - Throws: `ExitCode` 65, after printing the reason, for a tag with a message.
    private static func checkEmpty(_ tag: RemoteTag) async throws {
        let message: NDEFMessage
        do { message = try await tag.readNDEF().message } catch let error as NFCClientError
            where error.nfcCode == .zeroLengthMessage || error.nfcCode == .unsupportedFeature
        {
            return
        }
        guard !message.records.isEmpty else { return }
        let found = message.records.map { "\($0)" }.joined(separator: "; ")
        Terminal.error("nfcctl: \(tag.summary) holds \(found). --force replaces it; nothing was written.")
        throw ExitCode.badData
    }

    /// The message that fills the tag.
    private static func message(of spool: NewSpool, for tag: RemoteTag, capacity: Int) throws -> NDEFMessage {
        do { return try spool.message(capacity: capacity) } catch {
            throw spoolRefusal("\(tag.summary) cannot be the tag of this spool: \(error.message.escaped)")
        }
    }
}

extension SpoolNewCommand {
    private func writeEach() async throws {
        let (rows, dialect, names) = try table()
        let shown = try shown()
        let spools = try SpoolBatch(rows: rows) { try spool($0, shown, fills: true) }
        if batch.dryRun { return try BatchPreview(rows: try spools.preview(), json: options.json).print() }
        var settings = BatchRun.Settings(
            preparation: preparation, passwords: try options.password.read(), json: options.json)
        settings.onlyEmpty = !force
        settings.layout = spools
        let report = try batch.report.map { try BatchReport(path: $0, dialect: dialect, tableColumns: names) }
        try await BatchRun(rows: try spools.rows(), settings: settings, options: options.session, report: report).run()
    }

    /// The rows of the table, or as many without columns, and how a report is written.
    private func table() throws -> (rows: [[String: String]], dialect: TableDialect, names: [String]) {
        guard let csv = batch.csv else {
            return ([[String: String]](repeating: [:], count: batch.count ?? 0), TableDialect(), [])
        }
        let table = try BatchRows.namedTable(InputFile(path: csv), delimiter: batch.delimiter, declared: nil)
        return (try BatchRows.columns(of: table, in: InputFile(path: csv)), table.dialect, table.names)
    }
}
