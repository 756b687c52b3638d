/// A request as a client sends it (JSON-RPC 2.0, §4).
public struct Request<Parameters: Encodable>: Encodable {
    private let jsonrpc = "2.0"
    private let id: RequestID
    private let method: String
    private let params: Parameters

    /// Puts one together.
    public init(id: RequestID, method: String, params: Parameters) {
        self.id = id
        self.method = method
        self.params = params
    }
}

/// A notification: nobody answers it (JSON-RPC 2.0, §4.1).
public struct NotificationMessage<Parameters: Encodable>: Encodable {
    private let jsonrpc = "2.0"
    private let method: String
    private let params: Parameters

    /// Puts one together.
    public init(method: String, params: Parameters) {
        self.method = method
        self.params = params
    }
}

/// The answer to a request (JSON-RPC 2.0, §5).
public enum Response {
    case success(RequestID, any Encodable)
    case failure(RequestID, RPCError)

    /// The id of the request.
    public var id: RequestID {
        switch self {
        case .success(let id, _), .failure(let id, _): id
        }
    }
}
