// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A test requires a description of every field.
public import NDEF
public import NFCTypes

// What a client is notified of in its session.

/// The session holds its readers and polls for tags.
public struct SessionDidBecomeActive: ServerNotification, Hashable {
    public static let name = "session.didBecomeActive"
    public static let requirement = Requirement.nothing
    /// The session.
    public var session: String
}

/// A tag was detected and read.
///
/// If reading failed, `error` gives the reason.
public struct SessionDidDetectNDEFs: ServerNotification {
    public static let name = "session.didDetectNDEFs"
    public static let requirement = Requirement.capability(.read)

    /// The reason why there is no message.
    public struct Failure: Codable, Sendable, Hashable {
        /// CoreNFC's code.
        public var code: Int
        /// CoreNFC's short name of the code.
        public var name: String
        /// CoreNFC's text for the code.
        public var message: String
        /// The cause in words.
        public var detail: String
    }

    /// The session.
    public var session: String
    /// The id of the reader within nfcd.
    public var reader: String
    /// The name of the reader for people.
    public var readerName: String
    /// The name of the tag in the session.
    public var tag: String
    /// CoreNFC's type of the tag.
    public var type: TagType
    /// The technology of the tag, for people; absent if the tag could not be connected to.
    public var technology: String?
    /// The UID; empty if the reader does not report it.
    public var identifier: HexBytes
    /// The messages on the tag; empty if there is none, and then `error` gives the reason.
    public var messages: [NDEFMessage]
    /// The reason why there is no message.
    public var error: Failure?
    /// The manufacturer's name for the product, if reading the message has shown it.
    public var product: String?
    /// What the tag has proven; absent if no profile fits it.
    public var proof: TapProof?

    package init(
        session: String, reader: String, readerName: String, tag: String, type: TagType, technology: String?,
        identifier: HexBytes, messages: [NDEFMessage], error: Failure?, product: String? = nil
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
        self.product = product
    }
}

/// A notification with NDEF messages, which may be too long for a line.
package protocol MessageNotification: ServerNotification {
    /// The messages on the tag.
    var messages: [NDEFMessage] { get set }
    /// The reason why there is no message.
    var error: SessionDidDetectNDEFs.Failure? { get set }
}

extension SessionDidDetectNDEFs: MessageNotification {}
extension BackgroundDidReadTag: MessageNotification {}

extension TapsDidRecord: MessageNotification {
    package var messages: [NDEFMessage] {
        get { tap.message.map { [$0] } ?? [] }
        set { tap.message = newValue.first }
    }

    package var error: SessionDidDetectNDEFs.Failure? {
        get { tap.error }
        set { tap.error = newValue }
    }
}

/// Tags were detected and are ready for commands.
public struct SessionDidDetectTags: ServerNotification, Hashable {
    public static let name = "session.didDetectTags"
    public static let requirement = Requirement.nothing

    public struct Tag: Codable, Sendable, Hashable {
        /// The name of the tag in the session.
        public var tag: String
        /// The id of the reader within nfcd.
        public var reader: String
        /// The name of the reader for people.
        public var readerName: String
        /// CoreNFC's type of the tag.
        public var type: TagType
        /// The technology of the tag, for people.
        public var technology: String
        /// The UID; empty if the reader does not report it.
        public var identifier: HexBytes
        /// The historical bytes of a type A card of ISO/IEC 14443-4.
        public var historicalBytes: HexBytes?
        /// The application data in the ATQB of a type B card.
        public var applicationData: HexBytes?
        /// Whether the application data of a type B card is coded in a proprietary way; absent of other cards.
        public var proprietaryApplicationDataCoding: Bool?
        /// The application that is selected: of `iso7816SelectIdentifiers`, or by `defaultSelection`.
        public var initialSelectedAID: HexBytes?
        /// The family of a tag of type `miFare`.
        public var mifareFamily: MIFAREFamily?
        /// The system that answered: of `feliCaSystemCodes`, or by `defaultSelection`.
        public var currentSystemCode: HexBytes?
        /// The IDm that a FeliCa card answered with last.
        public var currentIDm: HexBytes?
        /// Whether the card supports PACE; absent unless the session polled for `pace` and the card was asked.
        public var supportsPACE: Bool?
        /// How many times `session.restartPolling` had taken effect when the tag was detected. If this is less than the
        /// client's own count, the tag was detected before the latest restart and no longer belongs to the session.
        public var polling: Int?
        /// True if the tag was in the field already when the session became active; otherwise absent.
        public var wasPresent: Bool?

        package init(
            tag: String, reader: String, readerName: String, type: TagType, technology: String, identifier: HexBytes
        ) {
            self.tag = tag
            self.reader = reader
            self.readerName = readerName
            self.type = type
            self.technology = technology
            self.identifier = identifier
        }
    }

    /// The session.
    public var session: String
    /// The tags, at least one.
    public var tags: [Tag]
}

/// A tag arrived, but could not be connected to.
///
/// Sent to sessions that deliver tags.
public struct SessionTagFailed: ServerNotification, Hashable {
    public static let name = "session.tagFailed"
    public static let requirement = Requirement.nothing
    /// The session.
    public var session: String
    /// The id of the reader within nfcd.
    public var reader: String
    /// CoreNFC's code.
    public var code: Int
    /// CoreNFC's short name of the code.
    public var name: String
    /// The cause in words.
    public var detail: String
}

/// A tag arrived on a reader of the session that the session does not look for.
///
/// Sent to sessions that began with `yields`, so that they can end at once.
public struct SessionTagIgnored: ServerNotification, Hashable {
    public static let name = "session.tagIgnored"
    public static let requirement = Requirement.nothing
    /// The session.
    public var session: String
    /// The id of the reader within nfcd.
    public var reader: String
}

/// A reported tag has left the field.
public struct SessionTagRemoved: ServerNotification, Hashable {
    public static let name = "session.tagRemoved"
    public static let requirement = Requirement.nothing
    /// The session.
    public var session: String
    /// The name of the tag in the session.
    public var tag: String
}

/// The session has ended; `code` gives the reason, and nothing more is sent for the session.
public struct SessionDidInvalidate: ServerNotification, Hashable {
    public static let name = "session.didInvalidate"
    public static let requirement = Requirement.nothing
    /// The session.
    public var session: String
    /// CoreNFC's code, e.g. 201.
    public var code: Int
    /// CoreNFC's short name of the code, e.g. `SessionTimeout`.
    public var name: String
    /// CoreNFC's text for the code.
    public var message: String
    /// The cause in words, or the error message of the client that ended the session; may be empty.
    public var detail: String
}
