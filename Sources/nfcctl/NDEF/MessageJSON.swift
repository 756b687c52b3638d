import FoundationEssentials
import NDEF
import NFCProtocol

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
        } else if let cause = error.cause as? NDEFPayloadError {
            self.init(code: cause.code.rawValue, message: words)
        } else {
            self.init(code: Self.invalidMessage, message: words)
        }
    }
}

/// Why there is no answer; as JSON `{"ok":false,"error":{"code":…,"message":…}}`, a fixed interface.
struct Refusal: Error, Encodable, Equatable {
    let code: String
    let message: String

    private enum CodingKeys: String, CodingKey {
        case ok, error
    }

    private enum ErrorKeys: String, CodingKey {
        case code, message
    }

    func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: CodingKeys.self)
        try object.encode(false, forKey: .ok)
        var error = object.nestedContainer(keyedBy: ErrorKeys.self, forKey: .error)
        try error.encode(code, forKey: .code)
        try error.encode(message, forKey: .message)
    }
}

extension Refusal {
    static let lineTooLong = Refusal(
        code: NDEFError.Code.limitExceeded.rawValue, message: "the line is longer than any message may be")
}

extension Refusal: CustomStringConvertible {
    /// The sentence and the code, for people.
    var description: String { "\(message) (\(code))" }
}
