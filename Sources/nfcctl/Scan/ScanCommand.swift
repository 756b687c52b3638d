public import ArgumentParser
import NDEF
import NFCClient
public import NFCProtocol
import UnixSignals

/// `nfcctl scan`: a reader session by hand.
struct ScanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "Read tags as they are held to a reader.",
        discussion: """
            Begins a reader session, shows each tag that comes, and ends with Ctrl-C, after --count tags, or when the \
            session's time is over. While it runs, no other session uses the reader. With --kind tag, tags are not read: \
            the message is null.

            With --json, one line per tag:
              {"event":"tag","reader":…,"tag":{"type":…,"identifier":…},"message":{"records":[…]}|null}
            and at the end:
              {"event":"invalidated","code":…,"name":…,"message":…}

            Examples:
              nfcctl scan
              nfcctl scan --json --count 1 --timeout 10 | jq -r '.message.records[].decoded.uri'
            """)

    @Flag(help: "One line of JSON per tag, and one at the end.")
    var json = false

    @Option(help: ArgumentHelp("End after this many tags.", valueName: "n"))
    var count: Int?

    @Option(help: ArgumentHelp("End after this many seconds (default: the daemon's limit).", valueName: "seconds"))
    var timeout: Double?

    @Option(help: "The kind of session: ndef reads messages, tag only tells which tags come.")
    var kind = SessionKind.ndef

    @Option(help: ArgumentHelp("Only this reader, by id or name; may be repeated.", valueName: "reader"))
    var reader: [String] = []

    @Flag(help: "Wait for a reader, and for one's turn, instead of failing.")
    var wait = false

    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count takes 1 or more") }
        if let timeout, !(timeout > 0 && timeout <= 86_400) {
            throw ValidationError("--timeout takes more than 0 and at most 86400 seconds")
        }
    }

    func run() async throws {
        let request = SessionBegin.Parameters(
            kind: kind, readers: reader.isEmpty ? nil : reader,
            whenBusy: wait ? .queue : .fail, waitForReader: wait, timeout: timeout)
        let output: any ScanOutput = json ? ScanJSONOutput() : ScanTextOutput()
        let path = connection.path
        let code = try await reportingErrors {
            try await NFCClient.withConnection(to: path) { client in
                try await Scan(client: client, request: request, count: count, output: output).run()
            }
        }
        if code != .success { throw code }
    }
}

extension SessionKind: ExpressibleByArgument {}

/// One reader session from begin to its end, shown as it goes.
struct Scan: Sendable {
    /// What moves a scan along.
    private enum Step: Sendable {
        case event(ServerEvent)
        case connectionLost
        case interrupted
        case second
    }

    let client: NFCClient
    let request: SessionBegin.Parameters
    let count: Int?
    let output: any ScanOutput

    /// Runs the session; the exit code tells how it ended.
    func run() async throws -> ExitCode {
        // Caught from here on: a session that was asked for is ended by Ctrl-C, not abandoned.
        let interrupts = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let info = try await client.call(ServerInfo.self)
        let readers = try await client.call(ReadersList.self)
        let session = try await client.call(SessionBegin.self, request).session
        let limit = min(request.timeout ?? info.limits.sessionTimeout, info.limits.sessionTimeout)
        output.begin(readers: wanted(readers))
        return try await withThrowingTaskGroup(of: Void.self) { group in
            let (steps, sink) = AsyncStream<Step>.makeStream()
            group.addTask { await follow(sink) }
            group.addTask { for await _ in interrupts { sink.yield(.interrupted) } }
            group.addTask { await countSeconds(sink) }
            defer { group.cancelAll() }
            return try await proceed(steps, session: session, limit: limit)
        }
    }

    private func wanted(_ readers: [ReadersList.Reader]) -> [ReadersList.Reader] {
        guard let names = request.readers else { return readers }
        return readers.filter { names.contains($0.reader) || names.contains($0.name) }
    }

    private func proceed(_ steps: AsyncStream<Step>, session: String, limit: Double) async throws -> ExitCode {
        var tags = 0
        var activeSince: ContinuousClock.Instant?
        for await step in steps {
            switch step {
            case .event(.didBecomeActive): activeSince = .now
            case .event(.didDetectNDEFs(let tag)) where tags < count ?? .max:
                tags += 1
                output.tag(tag)
                if tags == count { try await end(session) }
            case .event(.didDetectTags(let found)):
                for tag in found.tags where tags < count ?? .max {
                    tags += 1
                    output.tag(.init(found.session, tag))
                    if tags == count { try await end(session) }
                }
            case .event(.tagFailed(let failure)): output.failed(failure)
            case .event(.didDetectNDEFs), .event(.tagRemoved), .event(.watched): break
            case .event(.didInvalidate(let reason)):
                output.end(reason)
                return exitCode(reason.nfcCode, tags: tags)
            case .connectionLost:
                output.end(.lostConnection(session))
                return .unavailable
            case .interrupted: try await end(session)
            case .second: break
            }
            output.waiting(secondsLeft: activeSince.map { limit - $0.duration(to: .now) / .seconds(1) })
        }
        return .success
    }

    /// Ends the session; one that has ended meanwhile is no trouble, its last event is on the way.
    private func end(_ session: String) async throws {
        do {
            _ = try await client.call(SessionInvalidate.self, .init(session: session))
        } catch NFCClientError.refused {}
    }

    private func exitCode(_ code: NFCErrorCode, tags: Int) -> ExitCode {
        // Without a count, a session that ran its time and read something has done what it was for.
        code == .sessionTimeout && count == nil && tags > 0 ? .success : ExitCode(code)
    }

    private func follow(_ sink: AsyncStream<Step>.Continuation) async {
        for await event in client.events { sink.yield(.event(event)) }
        sink.yield(.connectionLost)
    }

    private func countSeconds(_ sink: AsyncStream<Step>.Continuation) async {
        guard Terminal.showsStatus else { return }
        while (try? await Task.sleep(for: .seconds(1))) != nil { sink.yield(.second) }
    }
}

extension SessionDidDetectNDEFs<NDEFMessage> {
    /// A tag that was not read, as one without a message.
    fileprivate init(_ session: String, _ tag: SessionDidDetectTags.Tag) {
        self.init(
            session: session, reader: tag.reader, readerName: tag.readerName, tag: tag.tag, type: tag.type,
            technology: tag.technology, identifier: tag.identifier, messages: [], error: nil)
    }
}

extension SessionDidInvalidate {
    /// What a client makes of a daemon that is gone.
    fileprivate static func lostConnection(_ session: String) -> SessionDidInvalidate {
        SessionDidInvalidate(
            session: session, .sessionTerminatedUnexpectedly, detail: "the connection to nfcd ended")
    }
}
