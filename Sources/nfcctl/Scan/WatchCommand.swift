public import ArgumentParser
import FoundationEssentials
import NDEF
import NFCClient
import NFCProtocol
public import NFCTypes

/// `nfcctl watch`: shows each tap, endlessly, and runs a command for it.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show each tap, endlessly, and run a command for it.",
        discussion: """
            Prints one line for each tag that is held to a reader, until Ctrl-C. A tag that stays on the reader is one tap. \
            It holds no reader: while a program has a session, the taps on its readers go to that program. When nfcd \
            restarts, it connects again. It needs the capabilities background and read.

            With --exec, /bin/sh runs the command for each tap, one after another, with the tap in its environment: NFC_UID, \
            NFC_READER, NFC_TYPE, NFC_URI (the first URI), NFC_TEXT (the first text) and NFC_MESSAGE (JSON, or null). \
            Anyone can write to a tag: quote the variables, and never pass them to eval. Standard input of the command is \
            empty. With --json, its output goes to standard error. A command that fails is reported, and the next tap runs \
            it again. Ctrl-C ends a command that is running.

            With --json, prints one line per tap:
              {"event":"tag","reader":…,"tag":{"type":…,"identifier":…},
               "message":{"records":[…]}|null}
            No command is run for a tag that could not be read, because it was removed too early for example. It is \
            reported on standard error; with --json, its line has an error whose code is neither 1 nor 403.

            Examples:
              nfcctl watch
              nfcctl watch --uri-prefix https:// --exec 'xdg-open "$NFC_URI"'
              nfcctl watch --json | jq -r .tag.identifier
            """)

    @Flag(help: "Print one line of JSON per tap.")
    var json = false

    @Option(help: ArgumentHelp("Run this shell command for each tap.", valueName: "command"))
    var exec: String?

    @Option(
        help: ArgumentHelp("Only taps with a URI that begins with this text; case matters.", valueName: "prefix"))
    var uriPrefix: String?

    @Option(help: ArgumentHelp("Only tags of this type; may be repeated.", valueName: "type"))
    var type: [TagType] = []

    @Option(help: ArgumentHelp("Only the tag with this UID, in hexadecimal.", valueName: "uid"))
    var uid: String?

    @Option(
        help: ArgumentHelp("Only this reader, by id or name; may be repeated.", valueName: "reader"),
        completion: .readers)
    var reader: [String] = []

    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        if let uid, HexBytes(typed: uid) == nil {
            throw ValidationError("--uid takes bytes in hexadecimal, such as 04:6E:11:04:4D:5A:80")
        }
        if let exec, exec.allSatisfy(\.isWhitespace) { throw ValidationError("--exec takes a command") }
        if exec?.contains("\0") == true { throw ValidationError("--exec takes a command without NUL characters") }
    }

    func run() async throws {
        let interruption = await Interruption()
        let (json, connection) = (json, connection)
        let command = exec.map { TapCommand($0, json: json) }
        let filter = TapFilter(
            uriPrefix: uriPrefix, types: type, uid: uid.flatMap(HexBytes.init(typed:)), readers: reader)
        _ = try await interruption.cancelling {
            try await connection.reportingErrors {
                // A daemon that does not run at first may never run; one that ran comes back.
                try await NFCClient.withConnection(to: connection.path) { _ in }
                try await TapCommand.run(command) { queue in
                    try await Watch(path: connection.path, filter: filter, json: json, queue: queue).run()
                }
            }
        }
    }
}

extension TagType: ExpressibleByArgument {
    /// Case does not matter.
    public init?(argument: String) {
        let type = Self.allCases.first { $0.rawValue.lowercased() == argument.lowercased() }
        guard let type else { return nil }
        self = type
    }
}

/// The taps that a watch shows.
struct TapFilter: Sendable {
    let uriPrefix: String?
    let types: [TagType]
    let uid: HexBytes?
    let readers: [String]

    /// The part that nfcd checks; nil for every tap.
    var ofDaemon: BackgroundSubscribe.Filter? {
        let reader = readers.count == 1 ? readers.first : nil
        guard uriPrefix != nil || uid != nil || reader != nil else { return nil }
        return BackgroundSubscribe.Filter(uriPrefix: uriPrefix, identifier: uid, reader: reader)
    }

    /// The part that nfcd's filter does not have.
    func matches(_ tap: BackgroundDidReadTag) -> Bool {
        let isOfType = types.isEmpty || types.contains(tap.tag.type)
        let isOnReader = readers.count < 2 || readers.contains { [tap.reader, tap.readerName].contains($0) }
        return isOfType && isOnReader
    }
}

/// Shows taps over any number of connections.
private struct Watch: Sendable {
    let path: String
    let filter: TapFilter
    let json: Bool
    /// Where the taps go for which a command is run.
    let queue: TapQueue?

    private static let prompt = "Hold a tag to a reader. Press Ctrl-C to stop."

    /// Returns when the task is cancelled.
    ///
    /// - Throws: `NFCClientError` if the daemon refuses to send taps; `ExitCode` if a line cannot be written.
    func run() async throws {
        var reconnection = Reconnection()
        var isFirst = true
        while !Task.isCancelled {
            do {
                try await NFCClient.withConnection(to: path) { client in
                    let taps = try await client.observeTaps(matching: filter.ofDaemon)
                    if reconnection.isNeeded { Terminal.error("nfcctl: connected again") }
                    reconnection.succeeded()
                    if isFirst, !Terminal.showsStatus { Terminal.error(Self.prompt) }
                    isFirst = false
                    Terminal.status(Self.prompt)
                    for try await case .didReadTag(let tap) in taps where filter.matches(tap) {
                        try show(tap)
                        Terminal.status(Self.prompt)
                    }
                }
            } catch let error as NFCClientError {
                try await reconnection.pause(after: error)
            }
        }
    }

    private func show(_ tap: BackgroundDidReadTag) throws {
        let failure = tap.error.flatMap { $0.isOfReading ? $0 : nil }
        let output = OutputBuffer()
        Terminal.clearStatus()
        if json {
            try output.put(JSONLine.encode(TapLine(tap)))
        } else if let failure {
            failure.report(on: tap.readerName)
        } else {
            try output.put(line: "\(TimeOfDay.now)  \(tap.summary)")
        }
        try output.flush()
        if failure == nil { queue?.add(tap) }
    }
}
