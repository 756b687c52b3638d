import FoundationEssentials
import NFCProtocol

/// What a value looks like on the socket, without the newline.
func json(_ value: some Encodable) throws -> String {
    String(decoding: try JSONLine.encode(value).dropLast(), as: UTF8.self)
}

/// The value in a line.
func value<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
    try JSONLine.decode(type, from: Data(text.utf8))
}

/// The value in a line, of the type that the context asks for.
func value<Value: Decodable>(_ text: String) throws -> Value {
    try value(Value.self, text)
}

/// The line of an answer, without its newline.
func line(_ response: Response) throws -> String {
    String(decoding: try JSONLine.encode(response).dropLast(), as: UTF8.self)
}
