import ArgumentParser
import NDEF
import NFCClient
import NFCProtocol
import NFCTypes
import Synchronization

/// `nfcctl copy`: copies the message of a tag to other tags.
struct CopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Read one tag, and write its message to the next ones.",
        discussion: """
            Reads the message of the first tag, then writes it to as many other tags as --count gives, and verifies each. \
            The original and tags that have their copy are never written. Copies are messages, not cards: UID, keys and \
            everything else of a tag stay its own. Ctrl-C stops after the tag that is being written; with --report, the \
            same command continues.

            Examples:
              nfcctl copy
              nfcctl copy --count 20 --report copies.csv
              nfcctl copy --count 20 --report copies.csv --lock --yes
            """)

    @Option(help: ArgumentHelp("The number of copies.", valueName: "n"))
    var count = 1

    @Flag(help: "Format a tag first if necessary; on most tags this cannot be undone.")
    var format = false

    @OptionGroup var end: BatchEndOptions
    @OptionGroup var options: TagOptions

    func validate() throws {
        try validateCount(count)
        if options.session.timeout != nil {
            throw ValidationError(
                "--timeout cannot be used with several tags; copy ends with the last one, or with Ctrl-C")
        }
    }

    func run() async throws {
        try await end.confirm(count: count)
        let report = try end.report.map { try BatchReport(path: $0) }
        let (identifier, bytes) = try await readOriginal()
        let rows = (1...count).map { BatchRow(number: $0, bytes: bytes) }
        let settings = try end.settings(options, TagPreparation(formats: format))
        let batch = try BatchRun(
            rows: rows, original: identifier, settings: settings, options: options.session, report: report)
        try await batch.run()
    }

    /// Reads the first tag.
    ///
    /// - Returns: its UID and its encoded message.
    private func readOriginal() async throws -> ([UInt8], [UInt8]) {
        let original = Mutex<([UInt8], [UInt8])?>(nil)
        let json = options.json
        try await TagOperation(options: options, requires: TagReadNDEF.requirement).run { tag in
            let message = try await tag.readNDEF().message
            let bytes = try message.encoded()
            original.withLock { $0 = (tag.identifier, bytes) }
            let content = message.records.summary
            tag.report("original", "Read \(content) from \(tag.summary). Now hold the next tag.", json: json)
        }
        guard let original = original.withLock({ $0 }) else { throw ExitCode.tagError }
        return original
    }
}
