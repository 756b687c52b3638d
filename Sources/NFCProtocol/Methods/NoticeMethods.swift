// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A test requires a description of every field.

/// Shows a text to people who monitor nfcd, such as a request for a card.
///
/// It is shown until `notices.hide`, or until the client disconnects. A client may show at most 8 at a time; another is refused
/// with error 203.
public enum NoticesShow: Method {
    public static let name = "notices.show"
    public static let requirement = Requirement.nothing

    public struct Parameters: Codable, Sendable, Hashable {
        /// The text, at most 1,024 bytes.
        public var text: String
    }

    public struct Result: Codable, Sendable, Hashable {
        /// The name of the notice.
        public var notice: String
    }
}

/// Hides a notice of the client. Has no effect on one that is not shown.
public enum NoticesHide: Method {
    public static let name = "notices.hide"
    public static let requirement = Requirement.nothing

    public struct Parameters: Codable, Sendable, Hashable {
        /// The name of the notice.
        public var notice: String
    }
}

/// A client shows a text to people.
///
/// A client that subscribes is sent the notices that are shown already.
public struct NoticeShown: ServerNotification, Hashable {
    public static let name = "notice.shown"
    public static let requirement = Requirement.capability(.monitor)
    /// The name of the notice.
    public var notice: String
    /// The text.
    public var text: String
    /// The process of the client that shows it.
    public var client: ClientProcess
}

/// A notice is no longer shown.
public struct NoticeHidden: ServerNotification, Hashable {
    public static let name = "notice.hidden"
    public static let requirement = Requirement.capability(.monitor)
    /// The name of the notice.
    public var notice: String
}
