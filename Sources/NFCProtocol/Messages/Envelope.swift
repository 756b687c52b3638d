public import FoundationEssentials

/// A request of a client (JSON-RPC 2.0, §4).
public struct Request<Parameters: Encodable>: Encodable {
    private let jsonrpc = "2.0"
    private let id: RequestID
    private let method: String
    private let params: Parameters

    /// Creates a request.
    public init(id: RequestID, method: String, params: Parameters) {
        self.id = id
        self.method = method
        self.params = params
    }
}

/// A notification, which has no answer (JSON-RPC 2.0, §4.1).
public struct NotificationMessage<Parameters: Encodable>: Encodable {
    private let jsonrpc = "2.0"
    private let method: String
    private let params: Parameters

    /// Creates a notification.
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

extension Response: Encodable {
    private enum CodingKeys: CodingKey {
        case jsonrpc, id, result, error
    }

    /// An object with the result or the error.
    public func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: CodingKeys.self)
        try object.encode("2.0", forKey: .jsonrpc)
        try object.encode(id, forKey: .id)
        switch self {
        case .success(_, let result): try object.encode(result, forKey: .result)
        case .failure(_, let error): try object.encode(error, forKey: .error)
        }
    }
}

/// The form of all messages on the socket: one JSON value per line.
public enum JSONLine {
    /// The longest line either side accepts, in bytes without the newline.
    public static let maximumLength = 1_048_576

    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()

    /// Encodes a value as a line with its newline. Keys are sorted, so that the output is stable.
    public static func encode(_ value: some Encodable) throws -> Data {
        var line = try json(value)
        line.append(UInt8(ascii: "\n"))
        return line
    }

    /// Encodes a value without a newline.
    static func json(_ value: some Encodable) throws -> Data {
        try encoder.encode(value)
    }

    /// Decodes the value of a line.
    ///
    /// - Throws: `DecodingError` with the path of the invalid value.
    public static func decode<Value: Decodable>(_ type: Value.Type, from line: Data) throws -> Value {
        try JSONDecoder().decode(type, from: line)
    }
}
