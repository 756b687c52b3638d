package import FoundationEssentials
import NFCTypes

/// A JSON object whose members are texts without escapes, whole numbers, booleans or null: the form of the parameters and results of raw
/// commands, which clients send by the thousand. Such a request is decoded in one pass, and such a result is encoded, without the
/// containers of `JSONDecoder` and `JSONEncoder`. Anything else, an error included, is left to those; see Docs/runtime.md.
package struct FlatObject: Sendable, Equatable {
    /// A value that needs no container.
    package enum Value: Sendable, Hashable {
        /// Text in printable ASCII without quotation marks and backslashes.
        case text(String)
        /// A number without sign, fraction and exponent, of at most 15 digits: the numbers that every JSON library keeps exactly.
        case integer(Int64)
        case bool(Bool)
        case null
    }

    /// A value with its name.
    package struct Member: Sendable, Hashable {
        package let name: String
        package let value: Value
    }

    /// Every name is compared with all others.
    private static let limit = 16

    /// The members in their order, each name once.
    package private(set) var members: [Member] = []

    /// The value of a member; nil for a name that does not exist.
    package subscript(_ name: String) -> Value? { members.first { $0.name == name }?.value }

    /// Adds a member. Returns false if there is one of that name, or too many.
    fileprivate mutating func add(_ name: String, _ value: Value) -> Bool {
        guard self[name] == nil, members.count < Self.limit else { return false }
        members.append(Member(name: name, value: value))
        return true
    }
}

extension FlatObject: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral members: (String, Value)...) {
        self.members = members.map { Member(name: $0, value: $1) }
    }
}

extension FlatObject.Value {
    /// The digits as text.
    static func hexadecimal(_ bytes: HexBytes) -> Self { .text(bytes.description) }

    /// As JSON; nil for a text with characters to escape.
    fileprivate var json: String? {
        switch self {
        case .text(let text): text.utf8.allSatisfy(isPlain) ? "\"\(text)\"" : nil
        case .integer(let number): "\(number)"
        case .bool(let value): value ? "true" : "false"
        case .null: "null"
        }
    }
}

/// A result whose members are flat. `Encodable` describes the same.
package protocol FlatResult: DirectResult {
    /// The members, in the order of their names.
    var members: FlatObject { get }
}

extension FlatResult {
    /// As `JSONEncoder` writes it with sorted keys; nil if a text has characters to escape.
    package var json: Data? {
        var json = "{"
        for member in members.members {
            guard let value = member.value.json else { return nil }
            json += json.utf8.count > 1 ? ",\"" : "\""
            json += member.name
            json += "\":"
            json += value
        }
        return Data((json + "}").utf8)
    }
}

extension RequestID {
    /// As JSON.
    var json: Data {
        get throws {
            switch self {
            case .integer(let number): Data("\(number)".utf8)
            case .string, .decimal, .null: try JSONLine.json(self)
            }
        }
    }
}

/// A request in its usual form: its id is a number or text, its parameters are a ``FlatObject``.
package struct FlatRequest: Sendable, Equatable {
    /// Nil: a notification.
    package let id: RequestID?
    /// The name of the method.
    package let method: String
    /// The parameters; none if the request has no `params`.
    package let parameters: FlatObject

    /// Nil for a request in any other form, and for what is not a request.
    package init?(_ line: Data) {
        var (version, id, method): (FlatObject.Value?, RequestID?, String?)
        var parameters: FlatObject?
        var scanner = FlatScanner(line)
        let isFlat = scanner.members { name, scanner in
            switch name {
            case "jsonrpc" where version == nil:
                version = scanner.value()
                return version == .text("2.0")
            case "id" where id == nil:
                id = scanner.value().flatMap { RequestID($0) }
                return id != nil
            case "method" where method == nil:
                method = scanner.text()
                return method != nil
            case "params" where parameters == nil:
                parameters = scanner.object()
                return parameters != nil
            default: return false
            }
        }
        guard isFlat, scanner.isAtEnd, version != nil, let method else { return nil }
        self.id = id
        self.method = method
        self.parameters = parameters ?? FlatObject()
    }
}

extension RequestID {
    fileprivate init?(_ value: FlatObject.Value) {
        switch value {
        case .text(let text): self = .string(text)
        case .integer(let number): self = .integer(number)
        case .bool, .null: return nil
        }
    }
}

/// Reads JSON (RFC 8259) in one pass as long as it is flat. What a function refuses, nil or false, is not necessarily an error.
private struct FlatScanner {
    private static let digits = 15

    private let bytes: [UInt8]
    private var index = 0

    init(_ line: Data) { bytes = Array(line) }

    /// Whether only white space is left.
    var isAtEnd: Bool {
        mutating get {
            skipSpace()
            return index == bytes.count
        }
    }

    /// Reads an object.
    ///
    /// - Parameter member: reads the value of a member with the scanner; returns false where it is not as expected.
    mutating func members(_ member: (String, inout FlatScanner) -> Bool) -> Bool {
        guard take(UInt8(ascii: "{")) else { return false }
        if take(UInt8(ascii: "}")) { return true }
        repeat {
            guard let name = text(), take(UInt8(ascii: ":")), member(name, &self) else { return false }
        } while take(UInt8(ascii: ","))
        return take(UInt8(ascii: "}"))
    }

    /// Reads an object of flat values.
    mutating func object() -> FlatObject? {
        var object = FlatObject()
        let isFlat = members { name, scanner in scanner.value().map { object.add(name, $0) } ?? false }
        return isFlat ? object : nil
    }

    /// Reads a text.
    mutating func text() -> String? {
        guard take(UInt8(ascii: "\"")) else { return nil }
        let begin = index
        while index < bytes.count, isPlain(bytes[index]) { index += 1 }
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { return nil }
        defer { index += 1 }
        return String(decoding: bytes[begin..<index], as: UTF8.self)
    }

    /// Reads a value.
    mutating func value() -> FlatObject.Value? {
        skipSpace()
        guard index < bytes.count else { return nil }
        switch bytes[index] {
        case UInt8(ascii: "\""): return text().map { .text($0) }
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return integer().map { .integer($0) }
        case UInt8(ascii: "t"): return take("true") ? .bool(true) : nil
        case UInt8(ascii: "f"): return take("false") ? .bool(false) : nil
        case UInt8(ascii: "n"): return take("null") ? .null : nil
        default: return nil
        }
    }

    /// A fraction or an exponent behind it is refused by what expects the next member.
    private mutating func integer() -> Int64? {
        let begin = index
        var number: Int64 = 0
        while index < bytes.count, index - begin < Self.digits, let digit = Self.digit(bytes[index]) {
            number = number * 10 + digit
            index += 1
        }
        let hasLeadingZero = bytes[begin] == UInt8(ascii: "0") && index - begin > 1
        return hasLeadingZero ? nil : number
    }

    private static func digit(_ byte: UInt8) -> Int64? {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? Int64(byte - UInt8(ascii: "0")) : nil
    }

    private mutating func take(_ word: StaticString) -> Bool {
        let isNext = word.withUTF8Buffer { bytes[index...].starts(with: $0) }
        if isNext { index += word.utf8CodeUnitCount }
        return isNext
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func skipSpace() {
        while index < bytes.count, isSpace(bytes[index]) { index += 1 }
    }
}

/// Whether a byte is the same in a JSON text as outside: printable ASCII but the quotation mark and the backslash.
private func isPlain(_ byte: UInt8) -> Bool {
    (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
}

/// Whether a byte is white space of JSON (RFC 8259, §2).
private func isSpace(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x20, 0x09, 0x0A, 0x0D: true
    default: false
    }
}
