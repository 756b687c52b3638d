import ArgumentParser
import FoundationEssentials
import NDEF
import NFCClient
import NFCProtocol
import NFCTypes

/// `nfcctl spool new`: makes a tag one of a spool.
struct SpoolNewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Write an OpenPrintTag for a new spool to the next tag.",
        discussion: """
            The record takes all the room of the tag, so that nothing in front of it changes when the spool is used. Fields \
            are those of nfcctl spool set; a file has them as nfcctl spool show --json prints them. Without \
            material_class it is FFF (filament), and without instance_uuid the tag gets a random one.

            A tag that has a message already is refused without --force. Tags: ICODE SLIX2, or NTAG215 and 216, which \
            fewer printers read.

            Examples:
              nfcctl spool new material_type=PETG nominal_netto_full_weight=1000
              nfcctl spool new --file spool.json --uri https://example.com/s/42
            """)

    @Argument(help: ArgumentHelp("A field and its value.", valueName: "field=value"))
    var fields: [String] = []

    @Option(
        help: ArgumentHelp("Read fields from this file of JSON; - is standard input.", valueName: "path"),
        completion: .file())
    var file: String?

    @Option(help: ArgumentHelp("A link for phones, in front of the record.", valueName: "uri"))
    var uri: String?

    @Option(help: ArgumentHelp("The room for what changes with use (default: 32).", valueName: "bytes"))
    var auxSize = 32

    @Flag(help: "Format the tag first if necessary; on most tags this cannot be undone.")
    var format = false

    @Flag(help: "Replace a message, or other data, that the tag holds.")
    var force = false

    @OptionGroup var options: TagOptions

    func validate() throws {
        guard (16...512).contains(auxSize) else { throw ValidationError("--aux-size must be 16 to 512") }
    }

    func run() async throws {
        let updates = try updates()
        try await options.reportReaders()
        let (force, json, auxSize, uri) = (force, options.json, auxSize, uri)
        let preparation = TagPreparation(formats: format || force, overwrites: force)
        let operation = TagOperation(
            options: options, requires: TagWriteNDEF.requirement, TagReadNDEF.requirement,
            format ? TagFormat.requirement : .nothing)
        try await operation.run { tag in
            try await tag.prepare(preparation)
            if !force { try await Self.checkEmpty(tag) }
            let layout = try Self.layout(for: tag, room: try await tag.queryNDEFStatus().capacity, auxSize, uri)
            let record = try updates.reduce(layout.record) { try SpoolChange.record($0, with: $1) }
            try await tag.write(layout.message(with: record), verify: true, preparation)
            try SpoolReport(.record(layout.message.records.count - 1, NDEFRecord(record))).show(
                "spoolWritten", tag, json: json)
        }
    }

    /// What every tag has, then what is in the file, then what is on the command line.
    private func updates() throws -> [OpenPrintTagUpdate] {
        let instance = withUnsafeBytes(of: UUID().uuid) { Array($0) }.hexadecimal
        let usual = try OpenPrintTagUpdate(fields: ["material_class=FFF", "instance_uuid=\(instance)"])
        let shown = try file.map { try OpenPrintTagUpdate(file: $0) }
        return try [usual, shown, OpenPrintTagUpdate(fields: fields)].compactMap { $0 }
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

    /// The layout that fills the tag.
    private static func layout(
        for tag: RemoteTag, room: Int, _ auxSize: Int, _ uri: String?
    ) throws -> OpenPrintTagLayout {
        do { return try OpenPrintTagLayout(capacity: room, auxSize: auxSize, uri: uri) } catch {
            Terminal.error(
                "nfcctl: \(tag.summary) cannot be the tag of a spool: \(error.message.escaped). Nothing was written.")
            throw ExitCode.badData
        }
    }
}
