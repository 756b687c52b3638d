/// A request of the plainest kind, which nearly all are: on one level, with nothing to unescape. Reading it takes a fraction
/// of what a general coder takes.
///
/// What is not plain, or not right, is no `PlainRequest`: then the general coder reads the line, and tells what is wrong.
package struct PlainRequest {
    /// Nil: a notification.
    package let id: RequestID?
    /// The name of the method.
    package let method: String
    private let parameters: PlainObject

    /// Reads a line. Nil: it is not plain.
    package init?(_ line: [UInt8]) {
        guard let request = PlainScanner.object(line), request["jsonrpc"] == .text("2.0"),
            case .text(let method) = request["method"], let parameters = request.inner(named: "params"),
            request.hasOnly(["jsonrpc", "id", "method", "params"])
        else { return nil }
        switch request["id"] {
        case nil: id = nil
        case .text(let text): id = .string(text)
        case .number(let number): id = .integer(number)
        default: return nil
        }
        self.method = method
        self.parameters = parameters
    }

    /// The parameters.
    ///
    /// - Throws: where they are not what the type asks for, or the type asks for more than plain values.
    package func decode<Parameters: Decodable>(
        _ type: Parameters.Type, checking names: ParameterNames = .any
    ) throws -> Parameters {
        let decoder = PlainDecoder(.object(parameters))
        try names.check(decoder)
        return try type.init(from: decoder)
    }
}

/// A value with nothing to unescape.
enum PlainValue: Hashable {
    case text(String)
    /// A whole number as a coder would write it, of at most 15 digits.
    case number(Int64)
    case truth(Bool)
    case null
    case object(PlainObject)
}

/// The members of an object, each of another name.
struct PlainObject: Hashable {
    private struct Member: Hashable {
        let name: String
        let value: PlainValue
    }

    private var members: [Member] = []

    /// The value of a name; nil where there is none.
    subscript(name: String) -> PlainValue? {
        members.first { $0.name == name }?.value
    }

    /// The names.
    var names: [String] { members.map(\.name) }

    /// An object in this one; without members where there is none of this name. Nil: something else is there.
    func inner(named name: String) -> PlainObject? {
        switch self[name] {
        case nil: PlainObject()
        case .object(let object): object
        default: nil
        }
    }

    /// Whether there is nothing but members of these names.
    func hasOnly(_ names: [String]) -> Bool {
        members.allSatisfy { names.contains($0.name) }
    }

    /// Adds a member. False: there is one of this name.
    mutating func add(_ name: String, _ value: PlainValue) -> Bool {
        guard self[name] == nil else { return false }
        members.append(Member(name: name, value: value))
        return true
    }
}

/// Reads plain JSON (RFC 8259): objects in one another two deep, ASCII without escapes, whole numbers. Anything else is nil.
struct PlainScanner {
    /// More members would make looking them up slow.
    private static let mostMembers = 16

    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    private init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    /// The object that is all there is.
    static func object(_ bytes: [UInt8]) -> PlainObject? {
        bytes.withUnsafeBufferPointer { bytes in
            var scanner = PlainScanner(bytes)
            guard let object = scanner.object(depth: 0) else { return nil }
            scanner.skipBlanks()
            return scanner.next == nil ? object : nil
        }
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func object(depth: Int) -> PlainObject? {
        guard depth < 2, take(UInt8(ascii: "{")) else { return nil }
        var object = PlainObject()
        if take(UInt8(ascii: "}")) { return object }
        for _ in 0..<Self.mostMembers {
            guard let name = text(), take(UInt8(ascii: ":")), let value = value(depth: depth + 1),
                object.add(name, value)
            else { return nil }
            if take(UInt8(ascii: "}")) { return object }
            guard take(UInt8(ascii: ",")) else { return nil }
        }
        return nil
    }

    private mutating func value(depth: Int) -> PlainValue? {
        skipBlanks()
        switch next {
        case UInt8(ascii: "\""): return text().map(PlainValue.text)
        case UInt8(ascii: "{"): return object(depth: depth).map(PlainValue.object)
        case UInt8(ascii: "t"): return take("true") ? .truth(true) : nil
        case UInt8(ascii: "f"): return take("false") ? .truth(false) : nil
        case UInt8(ascii: "n"): return take("null") ? .null : nil
        default: return number().map(PlainValue.number)
        }
    }

    private mutating func text() -> String? {
        guard take(UInt8(ascii: "\"")) else { return nil }
        let start = position
        while let byte = next, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20, byte < 0x7F, byte != UInt8(ascii: "\\") else { return nil }
            position += 1
        }
        guard next != nil else { return nil }
        defer { position += 1 }
        return String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
    }

    /// No fraction, no exponent, no "-0": only what comes back as it was written.
    private mutating func number() -> Int64? {
        let isNegative = take(UInt8(ascii: "-"))
        let start = position
        var value: Int64 = 0
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte), position - start < 15 {
            value = value * 10 + Int64(byte - UInt8(ascii: "0"))
            position += 1
        }
        let length = position - start
        guard length > 0, length == 1 || bytes[start] != UInt8(ascii: "0"), !(isNegative && value == 0) else {
            return nil
        }
        return isNegative ? -value : value
    }

    private mutating func take(_ word: StaticString) -> Bool {
        let end = position + word.utf8CodeUnitCount
        guard end <= bytes.count, "\(word)".utf8.elementsEqual(bytes[position..<end]) else { return false }
        position = end
        return true
    }

    /// Passes over a character and the blanks before it.
    private mutating func take(_ character: UInt8) -> Bool {
        skipBlanks()
        guard next == character else { return false }
        position += 1
        return true
    }

    private mutating func skipBlanks() {
        while let byte = next, byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\t") {
            position += 1
        }
    }
}

/// Gives plain values to types that ask for them. Whatever else a type asks for is refused, so that a general coder is asked.
struct PlainDecoder: Decoder {
    /// It is no plain value, or not the one that is asked for.
    struct Refusal: Error {}

    fileprivate let value: PlainValue

    init(_ value: PlainValue) {
        self.value = value
    }

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let object) = value else { throw Refusal() }
        return KeyedDecodingContainer(Members<Key>(object: object))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Refusal() }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }
}

extension PlainDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value == .null }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard case .truth(let truth) = value else { throw Refusal() }
        return truth
    }

    func decode(_ type: String.Type) throws -> String {
        guard case .text(let text) = value else { throw Refusal() }
        return text
    }

    func decode(_ type: Double.Type) throws -> Double { Double(try number()) }
    func decode(_ type: Float.Type) throws -> Float { Float(try number()) }
    func decode(_ type: Int.Type) throws -> Int { try whole() }
    func decode(_ type: Int8.Type) throws -> Int8 { try whole() }
    func decode(_ type: Int16.Type) throws -> Int16 { try whole() }
    func decode(_ type: Int32.Type) throws -> Int32 { try whole() }
    func decode(_ type: Int64.Type) throws -> Int64 { try whole() }
    func decode(_ type: UInt.Type) throws -> UInt { try whole() }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try whole() }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try whole() }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try whole() }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try whole() }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try T(from: self) }

    private func number() throws -> Int64 {
        guard case .number(let number) = value else { throw Refusal() }
        return number
    }

    private func whole<Number: FixedWidthInteger>() throws -> Number {
        guard let number = Number(exactly: try number()) else { throw Refusal() }
        return number
    }
}

/// The members of an object by the keys of a type.
private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let object: PlainObject

    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { object.names.compactMap(Key.init(stringValue:)) }

    func contains(_ key: Key) -> Bool { object[key.stringValue] != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try value(key).decodeNil() }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try value(key).decode(type) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try value(key).decode(type) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try value(key).decode(type) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try value(key).decode(type) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try value(key).decode(type) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try value(key).decode(type) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try value(key).decode(type) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try value(key).decode(type) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try value(key).decode(type) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try value(key).decode(type) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try value(key).decode(type) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try value(key).decode(type) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try value(key).decode(type) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try value(key).decode(type) }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try value(key).decode(type) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        throw PlainDecoder.Refusal()
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw PlainDecoder.Refusal() }
    func superDecoder() throws -> any Decoder { throw PlainDecoder.Refusal() }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw PlainDecoder.Refusal() }

    private func value(_ key: Key) throws -> PlainDecoder {
        guard let value = object[key.stringValue] else { throw PlainDecoder.Refusal() }
        return PlainDecoder(value)
    }
}

/// A result that clients wait for with every exchange, written without a coder: of numbers and hexadecimal digits nothing
/// needs escaping. A test compares it with what a coder writes.
protocol PlainlyWritten: Encodable {
    /// An object with sorted keys.
    var json: String { get }
}

extension ISO7816SendCommand.Result: PlainlyWritten {
    var json: String { #"{"data":"\#(data)","sw1":\#(sw1),"sw2":\#(sw2)}"# }
}

extension RawAnswer: PlainlyWritten {
    var json: String { #"{"data":"\#(data)"}"# }
}

extension ISO15693SendRequest.Result: PlainlyWritten {
    var json: String { #"{"data":"\#(data)","responseFlag":\#(responseFlag)}"# }
}
