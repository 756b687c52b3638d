/// `$/cancelRequest`: takes back a request of the same client, if it waits for a tag: then that request is answered with
/// −32800. One that has started goes on and is answered as usual. As a request or as a notification.
public enum CancelRequest: Method {
    /// The name on the wire.
    public static let name = "$/cancelRequest"
    /// Nothing to say: the answer to the other request tells.
    public typealias Result = Empty

    /// What is asked for.
    public struct Parameters: Codable, Sendable, Hashable {
        /// The id of the request; of several with one id, the last is meant. A request of a batch cannot be taken back alone.
        public var id: RequestID

        /// All fields.
        public init(id: RequestID) {
            self.id = id
        }
    }
}

/// `tag.cancelCommands`: takes back all commands to a tag that have not started; each is answered with −32800.
public enum TagCancelCommands: Method {
    /// The name on the wire.
    public static let name = "tag.cancelCommands"
    /// The tag.
    public typealias Parameters = TagParameters

    /// What the daemon answers.
    public struct Result: Codable, Sendable, Hashable {
        /// How many commands were taken back.
        public var cancelled: Int

        /// All fields.
        public init(cancelled: Int) {
            self.cancelled = cancelled
        }
    }
}

/// `$/progress`: how far a request has come that asked for it with `progress`. The last one comes before the answer.
public struct RequestProgress: ServerNotification, Hashable {
    /// The name on the wire.
    public static let name = "$/progress"
    /// The request's id.
    public var id: RequestID
    /// Steps done.
    public var done: Int
    /// Steps there are.
    public var total: Int

    /// All fields.
    public init(id: RequestID, done: Int, total: Int) {
        self.id = id
        self.done = done
        self.total = total
    }
}

/// Parameters of a method that tells how far it has come.
public protocol ProgressParameters {
    /// Tell with `$/progress`; false, if absent. Nothing is told in a batch, or of a request without an id.
    var progress: Bool? { get set }
}
