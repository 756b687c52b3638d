import NDEF
import NFCClient
import NFCProtocol

/// The readers and sessions at the start; the first line of the JSON output.
struct MonitorSnapshot: Encodable, Sendable {
    let event = "started"
    let readers: [ReadersList.Reader]
    let sessions: [SessionsList.Session]
}

/// The output of a monitor.
protocol MonitorOutput: Sendable {
    /// The initial state.
    func begin(_ start: MonitorSnapshot, _ state: MonitorState)

    /// An event, and the state after it.
    func show(_ event: ObservedEvent, _ state: MonitorState)
}

/// A line for each event, with the time of day.
struct MonitorLineOutput: MonitorOutput {
    func begin(_ start: MonitorSnapshot, _ state: MonitorState) {
        for reader in state.readers {
            Terminal.print("reader \(reader.reader.escaped): \(state.text(of: reader).escaped)")
        }
    }

    func show(_ event: ObservedEvent, _ state: MonitorState) {
        Terminal.print("\(TimeOfDay.now)  \(event.summary)")
    }
}

/// A table that is redrawn for each event.
struct MonitorTableOutput: MonitorOutput {
    func begin(_ start: MonitorSnapshot, _ state: MonitorState) { draw(state) }

    func show(_ event: ObservedEvent, _ state: MonitorState) { draw(state) }

    /// Clears the screen and draws the table.
    private func draw(_ state: MonitorState) {
        Terminal.print("\u{1B}[H\u{1B}[2J" + state.lines(width: OutputStyle.output.width).joined(separator: "\n"))
    }
}

extension MonitorState {
    /// The lines of the table.
    func lines(width: Int? = nil) -> [String] {
        // The lines below a title are indented.
        let width = width.map { $0 - 2 }
        let readers = readers.map { [$0.reader.escaped, text(of: $0).escaped, $0.name.escaped] }
        let sessions = sessions.map { session in
            [
                session.session, session.isActive ? "active" : "queued",
                "uid \(session.client.uid), pid \(session.client.pid)",
                session.readers.joined(separator: ", ").escaped,
            ]
        }
        return section("Readers", TextTable(rows: readers).lines(width: width))
            + section("Sessions", TextTable(rows: sessions).lines(width: width))
            + section("Notices", TextTable(rows: notices.map { [$0.program, $0.text.escaped] }).lines(width: width))
            + section("Taps, latest first", taps.flatMap { $0.lines(width: width) })
            + ["", "Press Ctrl-C to stop."]
    }

    private func section(_ title: String, _ lines: [String]) -> [String] {
        ["", title] + (lines.isEmpty ? ["  none"] : lines.map { "  \($0)" })
    }
}

extension MonitorState.Tap {
    /// The time and the content, which continues on further lines.
    fileprivate func lines(width: Int?) -> [String] {
        let content = width.map { TextLines.wrap(summary, to: max(20, $0 - TextLines.columns(time) - 2)) } ?? [summary]
        return content.enumerated().map {
            TextLines.pad($0.offset == 0 ? time : "", to: TextLines.columns(time)) + "  " + $0.element
        }
    }
}

/// A monitor as lines of JSON, with the fields of the notifications.
struct MonitorJSONOutput: MonitorOutput {
    /// The parameters of a notification, with its name.
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

    func begin(_ start: MonitorSnapshot, _ state: MonitorState) { Terminal.print(json: start) }

    func show(_ event: ObservedEvent, _ state: MonitorState) {
        Terminal.print(json: Line(notification: event.notification))
    }
}

extension BackgroundDidReadTag {
    /// The reader, the tag and its content, as text.
    var summary: String {
        let records = messages.flatMap(\.records).summary
        let content = error.map { "no message: \($0.message)" } ?? records
        return "\(readerName.escaped): \(TagSummary(self)): \(proof?.prefix ?? "")\(content)"
    }
}

extension BackgroundTagRemoved {
    /// The reader and the tag, as text.
    var summary: String { "\(readerName.escaped): \(TagSummary(self)): removed" }
}

extension NoticeShown {
    /// The program that shows it, by its user and process.
    fileprivate var program: String { "uid \(client.uid), pid \(client.pid)" }
}

extension ObservedEvent {
    /// The event as text.
    var summary: String {
        switch self {
        case .didReadTag(let event): "tap on \(event.summary)"
        case .tagRemoved(let event): event.summary
        case .readerAttached(let event): "reader \(event.reader.escaped) attached: \(event.name.escaped)"
        case .readerDetached(let event): "reader \(event.reader.escaped) detached"
        case .readerFailed(let event): "reader \(event.reader.escaped) failed: \(event.failure.escaped)"
        case .readerRecovered(let event): "reader \(event.reader.escaped) works again"
        case .tagArrived(let event): "tag arrived on \(event.reader.escaped)"
        case .tagLeft(let event): "tag left \(event.reader.escaped)"
        case .sessionBegan(let event):
            "\(event.session) of uid \(event.client.uid), pid \(event.client.pid) holds "
                + event.readers.joined(separator: ", ").escaped
        case .sessionEnded(let event): "\(event.session) ended: \(event.code) \(event.name)"
        case .noticeShown(let event): "\(event.notice) of \(event.program): \(event.text.escaped)"
        case .noticeHidden(let event): "\(event.notice) is over"
        case .didRecord(let event): "a line of \(event.recording)"
        }
    }
}
