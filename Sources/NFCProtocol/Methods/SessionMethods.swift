// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A test requires a description of every field.
public import NFCTypes

// A session: `session.*`.

/// Requests a reader session.
///
/// Notifications report whether it becomes active, which tags it detects and how it ends.
public enum SessionBegin: Method {
    public static let name = "session.begin"
    public static let requirement = Requirement.sessionFormat

    public struct Parameters: Codable, Sendable, Hashable, PollingParameters {
        /// The kind of session: `ndef` reads messages, and its tags accept `tag.*`; `tag` delivers tags of any kind for raw
        /// commands.
        public var kind: SessionKind
        /// What an `ndef` session delivers: the messages of the tags (default), or the tags themselves for commands.
        public var detection: SessionDetection?
        /// The technologies to poll for, at least one; the default is all but `pace`. The session ends with 1 if its readers
        /// support none of them. `pace` is for sessions of kind `tag` only.
        public var pollingOption: [PollingTechnology]?
        /// Names of ISO/IEC 7816-4 applications, 5 to 16 bytes each, at most 128; only for kind `tag`. A card is delivered if it has one of
        /// them, and the first that it has is selected. Selecting any other application by its name or a part of it is refused
        /// with error 2. MIFARE Plus and DESFire cards without any of them are delivered as `miFare`. By default every card is
        /// delivered, nothing is selected, and every application may be.
        public var iso7816SelectIdentifiers: [HexBytes]?
        /// FeliCa system codes, 2 bytes each, none of them FF, at most 128; only for kind `tag`. A card is delivered if one of them
        /// answers, and no other system may be polled. By default every card is delivered and every system may be polled.
        public var feliCaSystemCodes: [HexBytes]?
        /// Whether tags are delivered as on an iPhone where a list above is missing; the default is false. MIFARE Plus and DESFire cards
        /// are then delivered as `miFare`, of any other ISO/IEC 7816-4 card the NDEF application is selected if it has it, and a
        /// FeliCa card is polled for NDEF (12FC), then for its first system.
        public var defaultSelection: Bool?
        /// Whether the session ends with 204 after the first message; the default is false.
        public var invalidateAfterFirstRead: Bool?
        /// A text for programs that show the session to people, at most 1,024 bytes.
        public var alertMessage: String?
        /// The readers to use, by id or name, at most 64 of at most 256 bytes each; the default is all that the caller may use.
        public var readers: [String]?
        /// What happens while another session holds a reader: `fail` (default) ends the session with 203, `queue` waits.
        public var whenBusy: BusyPolicy?
        /// Whether to wait for a reader, for the recovery of a failed one, or for the PC/SC service, instead of ending with 1 or
        /// 6; the default is false. While the service is being started, every session waits.
        public var waitForReader: Bool?
        /// The time limit of the active session in seconds, more than 0. The daemon's limit is the default and the
        /// maximum; a grant with `session-timeout` raises the maximum.
        public var timeout: Double?
        /// The time limit for waiting in seconds, more than 0. The session then ends with 203 if another session is in the
        /// way, otherwise with 1 or 6. By default it waits without a limit.
        public var queueTimeout: Double?
        /// Whether the session yields its readers; the default is false. It ends with 203 as soon as another client's session
        /// that does not yield could have them without it, and never ends another session. It is sent `session.tagIgnored`.
        /// Between its commands, other PC/SC programs may use the tag.
        public var yields: Bool?

        public init(
            kind: SessionKind, detection: SessionDetection? = nil, pollingOption: [PollingTechnology]? = nil,
            iso7816SelectIdentifiers: [HexBytes]? = nil, feliCaSystemCodes: [HexBytes]? = nil,
            defaultSelection: Bool? = nil, invalidateAfterFirstRead: Bool? = nil,
            alertMessage: String? = nil, readers: [String]? = nil, whenBusy: BusyPolicy? = nil,
            waitForReader: Bool? = nil, timeout: Double? = nil, queueTimeout: Double? = nil, yields: Bool? = nil
        ) {
            self.kind = kind
            self.detection = detection
            self.pollingOption = pollingOption
            self.iso7816SelectIdentifiers = iso7816SelectIdentifiers
            self.feliCaSystemCodes = feliCaSystemCodes
            self.defaultSelection = defaultSelection
            self.invalidateAfterFirstRead = invalidateAfterFirstRead
            self.alertMessage = alertMessage
            self.readers = readers
            self.whenBusy = whenBusy
            self.waitForReader = waitForReader
            self.timeout = timeout
            self.queueTimeout = queueTimeout
            self.yields = yields
        }
    }

    public struct Result: Codable, Sendable, Hashable {
        /// The name of the session.
        public var session: String
    }
}

extension SessionBegin.Parameters: SizedParameters {
    package static let sizes = ["readers": ParameterSize(bytes: 256, entries: 64)]
}

/// The parameters that select the tags a session polls for.
public protocol PollingParameters {
    var pollingOption: [PollingTechnology]? { get }
    var iso7816SelectIdentifiers: [HexBytes]? { get }
    var feliCaSystemCodes: [HexBytes]? { get }
}

/// Connects to a detected tag, which then accepts commands.
///
/// A session is connected to one tag at a time. A tag of type `iso7816` that is the only one in the field is also connected
/// by its first command.
public enum SessionConnect: Method {
    public static let name = "session.connect"
    public static let requirement = Requirement.nothing
    public typealias Parameters = TagAddress
}

/// Detects the tags in the field again.
///
/// They get new names; commands for the old names are refused. What the parameters change applies to this restart only. A tag
/// that stays in the field is detected at most about twice a second: half a second after its last detection at the earliest.
public enum SessionRestartPolling: Method {
    public static let name = "session.restartPolling"
    public static let requirement = Requirement.nothing

    public struct Parameters: Codable, Sendable, Hashable, PollingParameters {
        /// The session.
        public var session: String
        /// The technologies to poll for, as in `session.begin`.
        public var pollingOption: [PollingTechnology]?
        /// Names of ISO/IEC 7816-4 applications, as in `session.begin`.
        public var iso7816SelectIdentifiers: [HexBytes]?
        /// FeliCa system codes, as in `session.begin`.
        public var feliCaSystemCodes: [HexBytes]?
    }
}

/// Changes the text that is shown for the session.
public enum SessionSetAlertMessage: Method {
    public static let name = "session.setAlertMessage"
    public static let requirement = Requirement.nothing

    public struct Parameters: Codable, Sendable, Hashable {
        /// The session.
        public var session: String
        /// The new text, at most 1,024 bytes.
        public var message: String
    }
}

/// Changes whether the session yields its readers to other clients.
///
/// `yields` of `session.begin` explains it. If it yields from now on and another client's session waits for its readers, it ends before the answer is sent.
public enum SessionSetYielding: Method {
    public static let name = "session.setYielding"
    public static let requirement = Requirement.nothing

    public struct Parameters: Codable, Sendable, Hashable {
        /// The session.
        public var session: String
        /// Whether it yields.
        public var yields: Bool
    }
}

/// Ends the session, with 200.
public enum SessionInvalidate: Method {
    public static let name = "session.invalidate"
    public static let requirement = Requirement.nothing

    public struct Parameters: Codable, Sendable, Hashable {
        /// The session.
        public var session: String
        /// A text that is reported as the reason, at most 1,024 bytes.
        public var errorMessage: String?
    }
}
