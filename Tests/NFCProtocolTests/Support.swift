import FoundationEssentials
import NFCProtocol

/// The encoded form of a value, without the newline.
func json(_ value: some Encodable) throws -> String {
    String(decoding: try JSONLine.encode(value).dropLast(), as: UTF8.self)
}

/// Decodes the value of a line.
func value<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
    try JSONLine.decode(type, from: Data(text.utf8))
}

/// Decodes the value of a line; the type is inferred.
func value<Value: Decodable>(_ text: String) throws -> Value {
    try value(Value.self, text)
}

/// The encoded form of an answer, without the newline.
func line(_ response: Response) throws -> String {
    String(decoding: try JSONLine.encode(response).dropLast(), as: UTF8.self)
}
