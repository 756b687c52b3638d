public import FoundationEssentials
package import NDEF

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

extension Response {
    /// The answer as JSON, without a newline; with shorter forms of its NDEF messages if it would be too long for a line.
    package func json() throws -> Data {
        guard case .success(let id, let result as any DirectResult) = self, let result = result.json else {
            return try JSONLine.shortestJSON(self)
        }
        var json = Data(#"{"id":"#.utf8)
        json.append(try id.json)
        json.append(contentsOf: #","jsonrpc":"2.0","result":"#.utf8)
        json.append(result)
        json.append(UInt8(ascii: "}"))
        return json
    }
}

/// A result that ``Response/json()`` does not encode, because it is JSON already, or is made faster than an encoder does. `Encodable`
/// describes the same.
package protocol DirectResult: Encodable, Sendable {
    /// As JSON with sorted keys; nil: only an encoder can make it.
    var json: Data? { get }
}

/// A result that was encoded before, because it is always the same.
package struct EncodedResult: DirectResult {
    private let encoded: Data
    package var json: Data? { encoded }

    /// Encodes a result.
    package init(_ value: some Encodable) throws {
        encoded = try JSONLine.json(value)
    }

    /// A result that is JSON already.
    package init(encoded json: Data) {
        encoded = json
    }

    package func encode(to encoder: any Encoder) throws {
        try JSONLine.decode(JSONValue.self, from: encoded).encode(to: encoder)
    }
}

/// The form of all messages on the socket: one JSON value per line.
public enum JSONLine {
    /// The longest line either side accepts, in bytes without the newline.
    public static let maximumLength = 1_048_576

    private static let encoder = makeEncoder(nil)
    private static let encoders = NDEFMessageForm.allCases.map { makeEncoder($0) }

    private static func makeEncoder(_ form: NDEFMessageForm?) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if let key = NDEFMessageForm.key { encoder.userInfo[key] = form }
        return encoder
    }

    /// Encodes a value as a line with its newline. Keys are sorted, so that the output is stable.
    public static func encode(_ value: some Encodable) throws -> Data {
        line(try json(value))
    }

    /// JSON with a newline.
    package static func line(_ json: Data) -> Data {
        var line = json
        line.append(UInt8(ascii: "\n"))
        return line
    }

    /// Encodes a value without a newline.
    static func json(_ value: some Encodable) throws -> Data {
        try encoder.encode(value)
    }

    /// Encodes a value without a newline, with the longest form of its NDEF messages that fits in a line. If none fits, the result
    /// is too long.
    package static func shortestJSON(_ value: some Encodable) throws -> Data {
        var json = Data()
        for encoder in encoders {
            json = try encoder.encode(value)
            if json.count <= maximumLength { break }
        }
        return json
    }

    /// Encodes a value without a newline, with its NDEF messages in a form.
    package static func json(_ value: some Encodable, in form: NDEFMessageForm) throws -> Data {
        try encoders[form.rawValue].encode(value)
    }

    /// Encodes a value without a newline, with the longest form of its NDEF messages that fits into a length; nil if none does.
    package static func json(_ value: some Encodable, upTo length: Int) throws -> Data? {
        for encoder in encoders {
            let json = try encoder.encode(value)
            if json.count <= length { return json }
        }
        return nil
    }

    /// Decodes the value of a line.
    ///
    /// - Throws: `DecodingError` with the path of the invalid value.
    public static func decode<Value: Decodable>(_ type: Value.Type, from line: Data) throws -> Value {
        try JSONDecoder().decode(type, from: line)
    }
}
