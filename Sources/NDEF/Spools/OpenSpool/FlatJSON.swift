import NFCTypes

/// The members of an object of JSON (RFC 8259) that are texts or numbers. Lists and objects within it are checked, and not kept.
struct FlatJSON {
    enum Value: Equatable {
        case text(String)
        /// A number as it is written.
        case number(String)
        /// True, false, null, a list or an object.
        case other
    }

    /// The longest text that is read.
    static let maximumLength = 8_192
    private static let maximumDepth = 8

    /// The members in their order. Of a name that comes again, the last one counts.
    let members: [(name: String, value: Value)]

    /// The object that these bytes are; nil where they are anything else.
    init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.maximumLength else { return nil }
        var parser = Parser(reader: ByteReader(bytes))
        guard let members = parser.object(depth: 0), parser.isAtEnd else { return nil }
        self.members = members
    }

    subscript(name: String) -> Value? { members.last { $0.name == name }?.value }

    private struct Parser {
        var reader: ByteReader

        var isAtEnd: Bool {
            mutating get {
                skipSpace()
                return reader.isAtEnd
            }
        }

        private mutating func skipSpace() {
            while let byte = reader.rest.first, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { _ = reader.uint8() }
        }

        /// Takes a character, after spaces, if it is the next one.
        private mutating func take(_ character: Unicode.Scalar) -> Bool {
            skipSpace()
            guard reader.rest.first == UInt8(ascii: character) else { return false }
            _ = reader.uint8()
            return true
        }

        mutating func object(depth: Int) -> [(name: String, value: Value)]? {
            guard depth < FlatJSON.maximumDepth, take("{") else { return nil }
            var members: [(name: String, value: Value)] = []
            if take("}") { return members }
            repeat {
                guard let name = string(), take(":"), let value = value(depth: depth + 1) else { return nil }
                members.append((name, value))
            } while take(",")
            return take("}") ? members : nil
        }

        private mutating func list(depth: Int) -> Bool {
            guard depth < FlatJSON.maximumDepth, take("[") else { return false }
            if take("]") { return true }
            repeat {
                guard value(depth: depth + 1) != nil else { return false }
            } while take(",")
            return take("]")
        }

        private mutating func value(depth: Int) -> Value? {
            skipSpace()
            switch reader.rest.first {
            case UInt8(ascii: "\""): return string().map(Value.text)
            case UInt8(ascii: "{"): return object(depth: depth) == nil ? nil : .other
            case UInt8(ascii: "["): return list(depth: depth) ? .other : nil
            default: return word()
            }
        }

        /// A number or a name.
        private mutating func word() -> Value? {
            let text = reader.rest.prefix { (0x2B...0x7A).contains($0) && ![0x2C, 0x3A, 0x5B, 0x5D].contains($0) }
            _ = reader.bytes(text.count)
            let word = String(decoding: text, as: UTF8.self)
            if ["true", "false", "null"].contains(word) { return .other }
            return word.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/) == nil ? nil : .number(word)
        }

        private mutating func string() -> String? {
            guard take("\"") else { return nil }
            var bytes: [UInt8] = []
            while let byte = reader.uint8() {
                switch byte {
                case UInt8(ascii: "\""): return String(utf8: bytes[...])
                case UInt8(ascii: "\\"):
                    guard let character = escaped() else { return nil }
                    bytes += Array(String(character).utf8)
                case ..<0x20: return nil
                default: bytes.append(byte)
                }
            }
            return nil
        }

        /// The character behind a backslash.
        private mutating func escaped() -> Unicode.Scalar? {
            switch reader.uint8() {
            case UInt8(ascii: "\""): "\""
            case UInt8(ascii: "\\"): "\\"
            case UInt8(ascii: "/"): "/"
            case UInt8(ascii: "b"): "\u{8}"
            case UInt8(ascii: "f"): "\u{C}"
            case UInt8(ascii: "n"): "\n"
            case UInt8(ascii: "r"): "\r"
            case UInt8(ascii: "t"): "\t"
            case UInt8(ascii: "u"): unicode()
            default: nil
            }
        }

        /// The character of four digits, or of two surrogates of four each; U+FFFD for half a pair.
        private mutating func unicode() -> Unicode.Scalar? {
            guard let high = unit() else { return nil }
            guard (0xD800..<0xDC00).contains(high) else { return Unicode.Scalar(high) ?? "\u{FFFD}" }
            var ahead = self
            guard ahead.reader.bytes(2).map(Array.init) == Array("\\u".utf8), let low = ahead.unit(),
                (0xDC00..<0xE000).contains(low)
            else { return "\u{FFFD}" }
            self = ahead
            return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + low - 0xDC00)
        }

        private mutating func unit() -> UInt32? {
            guard let digits = reader.bytes(4)?.compactMap(Hexadecimal.value(ofDigit:)), digits.count == 4 else {
                return nil
            }
            return digits.reduce(0) { $0 << 4 | UInt32($1) }
        }
    }
}
