/// The id of a request (JSON-RPC 2.0, §4): text, a number, or null.
public enum RequestID: Sendable, Hashable, Codable {
    case string(String)
    case integer(Int64)
    case fraction(Double)
    case null
    /// A number that is no `Int64`, as its sender wrote it. No coder gives one: it is found in the line.
    case literal(String)

    /// Text, a number or null; anything else is refused.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let text = try? value.decode(String.self) {
            self = .string(text)
        } else if let number = try? value.decode(Int64.self) {
            self = .integer(number)
        } else if let number = try? value.decode(Double.self) {
            self = .fraction(number)
        } else {
            throw DecodingError.dataCorruptedError(in: value, debugDescription: "an id is text, a number or null")
        }
    }

    /// What a coder makes of the same id.
    public var decoded: RequestID {
        if case .literal(let number) = self { .fraction(Double(number) ?? 0) } else { self }
    }

    /// The value itself: text, a number or null. A literal number is rounded, as coders do.
    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .string(let text): try value.encode(text)
        case .integer(let number): try value.encode(number)
        case .fraction(let number): try value.encode(number)
        case .null: try value.encodeNil()
        case .literal: try decoded.encode(to: encoder)
        }
    }
}

/// Finds the numbers that stand as `id` in a line of valid JSON, as they are written: a decoder only gives their value.
package struct RequestIDScanner {
    private let line: [UInt8]
    private var position = 0

    private init(_ line: some Sequence<UInt8>) {
        self.line = Array(line)
    }

    /// For a request its `id` alone, for a batch one for each of its elements; nil where the id is no number.
    package static func numbers(in line: some Sequence<UInt8>) -> [String?] {
        var scanner = RequestIDScanner(line)
        scanner.skipBlanks()
        guard scanner.next == UInt8(ascii: "[") else { return [scanner.element()] }
        scanner.position += 1
        var numbers: [String?] = []
        while scanner.skipBlanks(), let next = scanner.next, next != UInt8(ascii: "]") {
            if next == UInt8(ascii: ",") { scanner.position += 1 } else { numbers.append(scanner.element()) }
        }
        return numbers
    }

    private var next: UInt8? { line.indices.contains(position) ? line[position] : nil }

    /// One value, to its end; the `id` of an object.
    private mutating func element() -> String? {
        let start = position
        var (depth, id) = (0, String?.none)
        while let byte = next {
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ",") where depth == 0: return id
            case UInt8(ascii: "\""):
                if text() == Array("\"id\"".utf8), depth == 1, line[start] == UInt8(ascii: "{"), let number = member() {
                    id = number
                }
                continue
            default: break
            }
            // The end of the batch around it.
            if depth < 0 { return id }
            position += 1
            if depth == 0, byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") { return id }
        }
        return id
    }

    /// A text with its quotes.
    private mutating func text() -> [UInt8] {
        let start = position
        position += 1
        while let byte = next, byte != UInt8(ascii: "\"") { position += byte == UInt8(ascii: "\\") ? 2 : 1 }
        position = min(position + 1, line.count)
        return Array(line[start..<position])
    }

    /// The number behind a colon; nil where there is no colon, or something else.
    private mutating func member() -> String? {
        skipBlanks()
        guard next == UInt8(ascii: ":") else { return nil }
        position += 1
        skipBlanks()
        let digits = line[position...].prefix(while: Self.isNumeric)
        position += digits.count
        return digits.isEmpty ? nil : String(decoding: digits, as: UTF8.self)
    }

    private static func isNumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "+"),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }

    @discardableResult
    private mutating func skipBlanks() -> Bool {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A { position += 1 }
        return true
    }
}
