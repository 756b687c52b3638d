import NDEF
import NFCClient
import NFCProtocol

/// What there is as a monitor begins; the first line of its JSON.
struct MonitorSnapshot: Encodable, Sendable {
    let event = "started"
    let readers: [ReadersList.Reader]
    let sessions: [SessionsList.Session]
}

/// How a monitor is shown.
protocol MonitorOutput: Sendable {
    /// The state of the moment.
    func begin(_ start: MonitorSnapshot, _ board: MonitorState)

    /// Something happened, and this is the state after it.
    func show(_ event: WatchedEvent, _ board: MonitorState)
}

/// A line for each event.
struct MonitorLineOutput: MonitorOutput {
    func begin(_ start: MonitorSnapshot, _ board: MonitorState) {
        for reader in board.readers {
            Terminal.print("reader \(reader.reader.escaped): \(board.state(of: reader).escaped)")
        }
    }

    func show(_ event: WatchedEvent, _ board: MonitorState) { Terminal.print(event.words) }
}

/// A table that is drawn anew for each event.
struct MonitorTableOutput: MonitorOutput {
    func begin(_ start: MonitorSnapshot, _ board: MonitorState) { draw(board) }

    func show(_ event: WatchedEvent, _ board: MonitorState) { draw(board) }

    /// From the upper left corner; what stood there before is wiped away.
    private func draw(_ board: MonitorState) {
        Terminal.print("\u{1B}[H\u{1B}[2J" + board.lines(width: OutputStyle.output.width).joined(separator: "\n"))
    }
}

extension MonitorState {
    /// The whole board for people, as wide as a terminal.
    func lines(width: Int? = nil) -> [String] {
        // Below a title everything is set in.
        let width = width.map { $0 - 2 }
        let readers = readers.map { [$0.reader.escaped, state(of: $0).escaped, $0.name.escaped] }
        let sessions = sessions.map { session in
            [
                session.session, session.isActive ? "active" : "queued",
                "uid \(session.client.uid), pid \(session.client.pid)",
                session.readers.joined(separator: ", ").escaped,
            ]
        }
        return section("Readers", TextTable(rows: readers).lines(width: width))
            + section("Sessions", TextTable(rows: sessions).lines(width: width))
            + section("Taps, the last one first", TextTable(rows: taps.map { [$0] }).lines(width: width))
            + ["", "Ctrl-C ends."]
    }

    private func section(_ title: String, _ lines: [String]) -> [String] {
        ["", title] + (lines.isEmpty ? ["  none"] : lines.map { "  \($0)" })
    }
}

/// A monitor as lines of JSON. The fields are those of the protocol; more may come.
struct MonitorJSONOutput: MonitorOutput {
    /// What a notification carries, with its name.
    private struct Line: Encodable {
        let notification: any ServerNotification

        private enum CodingKeys: String, CodingKey {
            case event
        }

        func encode(to encoder: any Encoder) throws {
            try notification.encode(to: encoder)
            var object = encoder.container(keyedBy: CodingKeys.self)
            try object.encode(type(of: notification).name, forKey: .event)
        }
    }

    func begin(_ start: MonitorSnapshot, _ board: MonitorState) { Terminal.print(json: start) }

    func show(_ event: WatchedEvent, _ board: MonitorState) {
        Terminal.print(json: Line(notification: event.notification))
    }
}

extension BackgroundDidReadTag<NDEFMessage> {
    /// A line for people: what lies where, and what it says.
    var words: String {
        let kind = tag.technology.map { "\(tag.type.rawValue), \($0)" } ?? tag.type.rawValue
        let records = messages.flatMap(\.records).map { "\($0)" }.joined(separator: "; ")
        let content = error.map { "no message: \($0.message)" } ?? records
        return "\(readerName.escaped): \(kind.escaped), UID \(uid): \(content)"
    }

    private var uid: String { tag.identifier.bytes.isEmpty ? "unknown" : tag.identifier.description }
}

extension WatchedEvent {
    /// A line for people.
    var words: String {
        switch self {
        case .didReadTag(let event): "tap on \(event.words)"
        case .readerAttached(let event): "reader \(event.reader.escaped) attached: \(event.name.escaped)"
        case .readerDetached(let event): "reader \(event.reader.escaped) detached"
        case .readerFailed(let event): "reader \(event.reader.escaped) failed: \(event.failure.escaped)"
        case .readerRecovered(let event): "reader \(event.reader.escaped) works again"
        case .tagArrived(let event): "a tag came to \(event.reader.escaped)"
        case .tagLeft(let event): "the tag left \(event.reader.escaped)"
        case .sessionBegan(let event):
            "\(event.session) of uid \(event.client.uid), pid \(event.client.pid) holds "
                + event.readers.joined(separator: ", ").escaped
        case .sessionEnded(let event): "\(event.session) ended: \(event.code) \(event.name)"
        }
    }
}
