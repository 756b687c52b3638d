import ArgumentParser

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
