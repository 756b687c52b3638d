import FoundationEssentials
import NDEF

/// Reads messages and records in the JSON form.
struct MessageJSON {
    private let decoder = JSONDecoder()

    /// The message of an object with `records`; its other fields are not looked at.
    ///
    /// - Throws: ``Refusal`` with code `INVALID_JSON`, `INVALID_MESSAGE`, or that of the `NDEFPayloadError` that a field
    ///   caused.
    func message(in text: [UInt8]) throws(Refusal) -> NDEFMessage {
        try decode(NDEFMessage.self, text)
    }

    /// The record of an object.
    ///
    /// - Throws: ``Refusal``, as for a message.
    func record(in text: [UInt8]) throws(Refusal) -> NDEFRecord {
        try decode(NDEFRecord.self, text)
    }

    /// The bytes of the message of an object.
    ///
    /// - Throws: ``Refusal``, also with the code of an `NDEFError`.
    func encodedMessage(in text: [UInt8]) throws(Refusal) -> [UInt8] {
        let message = try message(in: text)
        do throws(NDEFError) {
            return try message.encoded()
        } catch {
            throw Refusal(code: error.code.rawValue, message: error.message)
        }
    }

    /// The bytes of the message of a line.
    ///
    /// - Throws: ``Refusal``, with code `LIMIT_EXCEEDED` for a line that is too long.
    func encodedMessage(in line: BoundedLineReader.Line) throws(Refusal) -> [UInt8] {
        switch line {
        case .line(let text): try encodedMessage(in: text)
        case .tooLong: throw .lineTooLong
        }
    }

    private func decode<Value: Decodable>(_ type: Value.Type, _ text: [UInt8]) throws(Refusal) -> Value {
        do {
            return try decoder.decode(type, from: Data(text))
        } catch let error as DecodingError {
            throw Refusal(error)
        } catch {
            throw Refusal(code: Refusal.invalidJSON, message: "\(error)".escaped)
        }
    }
}

extension Refusal {
    static let invalidJSON = "INVALID_JSON"
    static let invalidMessage = "INVALID_MESSAGE"

    fileprivate init(_ error: DecodingError) {
        let path = error.path
        let words = path.isEmpty ? error.words : "\(path): \(error.words)"
        // Only what is no JSON at all is corrupted at no place.
        if case .dataCorrupted = error, path.isEmpty {
            self.init(code: Self.invalidJSON, message: "this is not JSON")
        } else if let cause = error.payloadError {
            self.init(code: cause.code.rawValue, message: words)
        } else {
            self.init(code: Self.invalidMessage, message: words)
        }
    }
}

extension DecodingError {
    /// What is wrong, in words for whoever wrote the JSON.
    fileprivate var words: String {
        switch self {
        case .typeMismatch(let type, _): "expected \(Self.name(of: type))"
        case .valueNotFound(let type, _): "expected \(Self.name(of: type)), not null"
        // The library says more where one of several fields would do.
        case .keyNotFound(_, let context) where !context.debugDescription.hasPrefix("No value"):
            context.debugDescription
        case .keyNotFound: "required, but missing"
        case .dataCorrupted(let context): context.debugDescription
        @unknown default: "\(self)"
        }
    }

    /// The field at fault, e.g. `records[0].decoded.uri`.
    fileprivate var path: String {
        let keys: [any CodingKey] =
            if case .keyNotFound(let key, _) = self { context.codingPath + [key] } else { context.codingPath }
        return keys.reduce(into: "") { path, key in
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += (path.isEmpty ? "" : ".") + key.stringValue
            }
        }
    }

    fileprivate var payloadError: NDEFPayloadError? { context.underlyingError as? NDEFPayloadError }

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
