extension DecodingError {
    /// What is wrong, in words for whoever wrote the JSON.
    var words: String {
        switch self {
        case .typeMismatch(let type, _): "expected \(Self.name(of: type))"
        case .valueNotFound(let type, _): "expected \(Self.name(of: type)), not null"
        case .keyNotFound: "required, but missing"
        case .dataCorrupted(let context): context.debugDescription
        @unknown default: "\(self)"
        }
    }

    /// The parameter at fault, e.g. `params.readers[0]`; the request's place in a batch is no part of it.
    var path: String {
        context.codingPath.drop { $0.intValue != nil }.reduce(into: "") { path, key in
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += (path.isEmpty ? "" : ".") + key.stringValue
            }
        } + missingKey
    }

    private var missingKey: String {
        if case .keyNotFound(let key, _) = self { ".\(key.stringValue)" } else { "" }
    }

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
        case is Double.Type, is Int.Type, is Int64.Type: "a number"
        case is [Any].Type: "an array"
        case is [String: Any].Type: "an object"
        default: "\(type)"
        }
    }
}
