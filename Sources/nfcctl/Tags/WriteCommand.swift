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
            and a file for --vcard without a vCard are refused, unless --force is given; so is a tag that holds other data and no \
            message, and a message that would reach into the data of a filament tag behind the old one. nfcctl dump saves that data first. \
            A message that made the tag one of a spool is replaced like any other, and named afterwards.

            Examples:
              nfcctl write --uri https://example.com
              nfcctl write --text Hello --language de --text Hallo --verify
              nfcctl read --json >tag.json, then nfcctl write --file tag.json
              nfcctl write --ndef D1010C55046578616D706C652E636F6D
              nfcctl write --uri https://example.com --tag-password-file door.key

            With --each, it writes one tag after another until all rows are written, and verifies each. {n} in the values \
            of options is the number of the row, {n:05} with at least five digits; {name} is the value of a column; {{ is a \
            brace. No tag is written twice, and no row to two tags: a row whose tag was removed too early is kept for that \
            tag. The report has a line for each written tag; Ctrl-C stops, and the same command continues. --dry-run prints \
            the rows first; --only-empty leaves tags alone that hold something.

            With --profile, each tag also becomes one of a profile of nfcd's keys, as nfcctl secure setup does, and has to rest \
            on the reader. A message is not needed: the profile brings its own, or the tag is for a challenge. A tag that left \
            early is resumed when it comes back, and one that was set up before is verified and counted once. The report also \
            has the profile, the result, the versions of the keys and the signature of the maker.

            Examples:
              nfcctl write --each --uri 'https://ex.am/{n:05}' --count 100 \\
                --report tags.csv
              nfcctl write --each --csv guests.csv --uri 'https://ex.am/{id}' \\
                --text '{name}' --report tags.csv
              nfcctl write --each --json-lines messages.jsonl --report tags.csv --lock
              nfcctl write --each --csv people.csv --profile front-door --report cards.csv
            """)

    @Flag(help: "Read the message back and compare it.")
    var verify = false

    @Flag(help: "Format the tag first if necessary; on most tags this cannot be undone.")
    var format = false

    @Flag(
        help: """
            Write a URI without a scheme, or a file without a vCard, too; overwrite other data: behind the message, or on a \
            tag without one.
            """)
    var force = false

    /// What to do with a tag without NDEF.
    private var preparation: TagPreparation { TagPreparation(formats: format || force, overwrites: force) }

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
            throw ValidationError(
                "--timeout cannot be used with several tags; a batch ends with its last row, or with Ctrl-C")
        }
        if batch.onlyEmpty, force {
            throw ValidationError("--only-empty and --force cannot be combined: --force overwrites what a tag holds")
        }
        if batch.setUp.profile != nil, format {
            throw ValidationError("--profile sets up tags as delivered; leave out --format")
        }
        if !batch.each, !content.isGiven {
            throw ValidationError("no message given; give one such as --uri https://example.com")
        }
    }

    func run() async throws {
        if batch.each { return try await writeEach() }
        guard let bytes = try content.message(for: "write", acceptsDoubts: force) else { throw ExitCode.badData }
        let message = bytes.isEmpty ? NDEFMessage() : try NDEFMessage(decoding: bytes)
        let (verify, force, preparation, json) = (verify, force, preparation, options.json)
        let operation = TagOperation(
            options: options, requires: TagWriteNDEF.requirement, format ? TagFormat.requirement : .nothing,
            messageSize: bytes.count)
        try await operation.run { tag in
            let replaced = json ? nil : force ? await tag.replacedContent() : await tag.spoolInMessage()
            try await tag.write(message, verify: verify, preparation)
            if json {
                let written = Written(bytes: bytes.count, verified: verify)
                Terminal.print(json: TagEvent(event: "written", tag: tag.facts, extra: written))
            } else {
                let verified = verify ? "; verified" : ""
                Terminal.print("Wrote \(counted(bytes.count, "byte")) to \(tag.summary)\(verified)")
                if let replaced { Terminal.print("The message replaced \(replaced).") }
            }
        }
    }
}

extension WriteCommand {
    private func writeEach() async throws {
        let source = BatchRows(batch, content: content, acceptsDoubts: force)
        let rows = try source.rows()
        // The same message on all tags is what --count without a placeholder asks for, and it may be what a profile wants.
        if batch.count == nil, batch.setUp.profile == nil {
            for doubt in BatchDoubts(rows).sentences { Terminal.error("nfcctl: warning: \(doubt)") }
        }
        if batch.dryRun { return try BatchPreview(rows: rows, json: options.json).print() }
        var settings = try batch.end.settings(options, TagPreparation(formats: format, overwrites: force))
        settings.onlyEmpty = batch.onlyEmpty
        settings.setUp = batch.setUp.setUp(overwritesMessage: force)
        settings.writesMessages = rows.contains { !$0.bytes.isEmpty } || settings.setUp == nil
        settings.hasRowPasswords = batch.setPasswordColumn != nil
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

/// What a command that writes a message does with a tag without NDEF.
struct TagPreparation: Sendable {
    /// Whether it is formatted.
    var formats = false
    /// Whether other data in its memory is overwritten then.
    var overwrites = false
}

extension RemoteTag {
    /// Formats a tag without NDEF if that is wanted.
    func prepare(_ preparation: TagPreparation) async throws {
        guard preparation.formats, try await queryNDEFStatus().status == .notSupported else { return }
        try await format(overwrite: preparation.overwrites)
    }

    /// Writes a message, and formats a tag without NDEF first if that is wanted; otherwise prints what can be done about it.
    func write(_ message: NDEFMessage, verify: Bool, _ preparation: TagPreparation) async throws {
        do {
            try await prepare(preparation)
            if let doubt = alignmentDoubt(of: message) { Terminal.error("nfcctl: warning: \(doubt)") }
            let overwrite = preparation.overwrites ? true : nil
            try await showingProgress("Writing") {
                try await writeNDEF(message, verify: verify, overwrite: overwrite, progress: $0)
            }
        } catch let error as NFCClientError where error.nfcCode == .unsupportedFeature {
            // Nothing was written: the tag holds no NDEF, or other data in the place of the message.
            if let advice = try? await formatAdvice() { Terminal.error("nfcctl: \(summary) \(advice)") }
            throw error
        }
    }

    /// What can be done about a tag without NDEF, or with other data in the place of a longer message; nil otherwise.
    func formatAdvice() async throws -> String? {
        let found = try await queryNDEFStatus(content: true)
        let saving = "Save it with nfcctl dump; --force overwrites it."
        guard found.status == .notSupported else {
            return found.content.map { "also holds \($0.words). \(saving)" }
        }
        if found.formattable == true { return "is not formatted for NDEF. Add --format to format it first." }
        if found.overwrites != nil {
            return "holds \(found.content?.name.escaped ?? "other data") and no message. \(saving)"
        }
        if let content = found.content {
            return "holds \(content.name.escaped) and no message\(found.obstacle.map { ": \($0.escaped)" } ?? "")."
        }
        return "holds no NDEF message\(found.obstacle.map { ": \($0.escaped)" } ?? "")."
    }
}

extension RemoteTag {
    /// A warning about a message whose OpenPrintTag record is off the blocks of this tag; nil if it is not, or if the message has no such record.
    ///
    /// The region that changes with the use of a spool has to start at a block, counted from the start of the memory. On a Type 5 Tag, the
    /// container of 4 or 8 bytes and the head of the TLV are in front of the message.
    fileprivate func alignmentDoubt(of message: NDEFMessage) -> String? {
        guard facts.type == .iso15693 else { return nil }
        let blockSize = 4
        var end = message.encodedLength < 0xFF ? 2 : 4
        for record in message.records {
            end += NDEFMessage(records: [record]).encodedLength
            guard case .openPrintTag(let spool) = record.decoded, let aux = spool.aux else { continue }
            let rest = (end - record.payload.count + aux.offset) % blockSize
            guard rest > 0 else { continue }
            return
                "the OpenPrintTag record is off the blocks of the tag: what changes with use begins \(counted(rest, "byte")) behind the "
                + "start of a block, so printers may refuse it. Make what is in front of it \(counted(blockSize - rest, "byte")) longer"
        }
        return nil
    }
}

extension RemoteTag {
    /// What makes the message on the tag one of a spool, in words: an OpenPrintTag, for example. Nil if it is not, or cannot be read.
    func spoolInMessage() async -> String? {
        let records = (try? await readNDEF())?.message.records ?? []
        return records.lazy.compactMap(\.spoolWords).first
    }

    /// What a message that is written replaces, if it is of a spool or in another known format, in words; nil otherwise.
    func replacedContent() async -> String? {
        if let spool = await spoolInMessage() { return spool }
        return (try? await queryNDEFStatus(content: true))?.content?.words
    }

    /// What can be done about a tag without a message to be erased; nil otherwise.
    fileprivate func eraseAdvice() async throws -> String? {
        let found = try await queryNDEFStatus()
        guard found.status == .notSupported else { return nil }
        if found.formattable == true {
            return "is not formatted for NDEF, so there is no message to erase. Format it with nfcctl format."
        }
        guard found.overwrites != nil else { return "holds no message to erase." }
        return
            "holds other data and no message to erase. Save it with nfcctl dump; nfcctl format --force overwrites it."
    }
}

extension NDEFRecord {
    /// The format of a spool's record, with an article; nil for other records.
    var spoolWords: String? {
        switch decoded {
        case .openPrintTag: "an OpenPrintTag"
        case .openSpool: "an OpenSpool"
        case .openTag3D: "an OpenTag3D"
        default: nil
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
            overwrites them. A message that made the tag one of a spool is named.

            Examples:
              nfcctl erase
              nfcctl erase --timeout 10 --json
            """)

    @OptionGroup var options: TagOptions

    func run() async throws {
        let json = options.json
        try await TagOperation(options: options, requires: TagWriteNDEF.requirement).run { tag in
            let removed = json ? nil : await tag.spoolInMessage()
            do {
                try await tag.writeNDEF(NDEFMessage())
            } catch let error as NFCClientError where error.nfcCode == .unsupportedFeature {
                if let advice = try? await tag.eraseAdvice() { Terminal.error("nfcctl: \(tag.summary) \(advice)") }
                throw error
            }
            tag.report("erased", "Erased \(tag.summary)\(removed.map { "; it was \($0)" } ?? "")", json: json)
        }
    }
}

/// `nfcctl format`: formats a tag for NDEF.
struct FormatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "format",
        abstract: "Format the next tag for NDEF messages.",
        discussion: """
            A tag that is already formatted keeps its message, and what is behind it: nothing is changed then. A tag without \
            one whose memory holds other data is refused, unless --force is given; nfcctl dump saves that data first. On \
            most tags, formatting cannot be undone.

            Examples:
              nfcctl format
              nfcctl format --timeout 10 --json
            """)

    private struct Formatted: Encodable {
        let changed: Bool
    }

    @Flag(help: "Overwrite other data in the memory of the tag; locks, configuration and keys are left alone.")
    var force = false

    @OptionGroup var options: TagOptions

    func run() async throws {
        let (json, force) = (options.json, force)
        try await TagOperation(options: options, requires: TagFormat.requirement).run { tag in
            // Without the right to ask, the tag is formatted all the same: one that is formatted stays as it is.
            let isFormatted = try? await tag.queryNDEFStatus().status != .notSupported
            do {
                try await tag.format(overwrite: force)
            } catch let error as NFCClientError where error.nfcCode == .unsupportedFeature {
                if try await tag.queryNDEFStatus().overwrites != nil {
                    Terminal.error("nfcctl: Save the data with nfcctl dump; --force overwrites it.")
                }
                throw error
            }
            let isChanged = isFormatted != true
            if json {
                Terminal.print(json: TagEvent(event: "formatted", tag: tag.facts, extra: Formatted(changed: isChanged)))
            } else {
                Terminal.print(
                    isChanged
                        ? "Formatted \(tag.summary)"
                        : "\(tag.summary) is formatted for NDEF already; nothing was changed")
            }
        }
    }
}
