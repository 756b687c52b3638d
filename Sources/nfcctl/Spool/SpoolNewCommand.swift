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
            are those of nfcctl spool set, and one without a value is left out. A file of JSON has them as one object, such \
            as {"material_type": "PLA"}, or as nfcctl spool show --json or nfcctl read --json prints them; what is of the \
            other spool alone, instance_uuid and consumed_weight for example, is left out without --keep-id. Without \
            material_class it is FFF (filament), and without instance_uuid the tag gets a random one. What the \
            specification does not allow, such as a least temperature above the highest, is refused before the tap.

            A tag that has a message already is refused without --force. Tags: ICODE SLIX2, or NTAG215 and 216, which \
            fewer printers read.

            With --each, it writes one tag after another, as nfcctl write --each does: no tag is written twice, no row to two \
            tags, and the same command continues after Ctrl-C. The columns of the CSV file are fields, uri, or values for \
            placeholders; an empty cell leaves its field out. Fields of the command line are those of all rows; {n} in them \
            and in --uri is the number of the row, and {name} the value of a column. A row of the report is checked against \
            its tag with nfcctl read --check.

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

    @Flag(
        help: """
            Take over from the file what is of one spool alone: instance_uuid, brand_specific_instance_id, consumed_weight \
            and last_stir_time.
            """)
    var keepID = false

    @Option(help: ArgumentHelp("A link for phones, in front of the record.", valueName: "uri"))
    var uri: String?

    @Flag(help: "Format the tag first if necessary; on most tags this cannot be undone.")
    var format = false

    @Flag(help: "Replace a message, or other data, that the tag holds; write a URI without a scheme, too.")
    var force = false

    @OptionGroup var room: SpoolRoom
    @OptionGroup var workgroup: SpoolWorkgroupOptions
    @OptionGroup(title: "Many tags")
    var batch: SpoolBatchOptions
    @OptionGroup var options: TagOptions

    private var preparation: TagPreparation { TagPreparation(formats: format || force, overwrites: force) }

    func validate() throws {
        if keepID, file == nil { throw ValidationError("--keep-id is for --file") }
        if batch.each, options.session.timeout != nil {
            throw ValidationError(
                "--timeout cannot be used with several tags; a batch ends with its last row, or with Ctrl-C")
        }
        if fields.isEmpty, file == nil, batch.csv == nil { throw Self.noField }
    }

    func run() async throws {
        do { try await batch.each ? writeEach() : writeOne() } catch let error as ValidationError {
            throw error.reportField()
        }
    }

    private func writeOne() async throws {
        let (force, json, preparation) = (force, options.json, preparation)
        let spool = try spool(RowValues(number: 1), try shown(), fills: false)
        try spool.check()
        let operation = options.spoolOperation(
            changes: true, requires: TagWriteNDEF.requirement, TagReadNDEF.requirement,
            format ? TagFormat.requirement : .nothing)
        try await operation.run { tag in
            let replaced = force && !json ? await tag.replacedContent() : nil
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
            if let replaced { Terminal.print("The message replaced \(replaced).") }
        }
    }

    private static let noField = ValidationError("no field given; give one such as material_type=PLA")

    /// The fields of the file.
    private func shown() throws -> OpenPrintTagUpdate? {
        guard let file else { return nil }
        let shown = try SpoolFile(path: file, keepsOwn: keepID)
        if !shown.dropped.isEmpty {
            let (names, isOne) = (shown.dropped.joined(separator: ", "), shown.dropped.count == 1)
            Terminal.error(
                "nfcctl: \(InputFile(path: file).name) is of another spool; left out \(isOne ? "is" : "are") \(names). "
                    + "--keep-id takes \(isOne ? "it" : "them") over.")
        }
        return shown.update
    }

    /// What the workgroup is, then what is in the file, then what is on the command line, then what is in the table.
    ///
    /// - Parameter fills: whether placeholders are replaced.
    private func spool(_ values: RowValues, _ shown: OpenPrintTagUpdate?, fills: Bool) throws -> NewSpool {
        let given = try OpenPrintTagUpdate(fields: fills ? fields.map { try values.filling($0) } : fields)
        let cells = values.columns.filter { name, value in !value.isEmpty && isField(name) }
        let table = try OpenPrintTagUpdate(fields: cells.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })
        let updates = [shown, given, table].compactMap { $0 }
        guard updates.contains(where: \.setsFields) else { throw Self.noField }
        let link = values.columns[SpoolBatch.uriColumn].flatMap { $0.isEmpty ? nil : $0 }
        let uri = try link ?? uri.map { fills ? try values.filling($0) : $0 }
        if let uri, let doubt = URIDoubt(uri), !force {
            throw ValidationError("\(uri.escaped): \(doubt.text), or add --force")
        }
        return try NewSpool([workgroup.chosen.update] + updates, uri: uri, room: room)
    }

    /// Whether a column has values of a field: not the link, what only takes the place of placeholders, or what a field of the command
    /// line is made of.
    private func isField(_ column: String) -> Bool {
        if column == SpoolBatch.uriColumn || isGiven(column) { return false }
        return SpoolFieldText.find(column) != nil || !isPlaced(column, in: [uri ?? ""] + fields)
    }

    private func isPlaced(_ column: String, in texts: [String]) -> Bool {
        texts.contains { $0.contains("{\(column)}") }
    }

    /// Whether the command line has the field of a column, too.
    private func isGiven(_ column: String) -> Bool { !given(column).isEmpty }

    private func given(_ column: String) -> [String] {
        guard let field = SpoolFieldText.find(column)?.field.name else { return [] }
        return fields.filter { SpoolFieldText.find(String($0.prefix { $0 != "=" }))?.field.name == field }
    }

    /// Refuses columns that are not fields, and a field of the command line that would hide a column.
    ///
    /// - Throws: `ExitCode` 65, after printing the column.
    private func check(_ columns: [String], of file: InputFile) throws {
        for column in columns where column != SpoolBatch.uriColumn {
            if SpoolFieldText.find(column) == nil, !isPlaced(column, in: [uri ?? ""] + fields) {
                do throws(SpoolFieldError) { _ = try SpoolFieldText(named: column) } catch {
                    throw spoolRefusal("\(file.name): \(error.reason)")
                }
            }
            if let field = given(column).first, !isPlaced(column, in: [field]) {
                throw spoolRefusal(
                    "\(file.name) has the column \(column.escaped), and the command line \(field.escaped). Leave one of them out"
                )
            }
        }
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
        let report = try batch.report.map {
            try BatchReport(path: $0, dialect: dialect, tableColumns: names, declared: batch.tableEncoding)
        }
        try await BatchRun(rows: try spools.rows(), settings: settings, options: options.session, report: report).run()
    }

    /// The rows of the table, or as many without columns, and how a report is written.
    private func table() throws -> (rows: [[String: String]], dialect: TableDialect, names: [String]) {
        guard let csv = batch.csv else {
            return ([[String: String]](repeating: [:], count: batch.count ?? 0), TableDialect(), [])
        }
        let table = try BatchRows.namedTable(
            InputFile(path: csv), delimiter: batch.delimiter, declared: batch.tableEncoding)
        try check(table.names, of: InputFile(path: csv))
        return (try BatchRows.columns(of: table, in: InputFile(path: csv)), table.dialect, table.names)
    }
}
