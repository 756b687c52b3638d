/// `session.begin`: asks for a reader session. Whether it becomes active is told by notifications.
public enum SessionBegin: Method {
    /// The name on the wire.
    public static let name = "session.begin"

    /// What is asked for.
    public struct Parameters: Codable, Sendable, Hashable, PollingParameters {
        /// What the session is for.
        public var kind: SessionKind
        /// What the client is given; messages, if absent. Only for kind ndef.
        public var detection: SessionDetection?
        /// The technologies that tags are looked for in, at least one; all but pace, if absent. The session ends with 1 where
        /// its readers have none of them.
        public var pollingOption: [PollingTechnology]?
        /// Applications of ISO/IEC 7816-4 cards by their names, 5 to 16 bytes each. A card is delivered where it has one of
        /// them: the first, which is selected then. No other may be selected by name, not even by a part of a name that is
        /// listed: that is refused with 2. MIFARE Plus and DESFire without any of them come as miFare. If absent, every card
        /// is delivered, nothing is selected, and everything may be. Only for kind tag.
        public var iso7816SelectIdentifiers: [HexBytes]?
        /// FeliCa systems, 2 bytes each, FF being none of them. A card is delivered where one of them answers, and no other
        /// may be polled. If absent, every card is delivered, and every system may be polled. Only for kind tag.
        public var feliCaSystemCodes: [HexBytes]?
        /// End with 204 after the first message; false, if absent.
        public var invalidateAfterFirstRead: Bool?
        /// A text for whoever shows the session.
        public var alertMessage: String?
        /// Readers by id or name; all there are, if absent.
        public var readers: [String]?
        /// What happens while another session holds a reader; fail, if absent.
        public var whenBusy: BusyPolicy?
        /// Wait for a reader or the PC/SC service in place of ending with 1 or 6; false, if absent.
        public var waitForReader: Bool?
        /// Seconds, more than 0; the limit of the daemon, if absent or longer.
        public var timeout: Double?
        /// Seconds, more than 0, after which a session that waits stops waiting and ends: with 203 where another session is in
        /// the way, else with 1 or 6. It waits for ever, if absent.
        public var queueTimeout: Double?

        /// All fields; what may be absent is nil unless given.
        public init(
            kind: SessionKind, detection: SessionDetection? = nil, pollingOption: [PollingTechnology]? = nil,
            iso7816SelectIdentifiers: [HexBytes]? = nil, feliCaSystemCodes: [HexBytes]? = nil,
            invalidateAfterFirstRead: Bool? = nil,
            alertMessage: String? = nil, readers: [String]? = nil, whenBusy: BusyPolicy? = nil,
            waitForReader: Bool? = nil, timeout: Double? = nil, queueTimeout: Double? = nil
        ) {
            self.kind = kind
            self.detection = detection
            self.pollingOption = pollingOption
            self.iso7816SelectIdentifiers = iso7816SelectIdentifiers
            self.feliCaSystemCodes = feliCaSystemCodes
            self.invalidateAfterFirstRead = invalidateAfterFirstRead
            self.alertMessage = alertMessage
            self.readers = readers
            self.whenBusy = whenBusy
            self.waitForReader = waitForReader
            self.timeout = timeout
            self.queueTimeout = queueTimeout
        }
    }

    /// What the daemon answers.
    public struct Result: Codable, Sendable, Hashable {
        /// The name of the session.
        public var session: String

        /// All fields.
        public init(session: String) {
            self.session = session
        }
    }
}

/// `session.connect`: makes a detected tag the one that takes commands, in place of another. A tag of type iso7816 that is
/// the only one is connected to by its first command, too.
public enum SessionConnect: Method {
    /// The name on the wire.
    public static let name = "session.connect"
    /// The tag.
    public typealias Parameters = TagParameters
    /// Nothing to say.
    public typealias Result = Empty
}

/// `session.setAlertMessage`: changes the text that is shown for the session.
public enum SessionSetAlertMessage: Method {
    /// The name on the wire.
    public static let name = "session.setAlertMessage"
    /// Nothing to say.
    public typealias Result = Empty

    /// What is asked for.
    public struct Parameters: Codable, Sendable, Hashable {
        /// The session's name.
        public var session: String
        /// The new text.
        public var message: String

        /// All fields.
        public init(session: String, message: String) {
            self.session = session
            self.message = message
        }
    }
}

/// `session.invalidate`: ends the session, with 200.
public enum SessionInvalidate: Method {
    /// The name on the wire.
    public static let name = "session.invalidate"
    /// Nothing to say.
    public typealias Result = Empty

    /// What is asked for.
    public struct Parameters: Codable, Sendable, Hashable {
        /// The session's name.
        public var session: String
        /// Shown as the reason.
        public var errorMessage: String?

        /// All fields; what may be absent is nil unless given.
        public init(session: String, errorMessage: String? = nil) {
            self.session = session
            self.errorMessage = errorMessage
        }
    }
}

/// Parameters that say what is looked for.
public protocol PollingParameters {
    /// The technologies; at least one.
    var pollingOption: [PollingTechnology]? { get }
    /// Names of applications.
    var iso7816SelectIdentifiers: [HexBytes]? { get }
    /// FeliCa systems.
    var feliCaSystemCodes: [HexBytes]? { get }
}

/// `session.restartPolling`: tags in the field are detected anew, under new names. Commands for the old names are refused.
public enum SessionRestartPolling: Method {
    /// The name on the wire.
    public static let name = "session.restartPolling"
    /// Nothing to say.
    public typealias Result = Empty

    /// What is asked for. What is given holds for this restart only; what is absent is as in `session.begin`.
    public struct Parameters: Codable, Sendable, Hashable, PollingParameters {
        /// The session's name.
        public var session: String
        /// As in `session.begin`.
        public var pollingOption: [PollingTechnology]?
        /// As in `session.begin`.
        public var iso7816SelectIdentifiers: [HexBytes]?
        /// As in `session.begin`.
        public var feliCaSystemCodes: [HexBytes]?

        /// All fields; what may be absent is nil unless given.
        public init(
            session: String, pollingOption: [PollingTechnology]? = nil, iso7816SelectIdentifiers: [HexBytes]? = nil,
            feliCaSystemCodes: [HexBytes]? = nil
        ) {
            self.session = session
            self.pollingOption = pollingOption
            self.iso7816SelectIdentifiers = iso7816SelectIdentifiers
            self.feliCaSystemCodes = feliCaSystemCodes
        }
    }
}
