/// The forms in which readers with a keyboard interface type a UID.
enum TypedForm: String, CaseIterable, Sendable {
    /// `04A1B2C3`
    case hexadecimal
    /// `04:A1:B2:C3`
    case hexadecimalColons = "hexadecimal-colons"
    /// The bytes in the order of the UID as one number: `77705923`
    case decimal
    /// The bytes in the opposite order as one number: `3283263748`
    case decimalReversed = "decimal-reversed"
    /// As `decimal`, with zeros to ten digits, for UIDs of four bytes.
    case tenDigits = "ten-digits"
    /// As `decimal-reversed`, with zeros to ten digits, for UIDs of four bytes.
    case tenDigitsReversed = "ten-digits-reversed"

    /// Why a UID cannot be typed in a form.
    struct Unsuitable: Error, Sendable, Hashable, CustomStringConvertible {
        let description: String
    }

    /// The text of a UID.
    func text(of identifier: [UInt8]) throws(Unsuitable) -> String {
        guard !identifier.isEmpty else {
            throw Unsuitable(description: "the reader does not report a UID for this tag")
        }
        switch self {
        case .hexadecimal: return identifier.map(Self.hexadecimal).joined()
        case .hexadecimalColons: return identifier.map(Self.hexadecimal).joined(separator: ":")
        case .decimal: return try Self.number(identifier)
        case .decimalReversed: return try Self.number(identifier.reversed())
        case .tenDigits: return try tenDigits(identifier)
        case .tenDigitsReversed: return try tenDigits(identifier.reversed())
        }
    }

    private func tenDigits(_ bytes: [UInt8]) throws(Unsuitable) -> String {
        guard bytes.count == 4 else {
            throw Unsuitable(
                description: "the form \(rawValue) is for UIDs of 4 bytes, and this one has \(bytes.count); use decimal"
            )
        }
        let number = try Self.number(bytes)
        return String(repeating: "0", count: 10 - number.count) + number
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 0x10 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }

    private static func number(_ bytes: [UInt8]) throws(Unsuitable) -> String {
        guard bytes.count <= 16 else {
            throw Unsuitable(description: "the UID has \(bytes.count) bytes; at most 16 are typed")
        }
        return String(bytes.reduce(UInt128(0)) { $0 << 8 | UInt128($1) })
    }
}

/// What is typed for a tap on one reader.
struct TypingRule: Sendable, Hashable {
    /// What of the tag is typed.
    enum Content: String, CaseIterable, Sendable {
        case uid, text, uri
    }

    private static let longest = 1_000

    /// The reader, by id or name.
    var reader: String
    var content = Content.uid
    var form = TypedForm.hexadecimal
    /// Typed before and after the content; a line end is the Enter key, a tab the Tab key.
    var prefix = ""
    var suffix = ""

    /// The keys for a tap.
    ///
    /// - Parameter content: the record that is shown; its control characters are left out, so that a tag can press no key.
    func text(identifier: [UInt8], shown: ShownRecord?) throws(TypedForm.Unsuitable) -> String {
        let body: String
        switch content {
        case .uid: body = try form.text(of: identifier)
        case .text:
            guard let text = shown?.copied, shown?.uri == nil else {
                throw TypedForm.Unsuitable(description: "the tag has no text")
            }
            body = Self.typable(text)
        case .uri:
            guard let uri = shown?.uri else { throw TypedForm.Unsuitable(description: "the tag has no URI") }
            body = Self.typable(uri)
        }
        guard body.unicodeScalars.count <= Self.longest else {
            throw TypedForm.Unsuitable(description: "the text of the tag is longer than \(Self.longest) characters")
        }
        guard !body.isEmpty else { throw TypedForm.Unsuitable(description: "the text of the tag is empty") }
        return prefix + body + suffix
    }

    private static func typable(_ text: String) -> String {
        var typed = ""
        typed.unicodeScalars.append(contentsOf: text.unicodeScalars.filter(\.isVisible))
        return typed
    }
}
