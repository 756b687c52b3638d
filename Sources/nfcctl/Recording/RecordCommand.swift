import ArgumentParser
import FoundationEssentials
import NDEF
import NFCClient
import NFCProtocol
import Synchronization
import TagRecordings

/// `nfcctl record`: records the exchanges with tags.
struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record the exchanges with tags, for a report or a test.",
        discussion: """
            Writes each exchange with a tag and each event of a reader as a line of JSON, until Ctrl-C or for the time of --for. \
            Keys, passwords, PINs and whatever nfcd cannot judge are masked before they leave nfcd. The contents of tags \
            are masked as well, unless --with-content is given: look at such a recording before you publish it, for a \
            card's own commands may carry secrets that nfcd does not recognise. UIDs are recorded.

            Such a file can be replayed: nfcd --replay FILE, nfcctl virtual-tag --recording FILE. Replaying what a session \
            read needs --with-content.

            Requires the capability manage; --with-content also read and raw.

            Examples:
              nfcctl record --output report.jsonl --for 60
              nfcctl record --reader "ACS ACR122U" --output tag.jsonl --with-content
              nfcctl record export tag.jsonl --to pcap --output tag.pcap
            """,
        subcommands: [RecordStartCommand.self, RecordExportCommand.self], defaultSubcommand: RecordStartCommand.self)
}

/// `nfcctl record start`, the default.
struct RecordStartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start",
        abstract: "Record until Ctrl-C (the default).",
        discussion: """
            See nfcctl record --help.

            Examples:
              nfcctl record start --output report.jsonl --for 60
            """)

    @Option(help: ArgumentHelp("The reader, by id or name (default: all).", valueName: "name"), completion: .readers)
    var reader: String?

    @Option(help: ArgumentHelp("The file (required).", valueName: "file"), completion: .file())
    var output: String

    @Flag(help: "Replace an existing file.")
    var force = false

    @Flag(help: "Record the contents of tags as well.")
    var withContent = false

    @Option(name: .customLong("for"), help: ArgumentHelp("Stop after this time.", valueName: "seconds"))
    var duration: Double?

    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        if reader == "" { throw ValidationError("--reader takes the id or the name of a reader") }
        try validateSeconds(duration, option: "--for")
    }

    func run() async throws {
        let file = SavedFile(path: output, replaces: force)
        let interruption = await Interruption()
        let saved = RecordingBuffer()
        let begun = try file.begin()
        try await connection.withClient { client in
            if let reader { try await Self.check(reader, client) }
            let recording = try await client.observeRecording(reader: reader, withContent: withContent)
            Terminal.error("nfcctl: recording to \(file.name); press Ctrl-C to stop")
            do {
                _ = try await interruption.cancelling(after: duration.map { .seconds($0) }) {
                    try await saved.take(recording.lines)
                }
                try await saved.finish(recording.name, recording.lines, client)
            } catch let error as NFCClientError {
                // What was recorded until nfcd ended is what explains it.
                saved.end("the connection to nfcd ended: \(error)")
                try begun.finish(saved.bytes)
                throw error
            }
        }
        try begun.finish(saved.bytes)
        Terminal.error("nfcctl: recorded \(saved.summary(in: file.name))")
    }

    /// Checks that a reader is plugged in: a recording without lines explains nothing.
    ///
    /// - Throws: `ExitCode` 69, after printing the readers.
    private static func check(_ name: String, _ client: NFCClient) async throws {
        let readers = try await client.call(ReadersList.self)
        guard !readers.contains(where: { [$0.reader, $0.name].contains(name) }) else { return }
        let known = readers.isEmpty ? "none" : readers.map(\.reader.escaped).joined(separator: ", ")
        Terminal.error(
            "nfcctl: no reader is named \(name.escaped); available readers: \(known). Without --reader, those that are plugged in "
                + "later are recorded as well")
        throw ExitCode.unavailable
    }
}

/// The lines of a recording in memory, up to a limit.
final class RecordingBuffer: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var exchanges = 0
        var masked = 0
        var isFull = false
    }

    /// The time for the last lines to come.
    private static let endLimit = Duration.seconds(5)

    private let state = Mutex(State())
    private let limit: Int

    init(limit: Int = Recording.Limits().file) { self.limit = limit }

    /// What was recorded.
    var bytes: [UInt8] { state.withLock(\.bytes) }

    /// How much was recorded.
    func summary(in file: String) -> String {
        state.withLock { state in
            let masked = state.masked == 0 ? "" : ", \(state.masked) of them masked in part"
            let end = state.isFull ? "; the recording has reached its limit of \(limit) bytes" : ""
            return "\(state.exchanges) exchange\(state.exchanges == 1 ? "" : "s") in \(file)\(masked)\(end)"
        }
    }

    /// Takes lines until there is no room, the line with the event `end` has come, or the task is cancelled.
    func take(_ lines: Observation) async throws {
        for try await event in lines {
            guard case .didRecord(let event) = event else { continue }
            guard add(event.line) else { return }
        }
    }

    /// Ends a recording, and takes the lines that are on their way.
    func finish(_ name: String, _ lines: Observation, _ client: NFCClient) async throws {
        _ = try await client.call(RecordingStop.self, .init(recording: name))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [self] in try await take(lines) }
            group.addTask { try await Task.sleep(for: Self.endLimit) }
            defer { group.cancelAll() }
            _ = try await group.next()
        }
        if state.withLock(\.isFull) { end("the limit of \(limit) bytes") }
    }

    /// Adds a last line.
    func end(_ reason: String) {
        let line = (try? Recording.encoded(.end(time: 0, reason: reason))) ?? []
        state.withLock { $0.bytes += line }
    }

    /// - Returns: whether another line may follow.
    private func add(_ text: String) -> Bool {
        let line = try? JSONDecoder().decode(RecordingLine.self, from: Data(text.utf8))
        return state.withLock { state in
            guard state.bytes.count + text.utf8.count <= limit - 1024 else {
                state.isFull = true
                return false
            }
            state.bytes += Array(text.utf8) + [UInt8(ascii: "\n")]
            if line?.event == .transmit { state.exchanges += 1 }
            if line?.masked == true { state.masked += 1 }
            return line?.event != .end
        }
    }
}

/// `nfcctl record export`: converts a recording for other programs.
struct RecordExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Convert a recording for Wireshark or pcsc-spy.",
        discussion: """
            pcap is a capture with link type 264 (ISO 14443): native frames as they are, and APDUs in I-blocks. Commands that \
            only a reader answers are left out. pcsc-spy is the log of pcsc-lite's spy library, which pcsc-spy FILE shows. \
            Masked bytes are 00 in both.

            Examples:
              nfcctl record export tag.jsonl --to pcap --output tag.pcap
              nfcctl record export tag.jsonl --to pcsc-spy > tag.log
            """)

    /// A form of other programs.
    enum Form: String, ExpressibleByArgument, CaseIterable {
        case pcap
        case pcscSpy = "pcsc-spy"
    }

    @Argument(help: "The recording; - is standard input.", completion: .file())
    var file: String

    @Option(help: "The form: pcap or pcsc-spy.")
    var to: Form

    @Option(
        help: ArgumentHelp("The file to create (default: standard output).", valueName: "file"), completion: .file())
    var output: String?

    @Flag(help: "Replace an existing file.")
    var force = false

    func run() throws {
        let recording = try RecordingInput(path: file).read()
        let bytes: [UInt8]
        switch to {
        case .pcap: bytes = PCAPExport(recording).bytes
        case .pcscSpy: bytes = Array(PCSCSpyExport(recording).text.utf8)
        }
        guard let output else { return try OutputFile(path: nil).write(bytes) }
        try SavedFile(path: output, replaces: force).write(bytes)
    }
}

/// A recording as an input file.
struct RecordingInput {
    private let input: InputFile

    init(path: String) { input = InputFile(path: path) }

    /// The bytes of the file.
    ///
    /// - Throws: `ExitCode`, after printing the reason.
    func bytes() throws -> [UInt8] { try input.read(limit: Recording.Limits().file) }

    /// The recording.
    ///
    /// - Throws: `ExitCode`, after printing the reason: 66 if the file cannot be read, 65 if it is not a recording.
    func read() throws -> Recording {
        let bytes = try bytes()
        do {
            let recording = try Recording(bytes)
            if recording.isIncomplete {
                Terminal.error("nfcctl: warning: \(input.name) is incomplete: lines are missing, or its end is")
            }
            return recording
        } catch {
            Terminal.error("nfcctl: \(input.name): \("\(error)".escaped)")
            throw ExitCode.badData
        }
    }
}

/// The first tag of a recording.
struct RecordedTagFile {
    private let path: String
    private let bytes: [UInt8]

    init(path: String, _ bytes: [UInt8]) { (self.path, self.bytes) = (path, bytes) }

    /// The tag.
    ///
    /// - Throws: `ExitCode` 65, after printing the reason.
    func tag() throws -> RecordedTag {
        do {
            return try RecordedTag(try Recording(bytes))
        } catch {
            Terminal.error("nfcctl: \(path.escaped): \("\(error)".escaped)")
            throw ExitCode.badData
        }
    }
}
