import ArgumentParser
import NDEF

/// How the bytes of a message are written down.
enum MessageNotation: String, EnumerableFlag {
    /// Digits of either case; see ``HexadecimalNotation``.
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
        case .hexadecimal: "The input is hexadecimal (default: what it looks like)."
        case .base64: "The input is base64."
        case .binary: "The input is the bytes themselves."
        }
    }

    /// The bytes that an input stands for.
    func bytes(of input: [UInt8]) throws(NotationError) -> [UInt8] {
        switch self {
        case .hexadecimal: try HexadecimalNotation.bytes(of: Self.withoutMark(input))
        case .base64: try Base64Notation.bytes(of: Self.withoutMark(input))
        case .binary: input
        }
    }
}

extension MessageNotation {
    /// What an input looks like.
    ///
    /// The first byte of a message is 80 or above (MB). So bytes that begin so are bytes, and in base64 a message begins
    /// with none of A to F, a to f, 8 and 9; text that does is hexadecimal, if need be with a mistake that can be named.
    static func recognized(in input: [UInt8]) -> Self {
        let text = withoutMark(input)
        guard let first = text.first(where: { !$0.isWhiteSpace }) else { return .hexadecimal }
        if first >= 0x80 { return .binary }
        if HexadecimalNotation.mayBe(text) { return .hexadecimal }
        return first.hexadecimalDigit.map { $0 >= 8 } == true ? .hexadecimal : .base64
    }

    /// The text without the byte order mark that some editors put in front.
    private static func withoutMark(_ input: [UInt8]) -> ArraySlice<UInt8> {
        input.starts(with: [0xEF, 0xBB, 0xBF]) ? input.dropFirst(3) : input[...]
    }
}

/// Why a text does not stand for bytes.
struct NotationError: Error, Equatable {
    static let notHexadecimal = "NOT_HEXADECIMAL"
    static let notBase64 = "NOT_BASE64"

    let code: String
    let message: String
}

extension UInt8 {
    /// Space, tab and line ends.
    var isWhiteSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }

    /// The value of an ASCII hexadecimal digit of either case.
    var hexadecimalDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

/// Hexadecimal as people and programs write it: between the bytes there may be white space, colons, dashes and commas, and
/// a byte may have `0x` in front.
enum HexadecimalNotation {
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
                guard isSeparator(text[position]) else { throw strange(text, position) }
                if high != nil { throw half(text, position) }
                position += 1
                continue
            }
            if let first = high { bytes.append(first << 4 | digit) }
            high = high == nil ? digit : nil
            position += 1
        }
        if high != nil { throw half(text, position) }
        return bytes
    }

    /// Whether there is nothing in the text that hexadecimal cannot have.
    static func mayBe(_ text: ArraySlice<UInt8>) -> Bool {
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

    private static func strange(_ text: ArraySlice<UInt8>, _ position: Int) -> NotationError {
        let place = TextPlace(position, in: text)
        let reason = "\(place): \(place.found) is no hexadecimal digit"
        return NotationError(
            code: NotationError.notHexadecimal, message: "\(reason); --base64 or --binary if the input is one of these")
    }

    private static func half(_ text: ArraySlice<UInt8>, _ position: Int) -> NotationError {
        let place = TextPlace(position - 1, in: text)
        let reason = "\(place): \(place.found) stands alone, but a byte has two digits"
        return NotationError(code: NotationError.notHexadecimal, message: "\(reason); is one missing?")
    }
}

/// Base64 (RFC 4648) with the standard or the URL-safe alphabet; white space is skipped, and padding may be left out.
enum Base64Notation {
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
            guard padding == 0, let value = value(of: text[position]) else { throw strange(text, position, padding) }
            bits = bits << 6 | UInt32(value)
            symbols += 1
            // Each symbol but the first of four completes a byte.
            let spare = (4 - symbols % 4) % 4 * 2
            if symbols % 4 != 1 { bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(spare))) }
        }
        try checkEnd(symbols: symbols, padding: padding, bits: bits, TextPlace(last, in: text))
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

    private static func checkEnd(symbols: Int, padding: Int, bits: UInt32, _ end: TextPlace) throws(NotationError) {
        if symbols % 4 == 1 { throw error("\(end): the text breaks off after \(end.found)") }
        if padding > 0, padding > 2 || (symbols + padding) % 4 != 0 {
            throw error("\(end): there are \(padding) padding characters (=), which does not fit the length")
        }
        let unused: UInt32 = [0, 0, 0x0F, 0x03][symbols % 4]
        if bits & unused != 0 {
            throw error("\(end): the last bits belong to no byte; the text breaks off or is wrong")
        }
    }

    private static func strange(_ text: ArraySlice<UInt8>, _ position: Int, _ padding: Int) -> NotationError {
        let place = TextPlace(position, in: text)
        if padding > 0 { return error("\(place): \(place.found) follows the padding (=), which ends the text") }
        return error(
            "\(place): \(place.found) is neither hexadecimal nor base64; --binary if the input is bytes, not text")
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

/// A place in a text, as people count: `character 7`, or `line 2, character 3`.
struct TextPlace: CustomStringConvertible {
    let description: String
    /// The character that stands there, quoted.
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
