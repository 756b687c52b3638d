import FoundationEssentials
import NDEF
import NFCProtocol

/// Decodes messages and records from their JSON form.
struct MessageJSON {
    private let decoder = JSONDecoder()

    /// The message in an object with `records`; other fields are ignored.
    ///
    /// - Throws: ``MessageError`` with the code `INVALID_JSON`, `INVALID_MESSAGE`, or the code of the `NDEFPayloadError`
    ///   that a field caused.
    func message(in text: [UInt8]) throws(MessageError) -> NDEFMessage {
        try decode(NDEFMessage.self, text)
    }

    /// The message in an object with `records`, or in the line for a tag, which has it as `message`.
    ///
    /// - Throws: ``MessageError``, as ``message(in:)`` does; `INVALID_MESSAGE` for a line of a tag that had no message.
    func messageOrTag(in text: [UInt8]) throws(MessageError) -> NDEFMessage {
        let text = try Self.text(text)
        guard let line = try? decoder.decode(TagLine.self, from: Data(text)) else { return try message(in: text) }
        guard let message = line.message else {
            throw MessageError(code: MessageError.invalidMessage, message: "the tag of this line had no message")
        }
        return message
    }

    /// A line of `nfcctl read --json` or `nfcctl scan --json`.
    private struct TagLine: Decodable {
        let event: String
        let message: NDEFMessage?
    }

    /// The record in an object.
    ///
    /// - Throws: ``MessageError``, as ``message(in:)`` does.
    func record(in text: [UInt8]) throws(MessageError) -> NDEFRecord {
        try decode(NDEFRecord.self, text)
    }

    /// The encoded message of an object.
    ///
    /// - Throws: ``MessageError``, also with the code of an `NDEFError`.
    func encodedMessage(in text: [UInt8]) throws(MessageError) -> [UInt8] {
        let message = try message(in: text)
        do throws(NDEFError) {
            return try message.encoded()
        } catch {
            throw MessageError(code: error.code.rawValue, message: error.message)
        }
    }

    /// The encoded message of a line.
    ///
    /// - Throws: ``MessageError``, with the code `LIMIT_EXCEEDED` for a line that is too long.
    func encodedMessage(in line: BoundedLineReader.Line) throws(MessageError) -> [UInt8] {
        switch line {
        case .line(let text): try encodedMessage(in: text)
        case .tooLong: throw .lineTooLong
        }
    }

    /// The JSON in UTF-8, without a byte order mark. The decoder would not report where a byte is invalid.
    private static func text(_ bytes: [UInt8]) throws(MessageError) -> [UInt8] {
        do throws(TextError) {
            return Array(try TextContent(bytes).text.utf8)
        } catch {
            throw MessageError(code: MessageError.invalidJSON, message: "the input is not JSON: \(error)")
        }
    }

    private func decode<Value: Decodable>(_ type: Value.Type, _ text: [UInt8]) throws(MessageError) -> Value {
        let text: [UInt8] = try Self.text(text)
        do {
            return try decoder.decode(type, from: Data(text))
        } catch let error as DecodingError {
            throw MessageError(error)
        } catch {
            throw MessageError(code: MessageError.invalidJSON, message: "\(error)".escaped)
        }
    }
}

extension MessageError {
    static let invalidJSON = "INVALID_JSON"
    static let invalidMessage = "INVALID_MESSAGE"

    fileprivate init(_ error: DecodingError) {
        let path = error.path
        let reason = path.isEmpty ? error.words : "\(path): \(error.words)"
        // A corruption without a path means that the input is not JSON.
        if case .dataCorrupted = error, path.isEmpty {
            self.init(code: Self.invalidJSON, message: "the input is not JSON")
        } else if let cause = error.cause as? NDEFPayloadError {
            self.init(code: cause.code.rawValue, message: reason)
        } else {
            self.init(code: Self.invalidMessage, message: reason)
        }
    }
}

/// The error of a message that cannot be decoded or encoded. Its JSON form `{"ok":false,"error":{"code":…,"message":…}}` is
/// a fixed interface.
struct MessageError: Error, Encodable, Equatable {
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

extension MessageError {
    static let lineTooLong = MessageError(
        code: NDEFError.Code.limitExceeded.rawValue, message: "the line exceeds the maximum length of a message")
}

extension MessageError: CustomStringConvertible {
    /// The message and the code.
    var description: String { "\(message) (\(code))" }
}
