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

/// The notices that clients show. A value: no I/O.
struct NoticeBoard: Sendable {
    /// The most that a client may show at a time.
    static let limit = 8

    /// The notices that are shown, the oldest first.
    private(set) var shown: [Notice] = []
    private var count = 0

    mutating func show(_ text: String, by client: any SessionClient) throws(NoticeError) -> Notice {
        guard shown.count(where: { $0.client.id == client.id }) < Self.limit else {
            throw .tooMany(limit: Self.limit)
        }
        count += 1
        let notice = Notice(id: NoticeID(rawValue: "notice-\(count)"), text: text, client: client)
        shown.append(notice)
        return notice
    }

    /// Hides a notice of a client; false where it does not show it.
    mutating func hide(_ id: NoticeID, by client: ClientID) -> Bool {
        guard let index = shown.firstIndex(where: { $0.id == id && $0.client.id == client }) else { return false }
        shown.remove(at: index)
        return true
    }

    /// Hides all notices of a client, and returns their names.
    mutating func forget(_ client: ClientID) -> [NoticeID] {
        let gone = shown.filter { $0.client.id == client }.map(\.id)
        shown.removeAll { $0.client.id == client }
        return gone
    }
}

extension SessionCoordinator {
    /// Shows a text to the clients that monitor nfcd.
    ///
    /// - Throws: ``NoticeError`` where the client shows as many as it may.
    public func showNotice(_ text: String, by client: any SessionClient) throws(NoticeError) -> NoticeID {
        let notice = try notices.show(text, by: client)
        listeners.send(.noticeShown(notice))
        return notice.id
    }

    /// Hides a notice. Without effect on one that the client does not show.
    public func hideNotice(_ id: NoticeID, by client: ClientID) {
        if notices.hide(id, by: client) { listeners.send(.noticeHidden(id)) }
    }
}
