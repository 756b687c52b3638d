/// The error object of a response (JSON-RPC 2.0, §5.1). NFC errors carry CoreNFC's number as their code.
public struct RPCError: Error, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The details of an error, for programs.
    public struct Details: Sendable, Hashable, Codable {
        /// `NFCError` for CoreNFC's codes.
        public var domain: String?
        /// CoreNFC's short name, e.g. `SessionInvalidated`.
        public var name: String?
        /// The cause in words.
        public var detail: String?
        /// The parameter that is wrong, e.g. `params.readers[0]`.
        public var path: String?
        /// The answer of the tag, if the answer is the cause.
        public var response: HexBytes?
        /// The status word of that answer, if it has one.
        public var statusWord: HexBytes?

        /// Creates details.
        public init(
            domain: String? = nil, name: String? = nil, detail: String? = nil, path: String? = nil,
            response: HexBytes? = nil, statusWord: HexBytes? = nil
        ) {
            self.domain = domain
            self.name = name
            self.detail = detail
            self.path = path
            self.response = response
            self.statusWord = statusWord
        }
    }

    /// The code: JSON-RPC's or CoreNFC's number.
    public var code: Int
    /// The error in words.
    public var message: String
    /// The details, for programs.
    public var data: Details?

    /// Creates an error.
    public init(code: Int, message: String, data: Details? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    /// −32700: the line is not JSON.
    public static func parseError(_ message: String) -> RPCError {
        RPCError(code: -32700, message: message)
    }

    /// −32600: the line is JSON, but not a request.
    public static func invalidRequest(_ message: String) -> RPCError {
        RPCError(code: -32600, message: message)
    }

    /// −32601: the method does not exist; `nearest` is a method with a similar name.
    public static func methodNotFound(_ method: String, nearest: String? = nil) -> RPCError {
        let advice = nearest.map { "did you mean \"\($0)\"?" } ?? "server.info lists the methods"
        return RPCError(code: -32601, message: "unknown method \"\(method)\"; \(advice)")
    }

    /// −32602: a parameter is wrong or unknown; `path` names it.
    public static func invalidParameters(_ message: String, path: String) -> RPCError {
        RPCError(code: -32602, message: "\(path): \(message)", data: Details(path: path))
    }

    /// −32603: an internal error.
    public static func internalError(_ message: String) -> RPCError {
        RPCError(code: -32603, message: message)
    }

    /// −32800: cancelled before it started (the code is that of the Language Server Protocol).
    public static let requestCancelled = RPCError(code: -32800, message: "request cancelled")

    /// The message, the cause and the code.
    public var description: String {
        let detail = data?.detail.map { ": \($0)" } ?? ""
        // Lines at the end are meant to be copied.
        guard !detail.contains("\n") else { return "\(message) (error \(code))\(detail)" }
        return "\(message)\(detail) (error \(code))"
    }
}

extension DecodingError {
    /// The error in words, for the author of the JSON.
    package var words: String {
        switch self {
        case .typeMismatch(let type, _): "expected \(Self.name(of: type))"
        case .valueNotFound(let type, _): "expected \(Self.name(of: type)), not null"
        // A custom description, such as which of several fields is enough.
        case .keyNotFound(_, let context) where !context.debugDescription.hasPrefix("No value"):
            context.debugDescription
        case .keyNotFound: "required, but missing"
        case .dataCorrupted(let context): context.debugDescription
        @unknown default: "\(self)"
        }
    }

    /// The wrong field, e.g. `params.readers[0]`, without the position of the request in a batch.
    package var path: String {
        let missing: [any CodingKey] = if case .keyNotFound(let key, _) = self { [key] } else { [] }
        let keys = context.codingPath.drop { $0.intValue != nil } + missing
        return keys.reduce(into: "") { path, key in
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += (path.isEmpty ? "" : ".") + key.stringValue
            }
        }
    }

    /// The underlying error.
    package var cause: (any Error)? { context.underlyingError }

    private var context: Context {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context
        @unknown default: Context(codingPath: [], debugDescription: "")
        }
    }

    private static func name(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "text"
        case is Bool.Type: "true or false"
        case is any BinaryInteger.Type, is Double.Type: "a number"
        case is [Any].Type: "an array"
        case is [String: Any].Type: "an object"
        default: "\(type)"
        }
    }
}
