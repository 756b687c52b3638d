/// `session.didBecomeActive`: the readers are the session's.
public struct SessionDidBecomeActive: ServerNotification, Hashable {
    /// The name on the wire.
    public static let name = "session.didBecomeActive"
    /// The session's name.
    public var session: String

    /// All fields.
    public init(session: String) {
        self.session = session
    }
}

/// `session.didDetectNDEFs`: a tag was found and read. `Message` is the JSON form of an NDEF message.
public struct SessionDidDetectNDEFs<Message: Codable & Sendable>: ServerNotification {
    /// The name on the wire.
    public static var name: String { "session.didDetectNDEFs" }

    /// Why there is no message.
    public struct Failure: Codable, Sendable, Hashable {
        /// CoreNFC's code.
        public var code: Int
        /// CoreNFC's short name.
        public var name: String
        /// CoreNFC's text.
        public var message: String
        /// The cause in words.
        public var detail: String

        /// All fields.
        public init(code: Int, name: String, message: String, detail: String) {
            self.code = code
            self.name = name
            self.message = message
            self.detail = detail
        }
    }

    /// The session's name.
    public var session: String
    /// The reader's name within nfcd.
    public var reader: String
    /// The reader's name for people.
    public var readerName: String
    /// The tag's name within the session.
    public var tag: String
    /// CoreNFC's type of the tag.
    public var type: TagType
    /// What the tag is, for people.
    public var technology: String?
    /// The UID; empty if the reader gave none.
    public var identifier: HexBytes
    /// The messages; none, if there is none, and then `error` says why.
    public var messages: [Message]
    /// Why there is no message; absent where there is one.
    public var error: Failure?

    /// All fields.
    public init(
        session: String, reader: String, readerName: String, tag: String, type: TagType, technology: String?,
        identifier: HexBytes, messages: [Message], error: Failure?
    ) {
        self.session = session
        self.reader = reader
        self.readerName = readerName
        self.tag = tag
        self.type = type
        self.technology = technology
        self.identifier = identifier
        self.messages = messages
        self.error = error
    }
}

/// `session.didDetectTags`: tags were found and are held for commands.
public struct SessionDidDetectTags: ServerNotification, Hashable {
    /// The name on the wire.
    public static let name = "session.didDetectTags"

    /// A tag and where it lies.
    public struct Tag: Codable, Sendable, Hashable {
        /// The tag's name within the session.
        public var tag: String
        /// The reader's name within nfcd.
        public var reader: String
        /// The reader's name for people.
        public var readerName: String
        /// CoreNFC's type of the tag.
        public var type: TagType
        /// What the tag is, for people.
        public var technology: String
        /// The UID; empty if the reader gave none.
        public var identifier: HexBytes
        /// Of a type A card of ISO/IEC 14443-4.
        public var historicalBytes: HexBytes?
        /// Of a type B card: the application data of its ATQB.
        public var applicationData: HexBytes?
        /// The application of `iso7816SelectIdentifiers` that is selected.
        public var initialSelectedAID: HexBytes?
        /// Of a tag of type miFare.
        public var mifareFamily: MIFAREFamily?
        /// The system of `feliCaSystemCodes` that answered.
        public var currentSystemCode: HexBytes?
        /// Of a FeliCa card: the IDm that it answered with last.
        public var currentIDm: HexBytes?
        /// Present where pace was polled for, and the card was asked.
        public var supportsPACE: Bool?
        /// How often `session.restartPolling` had taken effect when the tag was found. Lower than the client's own count: it
        /// was found before the client's latest restart, and is no longer the session's.
        public var polling: Int?

        /// What is known of every tag.
        public init(
            tag: String, reader: String, readerName: String, type: TagType, technology: String,
            identifier: HexBytes
        ) {
            self.tag = tag
            self.reader = reader
            self.readerName = readerName
            self.type = type
            self.technology = technology
            self.identifier = identifier
        }
    }

    /// The session's name.
    public var session: String
    /// The tags, at least one.
    public var tags: [Tag]

    /// All fields.
    public init(session: String, tags: [Tag]) {
        self.session = session
        self.tags = tags
    }
}

/// `session.tagFailed`: a tag came to a reader of a session that is given tags, and could not be connected to.
public struct SessionTagFailed: ServerNotification, Hashable {
    /// The name on the wire.
    public static let name = "session.tagFailed"
    /// The session's name.
    public var session: String
    /// The reader's name within nfcd.
    public var reader: String
    /// CoreNFC's code.
    public var code: Int
    /// CoreNFC's short name.
    public var name: String
    /// The cause in words.
    public var detail: String

    /// All fields.
    public init(session: String, reader: String, code: Int, name: String, detail: String) {
        self.session = session
        self.reader = reader
        self.code = code
        self.name = name
        self.detail = detail
    }
}

/// `session.tagRemoved`: a tag that was reported has left the field.
public struct SessionTagRemoved: ServerNotification, Hashable {
    /// The name on the wire.
    public static let name = "session.tagRemoved"
    /// The session's name.
    public var session: String
    /// The tag's name within the session.
    public var tag: String

    /// All fields.
    public init(session: String, tag: String) {
        self.session = session
        self.tag = tag
    }
}

/// `session.didInvalidate`: the session is over; nothing follows.
public struct SessionDidInvalidate: ServerNotification, Hashable {
    /// The name on the wire.
    public static let name = "session.didInvalidate"
    /// The session's name.
    public var session: String
    /// CoreNFC's code, e.g. 201.
    public var code: Int
    /// CoreNFC's short name, e.g. `SessionTimeout`.
    public var name: String
    /// CoreNFC's text.
    public var message: String
    /// The cause in words, or the client's own error message; may be empty.
    public var detail: String

    /// All fields.
    public init(session: String, code: Int, name: String, message: String, detail: String) {
        self.session = session
        self.code = code
        self.name = name
        self.message = message
        self.detail = detail
    }
}
