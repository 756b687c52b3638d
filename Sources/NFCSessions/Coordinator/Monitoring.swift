import NDEF
public import NFCReaders
public import NFCTypes

/// What happens on readers and in sessions, for clients that monitor nfcd.
public enum CoordinatorEvent: Sendable {
    /// A reader was plugged in.
    case readerAttached(ReaderDescription)
    /// A reader was unplugged, or the PC/SC service that showed it is gone.
    case readerDetached(ReaderDescription)
    /// A reader no longer answers, with the reason in words.
    case readerFailed(ReaderDescription, reason: String)
    /// A failed reader answers again.
    case readerRecovered(ReaderDescription)
    /// A tag came into the field of a reader.
    case tagArrived(ReaderDescription)
    /// The tag left the field of a reader.
    case tagLeft(ReaderDescription)
    /// A session became active.
    case sessionBegan(SessionSummary)
    /// A session ended, also one that never became active.
    case sessionEnded(SessionID, Invalidation)
    /// A client shows a text to people.
    case noticeShown(Notice)
    /// A notice is no longer shown.
    case noticeHidden(NoticeID)

    /// What an event of a driver means to clients, given the readers before it.
    static func events(for event: ReaderEvent, in table: ReaderTable) -> [CoordinatorEvent] {
        func about(_ reader: ReaderID, _ event: (ReaderDescription) -> CoordinatorEvent) -> [CoordinatorEvent] {
            table[reader].map { [event($0.description)] } ?? []
        }
        return switch event {
        case .attached(let reader): [.readerAttached(reader)]
        case .detached(let reader): about(reader) { .readerDetached($0) }
        case .failed(let reader, let reason): about(reader) { .readerFailed($0, reason: reason) }
        // A reader that was only blocked did not fail.
        case .recovered(let reader): table[reader]?.failure == nil ? [] : about(reader) { .readerRecovered($0) }
        case .tagArrived(let arrival): about(arrival.reader) { .tagArrived($0) }
        case .tagLeft(let reader): about(reader) { .tagLeft($0) }
        case .serviceUnavailable, .serviceStarting: table.entries.map { .readerDetached($0.description) }
        case .serviceAvailable, .described, .tagMute, .blocked: []
        }
    }
}

/// A client that monitors nfcd.
public protocol EventClient: Sendable {
    /// Different for every client.
    var id: ClientID { get }

    /// Sends an event to the client. Called in order; must not block.
    func send(_ event: CoordinatorEvent)
}

/// The name of a notice.
public struct NoticeID: RawRepresentable, Sendable, Hashable {
    /// The text on the wire.
    public let rawValue: String

    /// Makes a name; any value.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// A text that a client shows to people who monitor nfcd.
public struct Notice: Sendable {
    /// Its name.
    public let id: NoticeID
    /// The text.
    public let text: String
    /// The client that shows it.
    public let client: any SessionClient
}

/// Why a notice is not shown.
public enum NoticeError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The client shows as many as it may.
    case tooMany(limit: Int)

    /// The reason in words.
    public var description: String {
        switch self {
        case .tooMany(let limit): "a client may show at most \(limit) notices at a time; hide one first"
        }
    }
}

/// The clients that monitor nfcd, and the notices that are shown to them.
struct EventListeners: Sendable {
    /// The most notices that a client may show at a time.
    static let noticeLimit = 8

    private var clients: [ClientID: any EventClient] = [:]
    /// The notices that are shown, the oldest first.
    private var notices: [Notice] = []
    private var noticeCount = 0

    var count: Int { clients.count }

    /// Adds a client; once, however often it is added.
    mutating func add(_ client: any EventClient) {
        clients[client.id] = client
        for notice in notices { client.send(.noticeShown(notice)) }
    }

    /// Removes a client, and hides its notices.
    mutating func remove(_ client: ClientID) {
        clients[client] = nil
        for notice in notices where notice.client.id == client { hide(notice.id, by: client) }
    }

    mutating func show(_ text: String, by client: any SessionClient) throws(NoticeError) -> NoticeID {
        guard notices.count(where: { $0.client.id == client.id }) < Self.noticeLimit else {
            throw .tooMany(limit: Self.noticeLimit)
        }
        noticeCount += 1
        let notice = Notice(id: NoticeID(rawValue: "notice-\(noticeCount)"), text: text, client: client)
        notices.append(notice)
        send(.noticeShown(notice))
        return notice.id
    }

    mutating func hide(_ id: NoticeID, by client: ClientID) {
        guard let index = notices.firstIndex(where: { $0.id == id && $0.client.id == client }) else { return }
        notices.remove(at: index)
        send(.noticeHidden(id))
    }

    /// Sends an event to all of them.
    func send(_ event: CoordinatorEvent) {
        for client in clients.values { client.send(event) }
    }
}

/// A session as an operator sees it.
public struct SessionSummary: Sendable {
    /// Its name.
    public let id: SessionID
    /// Its client.
    public let client: any SessionClient
    /// What its client asked for.
    public let request: SessionRequest
    /// The text that is shown for it.
    public let alertMessage: String
    /// Whether it waits or is active.
    public let state: SessionState
    /// The readers it holds or waits for, as far as they are plugged in.
    public let readers: [ReaderID]
    /// How long it has been in this state.
    public let age: Duration
    /// How long it stays active at most; nil while it waits.
    public let remaining: Duration?
}

extension ReaderStatus {
    /// The state of a reader that a session holds or does not hold.
    public init(_ entry: ReaderTable.Entry, isInUse: Bool) {
        if entry.failure != nil {
            self = .failed
        } else if isInUse {
            self = .inUse
        } else {
            self = entry.tag == nil ? .empty : .present
        }
    }
}

extension ReaderServiceStatus {
    /// The state without the reason.
    public init(_ service: ReaderService) {
        self =
            switch service {
            case .starting: .starting
            case .available: .available
            case .unavailable: .unavailable
            }
    }
}

/// The numbers for a status line.
public struct Overview: Sendable, Hashable, CustomStringConvertible {
    /// Whether readers can be accessed.
    public let service: ReaderService
    /// Readers that are plugged in.
    public let readers: Int
    /// Those of them that failed.
    public let failedReaders: Int
    /// Sessions that are active.
    public let sessions: Int
    /// Sessions that wait for a reader.
    public let waitingSessions: Int
    /// Connected clients.
    public let clients: Int
    /// Why the journal takes no taps; nil where it does, or there is none.
    public let journal: String?

    init(_ table: ReaderTable, _ sessions: SessionRegistry, clients: Int, journal: String?) {
        self.journal = journal
        service = table.service
        readers = table.entries.count
        failedReaders = table.entries.count { $0.failure != nil }
        self.sessions = sessions.activeCount
        waitingSessions = sessions.waitingCount
        self.clients = clients
    }

    /// Such as `2 readers, 1 session, 5 clients`.
    public var description: String {
        let failed = failedReaders > 0 ? " (\(failedReaders) failed)" : ""
        let waiting = waitingSessions > 0 ? " (\(waitingSessions) more waiting)" : ""
        let readers = service.reason.map { "no readers: \($0)" } ?? counted(readers, "reader") + failed
        let counts = [readers, counted(sessions, "session") + waiting, counted(clients, "client")]
        return (counts + (journal.map { ["no taps are recorded: \($0)"] } ?? [])).joined(separator: ", ")
    }
}
