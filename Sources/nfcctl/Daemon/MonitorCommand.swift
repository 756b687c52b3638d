import ArgumentParser
import NFCClient
import NFCProtocol
import UnixSignals

/// `nfcctl monitor`: what goes on, as it goes on.
struct MonitorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "monitor",
        abstract: "Watch readers, sessions and taps.",
        discussion: """
            Shows the readers with their states, the sessions that hold them, and each tag that is held to a reader while \
            no session holds it. It takes no reader away from a session. Ctrl-C ends.

            On a terminal a table is kept up to date; elsewhere there is a line for each event. With --json, the first line is
              {"event":"started","readers":[…],"sessions":[…]}
            and then one line per event, its name and what it carries, such as
              {"event":"reader.attached","reader":…,"name":…}
              {"event":"background.didReadTag","reader":…,"tag":{"type":…,"identifier":…},"messages":[{"records":[…]}]}

            Examples:
              nfcctl monitor
              nfcctl monitor --json | jq -r 'select(.event == "background.didReadTag").tag.identifier'
            """)

    @Flag(help: "One line of JSON per event.")
    var json = false

    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let output: any MonitorOutput =
            if json { MonitorJSONOutput() } else if Terminal.isOutput { MonitorTableOutput() } else {
                MonitorLineOutput()
            }
        let path = connection.path
        let code = try await reportingErrors {
            try await NFCClient.withConnection(to: path) { try await Monitor(client: $0, output: output).run() }
        }
        if code != .success { throw code }
    }
}

/// Looks on until Ctrl-C, or the end of the connection.
struct Monitor: Sendable {
    private enum Step: Sendable {
        case event(WatchedEvent)
        case connectionLost
        case interrupted
    }

    let client: NFCClient
    let output: any MonitorOutput

    /// Shows what happens; the exit code tells how it ended.
    func run() async throws -> ExitCode {
        let interrupts = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        // First the events, then the state of the moment: nothing falls in between.
        _ = try await client.call(EventsSubscribe.self)
        try await permitted { _ = try await client.call(BackgroundSubscribe.self, .init()) }
        let start = MonitorSnapshot(
            readers: try await client.call(ReadersList.self),
            sessions: try await permitted { try await client.call(SessionsList.self) } ?? [])
        var board = MonitorState(start)
        output.begin(start, board)
        return await withTaskGroup(of: Void.self) { group in
            let (steps, sink) = AsyncStream<Step>.makeStream()
            group.addTask { await follow(sink) }
            group.addTask { for await _ in interrupts { sink.yield(.interrupted) } }
            defer { group.cancelAll() }
            return await proceed(steps, &board)
        }
    }

    private func proceed(_ steps: AsyncStream<Step>, _ board: inout MonitorState) async -> ExitCode {
        for await step in steps {
            switch step {
            case .event(let event):
                board.take(event)
                output.show(event, board)
            case .interrupted: return .success
            case .connectionLost:
                Terminal.error("nfcctl: \(NFCClientError.connectionLost)")
                return .unavailable
            }
        }
        return .success
    }

    /// What the daemon may refuse to those who may only look on; nil where it does.
    @discardableResult
    private func permitted<Value>(_ body: () async throws -> Value) async throws -> Value? {
        do {
            return try await body()
        } catch NFCClientError.refused(let error) where error.nfcCode == .securityViolation {
            return nil
        }
    }

    private func follow(_ sink: AsyncStream<Step>.Continuation) async {
        for await event in client.events {
            if case .watched(let event) = event { sink.yield(.event(event)) }
        }
        sink.yield(.connectionLost)
    }
}

/// The readers and sessions of the moment and the last taps, kept up to date by events. A value: no I/O.
struct MonitorState: Sendable {
    /// The most taps that are kept.
    static let maximumTaps = 10

    /// A reader that is plugged in.
    struct Reader: Sendable, Hashable {
        let reader: String
        let name: String
        var hasTag: Bool
        var failure: String?
    }

    /// A session that holds readers, or waits for them.
    struct Session: Sendable, Hashable {
        let session: String
        let client: ClientProcess
        let readers: [String]
        var isActive: Bool
    }

    private(set) var readers: [Reader]
    private(set) var sessions: [Session]
    /// In words, the last one first.
    private(set) var taps: [String] = []

    init(_ start: MonitorSnapshot) {
        readers = start.readers.map {
            Reader(reader: $0.reader, name: $0.name, hasTag: $0.state == .present, failure: $0.failure)
        }
        sessions = start.sessions.map {
            Session(session: $0.session, client: $0.client, readers: $0.readers, isActive: $0.state == .active)
        }
    }

    /// What a reader is doing.
    func state(of reader: Reader) -> String {
        if let failure = reader.failure { return "failed: \(failure)" }
        let holder = sessions.first { $0.isActive && $0.readers.contains(reader.reader) }
        return holder.map { "held by \($0.session)" } ?? (reader.hasTag ? "tag" : "empty")
    }

    /// Takes in what happened. What is known already changes nothing: the state may have been asked for after it.
    mutating func take(_ event: WatchedEvent) {
        switch event {
        case .didReadTag(let tap): taps = [tap.words] + taps.prefix(Self.maximumTaps - 1)
        case .readerAttached(let event): attach(event)
        case .readerDetached(let event): readers.removeAll { $0.reader == event.reader }
        case .readerFailed(let event): update(event.reader) { $0.failure = event.failure }
        case .readerRecovered(let event): update(event.reader) { $0.failure = nil }
        case .tagArrived(let event): update(event.reader) { $0.hasTag = true }
        case .tagLeft(let event): update(event.reader) { $0.hasTag = false }
        case .sessionBegan(let event): begin(event)
        case .sessionEnded(let event): sessions.removeAll { $0.session == event.session }
        }
    }

    private mutating func attach(_ event: ReaderAttached) {
        readers.removeAll { $0.reader == event.reader }
        readers.append(Reader(reader: event.reader, name: event.name, hasTag: false, failure: nil))
    }

    private mutating func begin(_ event: SessionBegan) {
        sessions.removeAll { $0.session == event.session }
        sessions.append(
            Session(session: event.session, client: event.client, readers: event.readers, isActive: true))
    }

    private mutating func update(_ name: String, _ change: (inout Reader) -> Void) {
        guard let index = readers.firstIndex(where: { $0.reader == name }) else { return }
        change(&readers[index])
    }
}
