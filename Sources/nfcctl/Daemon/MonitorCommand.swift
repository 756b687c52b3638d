import ArgumentParser
import NFCClient
import NFCProtocol
import NFCTypes

/// `nfcctl monitor`: shows events as they happen.
struct MonitorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "monitor",
        abstract: "Monitor readers, sessions and taps.",
        discussion: """
            Shows the readers with their states, the sessions that hold them, what programs ask for, such as a card, and the \
            tags that are held to readers without a session. It does not interfere with sessions. Press Ctrl-C to stop.

            On a terminal, it updates a table; otherwise it prints a line for each event. With --json, the first line is
              {"event":"started","readers":[…],"sessions":[…]}
            followed by one line per event, such as
              {"event":"reader.attached","reader":…,"name":…}
              {"event":"background.didReadTag","reader":…,
               "tag":{"type":…,"identifier":…},"messages":[{"records":[…]}]}

            Examples:
              nfcctl monitor
              nfcctl monitor --json |
                jq -r 'select(.event == "background.didReadTag").tag.identifier'
            """)

    @Flag(help: "Print one line of JSON per event.")
    var json = false

    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let output: any MonitorOutput =
            if json { MonitorJSONOutput() } else if Terminal.isOutput { MonitorTableOutput() } else {
                MonitorLineOutput()
            }
        try await connection.withClient { try await Monitor(client: $0, output: output).run() }
    }
}

/// Shows events until Ctrl-C or the end of the connection.
struct Monitor: Sendable {
    private let client: NFCClient
    private let output: any MonitorOutput

    init(client: NFCClient, output: any MonitorOutput) {
        (self.client, self.output) = (client, output)
    }

    /// Shows the initial state, then the events.
    ///
    /// - Throws: `NFCClientError`, also when the connection ends.
    func run() async throws {
        let interruption = await Interruption()
        // Subscribing first, then querying the state: no event is missed.
        let observation = try await client.observeEvents()
        try await ifPermitted { try await observation.includeTaps() }
        let start = MonitorSnapshot(
            readers: try await client.call(ReadersList.self),
            sessions: try await ifPermitted { try await client.sessions() } ?? [])
        output.begin(start, MonitorState(start))
        _ = try await interruption.cancelling {
            var state = MonitorState(start)
            for try await event in observation {
                state.apply(event, at: TimeOfDay.now)
                output.show(event, state)
            }
        }
    }

    /// The result of an operation; nil if this client is not permitted to perform it.
    @discardableResult
    private func ifPermitted<Value>(_ operation: () async throws -> Value) async throws -> Value? {
        do {
            return try await operation()
        } catch let error as NFCClientError where error.nfcCode == .securityViolation {
            return nil
        }
    }
}

/// The current readers and sessions and the last taps, updated by events. A value without I/O.
struct MonitorState: Sendable {
    /// The maximum number of taps.
    static let maximumTaps = 10

    /// A reader that is plugged in.
    struct Reader: Sendable, Hashable {
        let reader: String
        let name: String
        var hasTag: Bool
        var failure: String?
    }

    /// A session that holds readers or waits for them.
    struct Session: Sendable, Hashable {
        let session: String
        let client: ClientProcess
        let readers: [String]
        var isActive: Bool
    }

    /// A tap, as text.
    struct Tap: Sendable, Hashable {
        /// The local time of day.
        let time: String
        let summary: String
    }

    private(set) var readers: [Reader]
    private(set) var sessions: [Session]
    /// What programs ask people for, such as a card.
    private(set) var notices: [NoticeShown] = []
    /// The taps, latest first.
    private(set) var taps: [Tap] = []

    init(_ start: MonitorSnapshot) {
        readers = start.readers.map {
            Reader(reader: $0.reader, name: $0.name, hasTag: $0.state == .present, failure: $0.failure)
        }
        sessions = start.sessions.map {
            Session(session: $0.session, client: $0.client, readers: $0.readers, isActive: $0.state == .active)
        }
    }

    /// The state of a reader as text.
    func text(of reader: Reader) -> String {
        if let failure = reader.failure { return "failed: \(failure)" }
        let session = sessions.first { $0.isActive && $0.readers.contains(reader.reader) }
        return session.map { "held by \($0.session)" } ?? (reader.hasTag ? "tag" : "empty")
    }

    /// Applies an event. An event that the state already includes has no effect: the initial state is queried after
    /// subscribing.
    ///
    /// - Parameter time: the local time of day.
    mutating func apply(_ event: ObservedEvent, at time: String) {
        switch event {
        case .didReadTag(let tap):
            taps = [Tap(time: time, summary: tap.summary)] + taps.prefix(Self.maximumTaps - 1)
        case .tagRemoved: break  // It is not asked for: `tagLeft` is the same for all readers.
        case .readerAttached(let event): attach(event)
        case .readerDetached(let event): readers.removeAll { $0.reader == event.reader }
        case .readerFailed(let event): update(event.reader) { $0.failure = event.failure }
        case .readerRecovered(let event): update(event.reader) { $0.failure = nil }
        case .tagArrived(let event): update(event.reader) { $0.hasTag = true }
        case .tagLeft(let event): update(event.reader) { $0.hasTag = false }
        case .sessionBegan(let event): begin(event)
        case .sessionEnded(let event): sessions.removeAll { $0.session == event.session }
        case .noticeShown(let event): notices = notices.filter { $0.notice != event.notice } + [event]
        case .noticeHidden(let event): notices.removeAll { $0.notice == event.notice }
        case .didRecord: break  // For `nfcctl record` alone.
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
