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
