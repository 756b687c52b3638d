import ArgumentParser
import FoundationEssentials
import NDEF
import NFCClient
import NFCProtocol
import NFCTypes
import Synchronization

/// `nfcctl taps export`: writes the taps of the journal to a file.
struct TapsExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write the taps of the journal to a file.",
        discussion: """
            jsonl has a line of JSON per tap, as in 'nfcctl taps list --json'. csv (RFC 4180) has a line of titles and a \
            line per tap; a text from a tag that a spreadsheet would take for a formula gets a leading apostrophe. After \
            Ctrl-C, the file has the taps up to the sequence number that is printed. After an error, it is as it was before.

            Examples:
              nfcctl taps export --format csv --output taps.csv
              nfcctl taps export --after 1000 | gzip > taps.jsonl.gz
            """)

    @Option(help: ArgumentHelp("The format: jsonl or csv.", valueName: "format"))
    var format = TapExportFormat.jsonl

    @Option(
        name: .shortAndLong, help: ArgumentHelp("The file (default: standard output).", valueName: "file"),
        completion: .file())
    var output: String?

    @Flag(help: "Replace an existing file.")
    var force = false

    @OptionGroup var selection: TapSelection

    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        if force, output == nil { throw ValidationError("--force requires --output") }
    }

    func run() async throws {
        let interruption = await Interruption()
        let progress = ExportProgress()
        let (connection, selection, format) = (connection, selection, format)
        let file = output.map { SavedFile(path: $0, replaces: force) }
        try file?.check()
        let isComplete = try await interruption.cancelling {
            try await connection.withJournal { client, status in
                try await Self.withBuffer(file) { buffer in
                    try buffer.put(format.heading)
                    var pages = TapPages(client, after: selection.after, readers: selection.readers)
                    while let taps = try await pages.next() {
                        for tap in taps { try buffer.put(try format.bytes(of: tap)) }
                        try buffer.flush()
                        progress.report(taps, of: status.taps)
                    }
                }
            }
            return true
        }
        try progress.finish(isComplete: isComplete == true)
    }

    private static func withBuffer(_ file: SavedFile?, _ body: (OutputBuffer) async throws -> Void) async throws {
        guard let file else { return try await OutputFile(path: nil).withBuffer(body) }
        try await file.withBuffer(body)
    }
}

/// How far an export is.
private final class ExportProgress: Sendable {
    private struct State {
        var count = 0
        var last: Int64 = 0
    }

    private let state = Mutex(State())

    func report(_ taps: [RecordedTap], of total: Int) {
        let count = state.withLock { state in
            state.count += taps.count
            state.last = taps.last?.sequence ?? state.last
            return state.count
        }
        Terminal.status("Exported \(count) of \(max(total, count)) taps. Press Ctrl-C to stop.")
    }

    /// - Throws: `ExitCode` 130 if the export was interrupted.
    func finish(isComplete: Bool) throws {
        let (count, last) = state.withLock { ($0.count, $0.last) }
        Terminal.clearStatus()
        guard !isComplete else { return Terminal.error("Exported \(counted(count, "tap")).") }
        Terminal.error("Interrupted after \(counted(count, "tap")); continue with --after \(last)")
        throw ExitCode.interrupted
    }
}

/// The form of exported taps.
enum TapExportFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    case jsonl, csv

    private static let columns = [
        "sequence", "id", "time", "reader", "readerName", "readerSequence", "type", "technology", "identifier",
        "identifierForm", "uri", "text", "content", "message", "error", "session", "clock", "epoch", "proof",
        "proofProfile", "proofKey", "proofCounter", "proofCredential", "proofReason",
    ]

    /// What precedes the first tap.
    var heading: [UInt8] { self == .csv ? Self.line(Self.columns) : [] }

    /// A tap, with the end of its line.
    func bytes(of tap: RecordedTap) throws -> [UInt8] {
        self == .csv ? Self.line(try Self.fields(of: tap)) : Array(try JSONLine.printable(tap))
    }

    private static func fields(of tap: RecordedTap) throws -> [String] {
        let message = try tap.message.map { Hexadecimal.string(try $0.encoded()) }
        let error = tap.error.map { "\($0.code) \($0.name): \($0.detail)" }
        let place = ["\(tap.sequence)", tap.id, tap.time, tap.reader, tap.readerName, "\(tap.readerSequence)"]
        let content = [
            tap.message?.firstURI ?? "", tap.text ?? "", (tap.message?.records ?? []).summary, message ?? "",
            error ?? "",
        ]
        let origin = [tap.session ?? "", tap.clock.rawValue, tap.epoch]
        return place + tagFields(of: tap.tag) + content + origin + proofFields(of: tap.proof)
    }

    private static func tagFields(of tag: RecordedTap.Tag) -> [String] {
        [
            tag.type.rawValue, tag.technology ?? "", Hexadecimal.string(tag.identifier.bytes),
            (tag.identifierForm ?? .plain).rawValue,
        ]
    }

    private static func proofFields(of proof: TapProof?) -> [String] {
        [
            proof?.status.rawValue, proof?.profile, proof?.key, proof?.counter.map { "\($0)" },
            proof?.credential.map { Hexadecimal.string($0.bytes) }, proof?.reason,
        ].map { $0 ?? "" }
    }

    private static func line(_ fields: [String]) -> [UInt8] {
        Array("\(fields.map { quoted($0) }.joined(separator: ","))\r\n".utf8)
    }

    /// A field (RFC 4180, 2). One that a spreadsheet would evaluate gets an apostrophe.
    private static func quoted(_ field: String) -> String {
        let isFormula = field.unicodeScalars.first.map { "=+-@\t\r".unicodeScalars.contains($0) } ?? false
        let text = isFormula ? "'\(field)" : field
        let isPlain = !text.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
        return isPlain ? text : "\"\(text.replacing("\"", with: "\"\""))\""
    }
}
