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
public enum Response: Encodable {
    case success(RequestID, any Encodable)
    case failure(RequestID, RPCError)

    private enum CodingKeys: String, CodingKey {
        case jsonrpc, id, result, error
    }

    /// The object with `result` or `error`.
    public func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: CodingKeys.self)
        try object.encode("2.0", forKey: .jsonrpc)
        switch self {
        case .success(let id, let result):
            try object.encode(id, forKey: .id)
            try result.encode(to: object.superEncoder(forKey: .result))
        case .failure(let id, let error):
            try object.encode(id, forKey: .id)
            try object.encode(error, forKey: .error)
        }
    }
}
