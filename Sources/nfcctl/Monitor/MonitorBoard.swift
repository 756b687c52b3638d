import NFCClient
import NFCProtocol

/// The readers and sessions of the moment and the last taps, kept up to date by events. A value: no I/O.
struct MonitorBoard: Sendable {
    /// The most taps that are kept.
    static let mostTaps = 10

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

    init(_ start: MonitorStart) {
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
        case .didReadTag(let tap): taps = [tap.words] + taps.prefix(Self.mostTaps - 1)
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
