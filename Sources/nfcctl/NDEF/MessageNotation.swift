import ArgumentParser
import NDEF

/// The notation of the bytes of a message.
enum MessageNotation: String, EnumerableFlag {
    /// Hexadecimal digits of either case; see ``HexadecimalNotation``.
    case hexadecimal
    /// RFC 4648, with either alphabet; see ``Base64Notation``.
    case base64
    /// The bytes themselves.
    case binary

    static func name(for value: Self) -> NameSpecification {
        value == .hexadecimal ? .customLong("hex") : .long
    }

    static func help(for value: Self) -> ArgumentHelp? {
        switch value {
        case .hexadecimal: "The input is hexadecimal (default: detect the notation)."
        case .base64: "The input is base64."
        case .binary: "The input is binary."
        }
    }

    /// The bytes that the input represents.
    func bytes(of input: [UInt8]) throws(NotationError) -> [UInt8] {
        switch self {
        case .hexadecimal: try HexadecimalNotation.bytes(of: Self.withoutMark(input))
        case .base64: try Base64Notation.bytes(of: Self.withoutMark(input))
        case .binary: input
        }
    }
}

extension MessageNotation {
    /// The most likely notation of an input.
    ///
    /// The first byte of a message is at least 80 (the MB flag). An input that begins with such a byte is binary. Base64
    /// of such a message never begins with A to F, a to f, 8 or 9, so text that does is (possibly invalid) hexadecimal.
    static func detected(in input: [UInt8]) -> Self {
        let text = withoutMark(input)
        guard let first = text.first(where: { !$0.isWhiteSpace }) else { return .hexadecimal }
        if first >= 0x80 { return .binary }
        if HexadecimalNotation.isPlausible(text) { return .hexadecimal }
        return first.hexadecimalDigit.map { $0 >= 8 } == true ? .hexadecimal : .base64
    }

    /// The text without a leading byte order mark.
    private static func withoutMark(_ input: [UInt8]) -> ArraySlice<UInt8> {
        input.starts(with: [0xEF, 0xBB, 0xBF]) ? input.dropFirst(3) : input[...]
    }
}

/// The reason why a text is not valid in a notation.
struct NotationError: Error, Equatable {
    static let notHexadecimal = "NOT_HEXADECIMAL"
    static let notBase64 = "NOT_BASE64"

    let code: String
    let message: String
}

extension UInt8 {
    /// Space, tab and line ends.
    var isWhiteSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }

    /// The value of an ASCII hexadecimal digit of either case; nil for any other character.
    var hexadecimalDigit: UInt8? { Hexadecimal.value(ofDigit: self) }
}

/// Hexadecimal with optional separators: white space, colons, dashes and commas between the bytes, and `0x` in front of a
/// byte.
enum HexadecimalNotation {
    /// The bytes that the text represents.
    static func bytes(of text: ArraySlice<UInt8>) throws(NotationError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 2)
        var high: UInt8?
        var position = text.startIndex
        while position < text.endIndex {
            if high == nil, isPrefix(text, at: position) {
                position += 2
                continue
            }
            guard let digit = text[position].hexadecimalDigit else {
                guard isSeparator(text[position]) else { throw unexpected(text, position) }
                if high != nil { throw incomplete(text, position) }
                position += 1
                continue
            }
            if let first = high { bytes.append(first << 4 | digit) }
            high = high == nil ? digit : nil
            position += 1
        }
        if high != nil { throw incomplete(text, position) }
        return bytes
    }

    /// Whether the text contains only characters that this notation allows.
    static func isPlausible(_ text: ArraySlice<UInt8>) -> Bool {
        text.indices.allSatisfy { position in
            let isX = text[position] | 0x20 == UInt8(ascii: "x")
            return text[position].hexadecimalDigit != nil || isSeparator(text[position])
                || isX && position > text.startIndex && isPrefix(text, at: position - 1)
        }
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte.isWhiteSpace || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ",")
    }

    private static func isPrefix(_ text: ArraySlice<UInt8>, at position: Int) -> Bool {
        position + 1 < text.endIndex && text[position] == UInt8(ascii: "0")
            && text[position + 1] | 0x20 == UInt8(ascii: "x")
    }

    private static func unexpected(_ text: ArraySlice<UInt8>, _ position: Int) -> NotationError {
        let place = TextPosition(position, in: text)
        let reason = "\(place): \(place.found) is not a hexadecimal digit"
        return NotationError(
            code: NotationError.notHexadecimal, message: "\(reason); use --base64 or --binary for another notation")
    }

    private static func incomplete(_ text: ArraySlice<UInt8>, _ position: Int) -> NotationError {
        let place = TextPosition(position - 1, in: text)
        let reason = "\(place): \(place.found) is a single digit, but a byte has two"
        return NotationError(code: NotationError.notHexadecimal, message: "\(reason); add the missing digit")
    }
}

/// Base64 (RFC 4648) with the standard or the URL-safe alphabet; white space is ignored and padding is optional.
enum Base64Notation {
    /// The bytes that the text represents.
    static func bytes(of text: ArraySlice<UInt8>) throws(NotationError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var bits: UInt32 = 0
        var symbols = 0
        var padding = 0
        var last = text.startIndex
        for position in text.indices where !text[position].isWhiteSpace {
            last = position
            if text[position] == UInt8(ascii: "=") {
                padding += 1
                continue
            }
            guard padding == 0, let value = value(of: text[position]) else { throw unexpected(text, position, padding) }
            bits = bits << 6 | UInt32(value)
            symbols += 1
            // Every symbol except the first of four completes a byte.
            let spare = (4 - symbols % 4) % 4 * 2
            if symbols % 4 != 1 { bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(spare))) }
        }
        try checkEnd(symbols: symbols, padding: padding, bits: bits, TextPosition(last, in: text))
        return bytes
    }

    /// The bytes as base64 with the standard alphabet and padding.
    static func text(of bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - group.count))
            for symbol in 0..<4 {
                let value = Int(bits >> (18 - 6 * UInt32(symbol)) & 0x3F)
                text.append(symbol <= group.count ? alphabet[value] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func checkEnd(symbols: Int, padding: Int, bits: UInt32, _ end: TextPosition) throws(NotationError) {
        if symbols % 4 == 1 { throw error("\(end): the text is truncated after \(end.found)") }
        if padding > 0, padding > 2 || (symbols + padding) % 4 != 0 {
            throw error("\(end): wrong number of padding characters (=) for this length: \(padding)")
        }
        let unused: UInt32 = [0, 0, 0x0F, 0x03][symbols % 4]
        if bits & unused != 0 {
            throw error("\(end): the last bits belong to no byte; the text is truncated or invalid")
        }
    }

    private static func unexpected(_ text: ArraySlice<UInt8>, _ position: Int, _ padding: Int) -> NotationError {
        let place = TextPosition(position, in: text)
        if padding > 0 { return error("\(place): \(place.found) follows the padding (=), which ends the text") }
        return error(
            "\(place): \(place.found) is neither hexadecimal nor base64; use --binary for binary input")
    }

    private static func error(_ message: String) -> NotationError {
        NotationError(code: NotationError.notBase64, message: message)
    }

    private static func value(of symbol: UInt8) -> UInt8? {
        switch symbol {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): symbol - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): symbol - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): symbol - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
}

/// A position in a text, counted from one: `character 7`, or `line 2, character 3`.
struct TextPosition: CustomStringConvertible {
    let description: String
    /// The character at the position, in quotation marks.
    let found: String

    init(_ position: Int, in text: ArraySlice<UInt8>) {
        let before = text[..<min(max(position, text.startIndex), text.endIndex)]
        let newline = UInt8(ascii: "\n")
        let lines = before.count { $0 == newline }
        let column = before.count - (before.lastIndex(of: newline).map { $0 + 1 - before.startIndex } ?? 0) + 1
        description = lines == 0 ? "character \(column)" : "line \(lines + 1), character \(column)"
        // A character of UTF-8 has at most four bytes.
        let rest = String(decoding: text[before.endIndex...].prefix(4), as: UTF8.self)
        found = "\"\(rest.unicodeScalars.first.map { String($0).escaped } ?? "")\""
    }
}
