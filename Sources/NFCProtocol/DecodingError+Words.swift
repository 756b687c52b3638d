extension DecodingError {
    /// What is wrong, in words for whoever wrote the JSON.
    package var words: String {
        switch self {
        case .typeMismatch(let type, _): "expected \(Self.name(of: type))"
        case .valueNotFound(let type, _): "expected \(Self.name(of: type)), not null"
        // Whoever threw it may have said more, such as which of several fields would do.
        case .keyNotFound(_, let context) where !context.debugDescription.hasPrefix("No value"):
            context.debugDescription
        case .keyNotFound: "required, but missing"
        case .dataCorrupted(let context): context.debugDescription
        @unknown default: "\(self)"
        }
    }

    /// The field at fault, e.g. `params.readers[0]`; a request's place in a batch is no part of it.
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

    /// What the error was caused by.
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
