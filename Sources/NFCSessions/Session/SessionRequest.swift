public import NFCTypes
import NFCReaders
import NFCTags

/// What a client asks for with `session.begin`.
public struct SessionRequest: Sendable, Hashable {
    /// The kind of the session.
    public var kind: SessionKind
    /// What the client receives of a tag; a session of kind tag receives tags.
    public var detection: SessionDetection
    /// The technologies that the session looks for.
    public var polling: Set<PollingTechnology>
    /// The applications that are looked for and may be selected by name; nil: none is looked for, any may be selected.
    public var selectIdentifiers: [[UInt8]]?
    /// The FeliCa systems that are looked for and may be polled; nil: none is looked for, any may be polled.
    public var systemCodes: [UInt16]?
    /// Select by default what an iPhone does where a list is missing; see ``PollingOptions/selectsByDefault``.
    public var selectsByDefault: Bool
    /// End with 204 after the first message.
    public var invalidateAfterFirstRead: Bool
    /// A text for programs that show the session.
    public var alertMessage: String
    /// The readers wanted, by id or name; nil: all there are.
    public let readers: [String]?
    private let wantedReaders: Entitlements.Names<String>
    /// The readers that the client is granted; the session gets no others.
    public var grantedReaders = GrantedReaders.all
    /// What happens while another session holds a reader.
    public var whenBusy: BusyPolicy
    /// Wait for a reader (or for the PC/SC service) instead of ending with 1 (or 6).
    public var waitForReader: Bool
    /// Ends with 201 this long after becoming active; nil: the limit of the daemon, which it cannot exceed.
    public var timeout: Duration?
    /// Stops waiting this long after it began, for its turn or for a reader; nil: waits without a limit.
    public var queueTimeout: Duration?
    /// End with 203 as soon as another client's session could become active without this one.
    public var yields: Bool
    /// The longest that a grant lets the session stay active; nil: the limit of the daemon.
    public var grantedTimeout: Duration?

    /// A request; by default for all readers, failing at once where it cannot become active.
    public init(
        kind: SessionKind = .ndef, detection: SessionDetection = .messages,
        polling: Set<PollingTechnology> = PollingTechnology.usual, selectIdentifiers: [[UInt8]]? = nil,
        systemCodes: [UInt16]? = nil, selectsByDefault: Bool = false, invalidateAfterFirstRead: Bool = false,
        alertMessage: String = "", readers: [String]? = nil,
        whenBusy: BusyPolicy = .fail, waitForReader: Bool = false, timeout: Duration? = nil,
        queueTimeout: Duration? = nil, yields: Bool = false
    ) {
        self.kind = kind
        self.detection = kind == .tag ? .tags : detection
        self.polling = polling
        self.selectIdentifiers = selectIdentifiers
        self.systemCodes = systemCodes
        self.selectsByDefault = selectsByDefault
        self.invalidateAfterFirstRead = invalidateAfterFirstRead
        self.alertMessage = alertMessage
        self.readers = readers
        wantedReaders = readers.map { .some(Set($0)) } ?? .all
        self.whenBusy = whenBusy
        self.waitForReader = waitForReader
        self.timeout = timeout
        self.queueTimeout = queueTimeout
        self.yields = yields
    }
}

extension SessionRequest {
    /// What the session looks for unless a restart of polling changes it.
    var options: PollingOptions {
        PollingOptions(
            technologies: polling, selectIdentifiers: selectIdentifiers, systemCodes: systemCodes,
            selectsByDefault: selectsByDefault)
    }
}

extension SessionRequest {
    /// The formats that the session needs on each of its readers.
    var formats: [SessionFormat] {
        let format: SessionFormat = kind == .ndef ? .ndef : .tag
        return polling.contains(.pace) ? [format, .pace] : [format]
    }

    /// What the session does without a command, on each of its readers.
    var capabilities: [Capability] { detection == .messages ? [.read] : [] }

    /// Whether the session takes every reader there is or will be.
    var takesEveryReader: Bool { readers == nil && grantedReaders.areAll }

    /// Whether the session takes a reader: it is granted, and named unless the request names none.
    func takes(_ reader: ReaderDescription) -> Bool {
        grantedReaders.permit(reader) && wantedReaders.permits(reader)
    }

    /// The readers the session is bound to, for messages; nil where it takes every reader.
    var readerNames: [String]? { readers ?? grantedReaders.whole }
}

/// The limits of sessions; the configuration sets them.
public struct SessionLimits: Sendable, Hashable {
    /// The longest a session stays active; CoreNFC's is 60 s.
    public var timeout: Duration
    /// The most sessions of one client that wait or are active.
    public var sessionsPerClient: Int

    /// Limits; CoreNFC's by default.
    public init(timeout: Duration = .seconds(60), sessionsPerClient: Int = 16) {
        self.timeout = timeout
        self.sessionsPerClient = sessionsPerClient
    }

    /// How long the session of a request stays active at most.
    func timeout(for request: SessionRequest) -> Duration {
        min(request.timeout ?? timeout, max(timeout, request.grantedTimeout ?? .zero))
    }
}

/// Why a request about a session was rejected.
public enum SessionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is no such session, or it has ended, or it is another client's; a client cannot distinguish these.
    case invalidated(SessionID)
    /// The client has as many sessions as it may.
    case tooManySessions(limit: Int)

    /// The reason in words.
    public var description: String {
        switch self {
        case .invalidated(let session): "session \(session) does not exist or has ended; begin a new one"
        case .tooManySessions(let limit): "a client may have at most \(limit) sessions at a time; invalidate one first"
        }
    }
}

extension TagError {
    /// Error 103 for a command in a session that does not exist or has ended.
    static func invalidated(_ id: SessionID) -> TagError {
        TagError(.sessionInvalidated, "\(SessionError.invalidated(id))")
    }
}
