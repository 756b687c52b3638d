import ArgumentParser
import FoundationEssentials
import NDEF
import NFCClient
import NFCProtocol
import TagRecordings

/// `nfcctl support`: collects what a bug report needs.
struct SupportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "support",
        abstract: "Collect what a bug report needs into one file.",
        discussion: """
            Writes a tar file with the results of nfcctl doctor, the readers, versions, drivers, settings without their texts, \
            metrics and the last lines of the logs of nfcd and pcscd. It lists every file before it writes, and the README \
            in it says what each one is. What cannot be determined is in the file as an error: a report is always complete.

            It has no contents of tags, passwords, keys, links, names of accounts, or settings of nfcd-relay. UIDs and serial \
            numbers become words that are equal for equal ones within this file, and nowhere else. Run it as root for the \
            logs. Look at it before you publish it.

            Examples:
              nfcctl support --output report.tar
              sudo nfcctl support --output report.tar --recording tag.jsonl
            """)

    @Option(help: ArgumentHelp("The file to create.", valueName: "file"), completion: .file())
    var output: String

    @Option(
        help: ArgumentHelp("Add a recording that nfcctl record made without --with-content.", valueName: "file"),
        completion: .file())
    var recording: String?

    @Flag(help: "Replace an existing file.")
    var force = false

    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let file = SavedFile(path: output, replaces: force)
        try file.check()
        let recorded = try recording.map { try recordedFile($0) }
        let system = await SupportSystem(socket: connection.path)
        var bundle = SupportBundle(system.redaction)
        for part in system.parts { bundle.add(part, await part.text()) }
        if let recorded { bundle.add(recorded) }
        for line in bundle.listing { Terminal.error(line) }
        try file.write(bundle.archive(time: UInt64(max(0, Date.now.timeIntervalSince1970))))
        Terminal.error("nfcctl: wrote \(file.name)")
    }

    /// A recording without contents: its secrets were masked when it was made.
    private func recordedFile(_ path: String) throws -> Recording {
        let recording = try RecordingInput(path: path).read()
        guard !recording.hasContent else {
            Terminal.error(
                "nfcctl: \(path.escaped) has the contents of tags; record it again without --with-content, or attach it yourself"
            )
            throw ExitCode.badData
        }
        return recording
    }
}

/// A file of a bundle.
struct SupportPart: Sendable {
    let name: String
    /// One sentence in plain words.
    let description: String
    /// What is removed from it.
    var removal = Removal.identifiers
    /// What it has; an error is thrown.
    let make: @Sendable () async throws -> String

    private static let limit = Duration.seconds(20)

    /// What is removed from a part.
    enum Removal: Sendable {
        /// Nothing: it has only versions.
        case nothing
        /// Identifiers, links, names of accounts.
        case identifiers
        /// The same, but decimal numbers stay.
        case identifiersButNumbers
        /// The same, but rows of bytes stay.
        case identifiersButRows
        /// The texts of settings as well.
        case settings
    }

    /// What it has, or the error in words: nothing keeps a report from being complete.
    func text() async -> String {
        await withTaskGroup(of: String.self) { group in
            group.addTask {
                do { return try await make() } catch { return "error: \(error)\n" }
            }
            group.addTask {
                try? await Task.sleep(for: Self.limit)
                return "error: no result within \(Self.limit)\n"
            }
            defer { group.cancelAll() }
            return await group.next() ?? "error: no result\n"
        }
    }
}

/// The files of a bundle, with what must not be in them removed.
struct SupportBundle {
    private struct File {
        let name: String
        let description: String
        let content: [UInt8]
    }

    private var redaction: SupportRedaction
    private var files: [File] = []
    private var removed: [String] = []

    init(_ redaction: SupportRedaction) { self.redaction = redaction }

    /// Adds a text.
    mutating func add(_ part: SupportPart, _ text: String) {
        let content = counting(part.name) { redaction in
            switch part.removal {
            case .nothing: text
            case .settings where !text.hasPrefix("error:"): redaction.redacted(settings: text)
            case .identifiers, .settings: redaction.redacted(text)
            case .identifiersButNumbers: redaction.redacted(text, except: .numbers)
            case .identifiersButRows: redaction.redacted(text, except: .rows)
            }
        }
        files.append(File(name: part.name, description: part.description, content: Array(content.utf8)))
    }

    /// Adds a recording.
    mutating func add(_ recording: Recording) {
        let name = "recording.jsonl"
        let description =
            "The recording that you gave: exchanges with tags, secrets and contents masked, UIDs replaced."
        let result = counting(name) { $0.redacted(recording) }
        if result.identifierCount > 0 {
            removed.append("\(name): \(result.identifierCount) UIDs of tags replaced by others of their length")
        }
        if result.maskedCount > 0 {
            removed.append(
                "\(name): the data of \(result.maskedCount) exchanges masked, since the UID of their tag was not recorded. "
                    + "Start the recording before the tag is on the reader")
        }
        files.append(File(name: name, description: description, content: result.bytes))
    }

    /// Removes something from a file, and notes how often.
    private mutating func counting<Result>(_ name: String, _ remove: (inout SupportRedaction) -> Result) -> Result {
        let before = redaction.counts
        let result = remove(&redaction)
        for kind in SupportRedaction.Kind.allCases {
            let count = redaction.counts[kind, default: 0] - before[kind, default: 0]
            if count > 0 { removed.append("\(name): \(count) \(kind.rawValue) replaced") }
        }
        return result
    }

    /// What the file has, in lines.
    var listing: [String] {
        ["The file has:"] + complete.map { "  \($0.name) (\($0.content.count) bytes): \($0.description)" }
    }

    /// The tar file.
    func archive(time: UInt64) -> [UInt8] {
        var archive = TarArchive()
        for file in complete { archive.add("nfcd-support/\(file.name)", file.content, time: time) }
        return archive.finished
    }

    private var complete: [File] {
        let counts = File(
            name: "removed.txt", description: "What was removed from which file.",
            content: Array((removed.isEmpty ? "nothing\n" : removed.joined(separator: "\n") + "\n").utf8))
        let all = files + [counts]
        let text =
            ["A report of nfcctl support. Each file and what it is:", ""] + all.map { "\($0.name): \($0.description)" }
            + [
                "",
                "Words such as id-1a2b3c4d replace UIDs and serial numbers, name-… accounts, link-… links and addresses. Equal",
                "words were equal; the key that decides them no longer exists.",
            ]
        let readme = File(
            name: "README.txt", description: "What each file is.",
            content: Array((text.joined(separator: "\n") + "\n").utf8))
        return [readme] + all
    }
}
