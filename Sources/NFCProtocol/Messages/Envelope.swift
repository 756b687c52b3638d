public import FoundationEssentials

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

// Put together by hand, with sorted keys as everywhere: a coder could not write a number as the client wrote it.

extension Response {
    /// The answer as one line, with its newline.
    public func line() throws -> Data {
        if case .success(.integer(let id), let result) = self, let result = result as? any PlainlyWritten {
            return Data(#"{"id":\#(id),"jsonrpc":"2.0","result":\#(result.json)}\#n"#.utf8)
        }
        var line = Data()
        try append(to: &line)
        line.append(UInt8(ascii: "\n"))
        return line
    }

    /// The answers to a batch as one line, with its newline.
    public static func line(_ batch: [Response]) throws -> Data {
        var line = Data()
        for response in batch {
            line.append(UInt8(ascii: line.isEmpty ? "[" : ","))
            try response.append(to: &line)
        }
        line.append(contentsOf: "]\n".utf8)
        return line
    }

    private func append(to line: inout Data) throws {
        switch self {
        case .success(let id, let result):
            line.append(contentsOf: #"{"id":"#.utf8)
            line.append(try id.json())
            line.append(contentsOf: #","jsonrpc":"2.0","result":"#.utf8)
            line.append(try JSONLine.json(result))
        case .failure(let id, let error):
            line.append(contentsOf: #"{"error":"#.utf8)
            line.append(try JSONLine.json(error))
            line.append(contentsOf: #","id":"#.utf8)
            line.append(try id.json())
            line.append(contentsOf: #","jsonrpc":"2.0""#.utf8)
        }
        line.append(UInt8(ascii: "}"))
    }
}

extension RequestID {
    fileprivate func json() throws -> Data {
        switch self {
        case .integer(let number): Data("\(number)".utf8)
        case .literal(let number): Data(number.utf8)
        case .string, .fraction, .null: try JSONLine.json(self)
        }
    }
}

/// One JSON value on one line: how everything travels on the socket.
public enum JSONLine {
    /// The longest line either side accepts, in bytes without the newline.
    public static let maximumLength = 1_048_576

    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()

    /// The value as one line, with its newline. Keys are sorted, so that output is stable.
    public static func encode(_ value: some Encodable) throws -> Data {
        var line = try json(value)
        line.append(UInt8(ascii: "\n"))
        return line
    }

    /// The value, without a newline.
    static func json(_ value: some Encodable) throws -> Data {
        try encoder.encode(value)
    }

    /// The value in a line.
    ///
    /// - Throws: `DecodingError`, with the path of what is wrong.
    public static func decode<Value: Decodable>(_ type: Value.Type, from line: Data) throws -> Value {
        try JSONDecoder().decode(type, from: line)
    }
}
