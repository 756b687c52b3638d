import ArgumentParser
import NDEF
import NFCClient
import NFCProtocol
import NFCTypes

/// `nfcctl write`: writes a message to a tag.
struct WriteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "write",
        abstract: "Write a message to the next tag.",
        discussion: """
            Replaces the message on the tag. The options for records are those of nfcctl ndef encode. If the tag is removed \
            too early, it contains the old message, none, or the new one; the error reports which. A URI without a scheme \
            and a vCard that is none are refused, unless --force is given.

            Examples:
              nfcctl write --uri https://example.com
              nfcctl write --text Hello --language de --text Hallo --verify
              nfcctl read --json >tag.json, then nfcctl write --file tag.json
              nfcctl write --ndef D1010C55046578616D706C652E636F6D
              nfcctl write --uri https://example.com --tag-password-file door.key

            With --each, it writes one tag after another until all rows are written, and verifies each. {n} in the values \
            of options is the number of the row, {n:05} with at least five digits; {name} is the value of a column; {{ is a \
            brace. No tag is written twice, and no row to two tags: a row whose tag was removed too early is kept for that \
            tag. The report has a line for each written tag; Ctrl-C stops, and the same command continues.

            Examples:
              nfcctl write --each --uri 'https://ex.am/{n:05}' --count 100 \\
                --report tags.csv
              nfcctl write --each --csv guests.csv --uri 'https://ex.am/{id}' \\
                --text '{name}' --report tags.csv
              nfcctl write --each --json-lines messages.jsonl --report tags.csv --lock
            """)

    @Flag(help: "Read the message back and compare it.")
    var verify = false

    @Flag(help: "Format the tag first if necessary; on most tags this cannot be undone.")
    var format = false

    @Flag(help: "Write a URI without a scheme, or a vCard that is none, too.")
    var force = false

    @OptionGroup var content: NDEFOptions
    @OptionGroup(title: "Many tags")
    var batch: BatchOptions
    @OptionGroup var options: TagOptions

    private struct Written: Encodable {
        let bytes: Int
        let verified: Bool
    }

    func validate() throws {
        if batch.each, options.session.timeout != nil {
            throw ValidationError("--timeout is not for several tags; a batch ends with its last row, or with Ctrl-C")
        }
        if !batch.each, !content.isGiven {
            throw ValidationError("no message given; give one such as --uri https://example.com")
        }
    }

    func run() async throws {
        if batch.each { return try await writeEach() }
        guard let bytes = try content.message(for: "write", acceptsDoubts: force) else { throw ExitCode.badData }
        let message = bytes.isEmpty ? NDEFMessage() : try NDEFMessage(decoding: bytes)
        let (verify, format, json) = (verify, format, options.json)
        let operation = TagOperation(
            options: options, requires: TagWriteNDEF.requirement, format ? TagFormat.requirement : .nothing,
            messageSize: bytes.count)
        try await operation.run { tag in
            try await tag.write(message, verify: verify, formatting: format)
            if json {
                let written = Written(bytes: bytes.count, verified: verify)
                Terminal.print(json: TagEvent(event: "written", tag: tag.facts, extra: written))
            } else {
                let verified = verify ? "; verified" : ""
                Terminal.print("Wrote \(bytes.count) bytes to \(tag.summary)\(verified)")
            }
        }
    }
}

extension WriteCommand {
    private func writeEach() async throws {
        let source = BatchRows(batch, content: content, acceptsDoubts: force)
        let rows = try source.rows()
        let settings = try batch.end.settings(options, format: format)
        let style = try source.reportStyle()
        let report = try batch.end.report.map {
            try BatchReport(
                path: $0, dialect: style.dialect, tableColumns: style.columns, declared: content.tableEncoding)
        }
        let run = try BatchRun(rows: rows, settings: settings, options: options.session, report: report)
        try await batch.end.confirm(count: rows.count)
        try await run.run()
    }
}

extension RemoteTag {
    /// Writes a message, and formats a tag without NDEF first if that is wanted; otherwise prints what to do about it.
    func write(_ message: NDEFMessage, verify: Bool, formatting: Bool) async throws {
        if formatting, try await queryNDEFStatus().status == .notSupported { try await format() }
        do {
            try await showingProgress("Writing") { try await writeNDEF(message, verify: verify, progress: $0) }
        } catch let error as NFCClientError where error.nfcCode == .unsupportedFeature {
            // Nothing was written: the tag holds no NDEF.
            Terminal.error("nfcctl: \(summary) is not formatted for NDEF. Add --format to format it first.")
            throw error
        }
    }
}

/// `nfcctl erase`: removes the message from a tag.
struct EraseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Remove the message from the next tag; the tag stays formatted.",
        discussion: """
            Only the length of the message is set to zero: its bytes remain in the tag's memory until the next message \
            overwrites them.

            Examples:
              nfcctl erase
              nfcctl erase --timeout 10 --json
            """)

    @OptionGroup var options: TagOptions

    func run() async throws {
        let json = options.json
        try await TagOperation(options: options, requires: TagWriteNDEF.requirement).run { tag in
            try await tag.writeNDEF(NDEFMessage())
            tag.report("erased", "Erased \(tag.summary)", json: json)
        }
    }
}

/// `nfcctl format`: formats a tag for NDEF.
struct FormatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "format",
        abstract: "Format the next tag for NDEF messages.",
        discussion: """
            A tag that is already formatted keeps its message. On most tags, formatting cannot be undone.

            Examples:
              nfcctl format
              nfcctl format --timeout 10 --json
            """)

    @OptionGroup var options: TagOptions

    func run() async throws {
        let json = options.json
        try await TagOperation(options: options, requires: TagFormat.requirement).run { tag in
            try await tag.format()
            tag.report("formatted", "Formatted \(tag.summary)", json: json)
        }
    }
}
