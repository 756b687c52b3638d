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
            NFC_READER, NFC_TYPE, NFC_URI (the URI of the record that --uri-prefix matched, or else the first one), NFC_TEXT (the first text), NFC_MESSAGE (JSON, or null) and \
            NFC_EVENT (tap or removed). NFC_PROOF is proven if the tag has proven itself by a profile of nfcd, another status, \
            or empty without a profile; NFC_PROOF_PROFILE, _METHOD, _KEY, _KEY_VERSION, _IDENTIFIER, _COUNTER, _CREDENTIAL and \
            _SCOPE are its details. NFC_URI is a URI with http, https or the scheme of --uri-prefix; --scheme adds \
            others. Anyone can write to a tag: quote the variables, and never pass them to eval. Standard input of the command is \
            empty. With --json, its output goes to standard error. A command that fails is reported, and the next tap runs \
            it again. The end of nfcctl ends a command that is running, and what others have left in the background.

            With --on-removal, /bin/sh runs that command when a tag leaves, or when its reader is unplugged or fails. It \
            runs after the command for the tap, with the same variables as for a tag without a message. With \
            --removals, removals are shown too.

            With --json, prints one line per tap:
              {"event":"tag","reader":…,"tag":{"type":…,"identifier":…},
               "message":{"records":[…]}|null,"proof":{"status":…,…}}
            and with --removals or --on-removal one line when the tag leaves:
              {"event":"removed","reader":…,"readerName":…,"tag":{…}}
            No command is run for a tag that could not be read, because it was removed too early for example. It is \
            reported on standard error; with --json, its line has an error whose code is neither 1 nor 403.

            Examples:
              nfcctl watch
              nfcctl watch --uri-prefix https://kiosk.example/ --exec 'xdg-open "$NFC_URI"'
              nfcctl watch --exec ./play --on-removal ./pause
              nfcctl watch --require proven --exec ./open-door
              nfcctl watch --json | jq -r .tag.identifier
            """)

    @Flag(help: "Print one line of JSON per tap.")
    var json = false

    @Option(help: ArgumentHelp("Run this shell command for each tap.", valueName: "command"))
    var exec: String?

    @Option(help: ArgumentHelp("Run this shell command when a tag leaves.", valueName: "command"))
    var onRemoval: String?

    @Flag(help: "Also show when a tag leaves.")
    var removals = false

    @Option(
        help: ArgumentHelp("Only taps with a URI that begins with this text; case matters.", valueName: "prefix"))
    var uriPrefix: String?

    @Option(
        help: ArgumentHelp(
            "Also accept URIs with this scheme, such as tel; * is every scheme; may be repeated.", valueName: "scheme"))
    var scheme: [String] = []

    @Option(help: ArgumentHelp("Only tags of this type; may be repeated.", valueName: "type"))
    var type: [TagType] = []

    @Option(help: ArgumentHelp("Only the tag with this UID, in hexadecimal.", valueName: "uid"))
    var uid: String?

    @Option(
        help: ArgumentHelp("Only this reader, by id or name; may be repeated.", valueName: "reader"),
        completion: .readers)
    var reader: [String] = []

    @OptionGroup var proof: ProofOption
    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        if let uid, HexBytes(typed: uid) == nil {
            throw ValidationError("--uid takes bytes in hexadecimal, such as 04:6E:11:04:4D:5A:80")
        }
        for scheme in scheme where scheme != "*" && scheme.wholeMatch(of: /[A-Za-z][A-Za-z0-9+.\-]*/) == nil {
            throw ValidationError("--scheme takes the name of a scheme, such as tel, or * for every one")
        }
        for (option, command) in [("--exec", exec), ("--on-removal", onRemoval)] {
            guard let command else { continue }
            if command.allSatisfy(\.isWhitespace) { throw ValidationError("\(option) takes a command") }
            if command.contains("\0") { throw ValidationError("\(option) takes a command without NUL characters") }
        }
    }

    func run() async throws {
        let interruption = await Interruption()
        let (json, connection, exec, onRemoval) = (json, connection, exec, onRemoval)
        let removals = Removals(
            areReceived: removals || onRemoval != nil, areShown: removals || (json && onRemoval != nil))
        let filter = TapFilter(
            uriPrefix: uriPrefix, schemes: scheme, types: type, uid: uid.flatMap(HexBytes.init(typed:)),
            readers: reader,
            requirement: proof.require)
        _ = try await interruption.cancelling {
            try await connection.reportingErrors {
                // A daemon that does not run at first may never run; one that ran comes back.
                try await NFCClient.answering(at: connection.path) { _ = try await $0.call(ServerInfo.self) }
                try await TapQueue.run(tap: exec, removal: onRemoval, json: json) { queue in
                    let watch = Watch(
                        path: connection.path, filter: filter, removals: removals, json: json, queue: queue)
                    try await watch.run()
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
    let schemes: [String]
    let types: [TagType]
    let uid: HexBytes?
    let readers: [String]
    /// What a tag has to prove; nil: nothing.
    var requirement: ProofRequirement?

    /// The part that nfcd checks; nil for every tap.
    var ofDaemon: BackgroundSubscribe.Filter? {
        let reader = readers.count == 1 ? readers.first : nil
        guard uriPrefix != nil || !schemes.isEmpty || uid != nil || reader != nil else { return nil }
        return BackgroundSubscribe.Filter(
            uriPrefix: uriPrefix, uriSchemes: schemes.isEmpty ? nil : schemes, identifier: uid, reader: reader)
    }

    /// The part that nfcd's filter does not have.
    func matches(_ tap: BackgroundDidReadTag) -> Bool { matches(tap.tag.type, [tap.reader, tap.readerName]) }

    /// The same for a removal: it is shown where its tap was.
    func matches(_ removal: BackgroundTagRemoved) -> Bool {
        matches(removal.tag.type, [removal.reader, removal.readerName])
    }

    private func matches(_ type: TagType, _ reader: [String]) -> Bool {
        let isOfType = types.isEmpty || types.contains(type)
        return isOfType && (readers.count < 2 || readers.contains(where: reader.contains))
    }
}

/// The use of removals in a watch.
private struct Removals: Sendable {
    let areReceived: Bool
    let areShown: Bool
}

/// Shows taps over any number of connections.
private struct Watch: Sendable {
    let path: String
    let filter: TapFilter
    let removals: Removals
    let json: Bool
    /// Where the taps and removals go for which a command is run.
    let queue: TapQueue

    private static let prompt = "Hold a tag to a reader. Press Ctrl-C to stop."

    /// Returns when the task is cancelled.
    ///
    /// - Throws: `NFCClientError` if the daemon refuses to send taps; `ExitCode` if a line cannot be written.
    func run() async throws {
        var reconnection = Reconnection()
        var isFirst = true
        while !Task.isCancelled {
            do {
                try await NFCClient.answering(at: path) { client in
                    let taps = try await client.observeTaps(
                        matching: filter.ofDaemon, removals: removals.areReceived, requiring: filter.requirement)
                    if reconnection.isNeeded { Terminal.error("nfcctl: connected again") }
                    reconnection.succeeded()
                    if isFirst, !Terminal.showsStatus { Terminal.error(Self.prompt) }
                    isFirst = false
                    Terminal.status(Self.prompt)
                    // The readers whose tag could not be read: no command is run for its removal either.
                    var unread: Set<String> = []
                    for try await event in taps {
                        switch event {
                        case .didReadTag(let tap) where filter.matches(tap):
                            if tap.failure == nil { unread.remove(tap.reader) } else { unread.insert(tap.reader) }
                            try show(tap)
                        case .tagRemoved(let removal) where filter.matches(removal):
                            try show(removal)
                            if unread.remove(removal.reader) == nil { queue.add(removal) }
                        default: continue
                        }
                        Terminal.status(Self.prompt)
                    }
                }
            } catch let error as NFCClientError {
                try await reconnection.pause(after: error)
            }
        }
    }

    private func show(_ tap: BackgroundDidReadTag) throws {
        let failure = tap.failure
        let output = OutputBuffer()
        Terminal.clearStatus()
        if json {
            try output.put(JSONLine.printable(TapLine(tap)))
        } else if let failure {
            failure.report(on: tap.readerName)
        } else {
            try output.put(line: "\(TimeOfDay.now)  \(tap.summary)")
        }
        try output.flush()
        if failure == nil { queue.add(tap) }
    }

    private func show(_ removal: BackgroundTagRemoved) throws {
        guard removals.areShown else { return }
        let output = OutputBuffer()
        Terminal.clearStatus()
        if json {
            try output.put(JSONLine.printable(RemovalLine(removal)))
        } else {
            try output.put(line: "\(TimeOfDay.now)  \(removal.summary)")
        }
        try output.flush()
    }
}

extension BackgroundDidReadTag {
    /// Why the tag could not be read; nil where it was, also without a message.
    fileprivate var failure: SessionDidDetectNDEFs.Failure? { error.flatMap { $0.isOfReading ? $0 : nil } }
}
