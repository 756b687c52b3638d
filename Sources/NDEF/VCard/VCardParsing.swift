/// What is found in the text of a vCard.
struct VCardParsing {
    private(set) var properties: [VCardProperty] = []
    private(set) var warnings: [NDEFWarning.Code] = []

    /// How many vCards are open; one may be within another (vCard 2.1, `AGENT`).
    private var depth = 0
    private var isComplete = false

    init(_ text: [UInt8]) {
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let lines = VCardLines(text.starts(with: byteOrderMark) ? Array(text.dropFirst(3)) : text)
        if lines.lines.first.map(Self.isBegin) != true { warnings.append(.vCardWithoutBegin) }
        for line in lines.lines {
            if isComplete {
                guard Self.isBegin(line) else { continue }
                warnings.append(.vCardSeveral)
                break
            }
            add(line, escapes: lines.isVersion21 ? .semicolon : .all)
        }
        if !isComplete { warnings.append(.vCardWithoutEnd) }
    }

    private mutating func add(_ line: [UInt8], escapes: VCardEscapes) {
        if Self.isBegin(line) {
            // What precedes the vCard does not belong to it.
            if depth == 0 { properties = [] }
            depth += 1
        } else if Self.isLine(line, "END:VCARD") {
            depth -= 1
            isComplete = depth <= 0
        } else if depth > 1 {
            return
        } else if let property = VCardProperty(line: line, escapes: escapes) {
            properties.append(property)
        } else {
            warnings.appendOnce(.vCardMalformedLine)
        }
    }

    private static func isBegin(_ line: [UInt8]) -> Bool { isLine(line, "BEGIN:VCARD") }

    private static func isLine(_ line: [UInt8], _ text: String) -> Bool {
        guard line.prefix(text.utf8.count).map(\.upperCased).elementsEqual(text.utf8) else { return false }
        return line.dropFirst(text.utf8.count).allSatisfy { $0 == 0x20 || $0 == 0x09 }
    }
}

/// The lines of a vCard, put together again where they were folded (RFC 2426, §2.6; RFC 6350, §3.2).
struct VCardLines {
    /// The lines without their ends; empty ones are left out.
    private(set) var lines: [[UInt8]] = []
    /// Whether it is a vCard 2.1.
    let isVersion21: Bool

    private var current: [UInt8] = []
    /// Whether the current line is quoted-printable, once that was looked up.
    private var isQuotedPrintable: Bool?

    init(_ text: [UInt8]) {
        let pieces = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { piece in
            piece.last == UInt8(ascii: "\r") ? piece.dropLast() : piece
        }
        isVersion21 = Self.version(of: pieces) == "2.1"
        for piece in pieces { add(piece) }
        finishLine()
    }

    /// The version in the first VERSION line.
    private static func version(of pieces: [ArraySlice<UInt8>]) -> String? {
        let name = Array("VERSION:".utf8)
        let line = pieces.first { $0.prefix(name.count).map(\.upperCased) == name }
        return line.map { String(decoding: $0.dropFirst(name.count), as: UTF8.self).trimmingSpace }
    }

    private mutating func add(_ piece: ArraySlice<UInt8>) {
        if endsInSoftBreak() {
            current.removeLast()
            current += piece
        } else if piece.first == UInt8(ascii: " ") || piece.first == UInt8(ascii: "\t") {
            // A vCard 2.1 is folded at white space, which remains (§2.1.3).
            current += isVersion21 ? piece : piece.dropFirst()
        } else {
            finishLine()
            current = Array(piece)
        }
    }

    private mutating func finishLine() {
        if !current.isEmpty { lines.append(current) }
        current = []
        isQuotedPrintable = nil
    }

    /// Whether the line continues after an equals sign at its end (quoted-printable, RFC 2045, §6.7).
    private mutating func endsInSoftBreak() -> Bool {
        guard current.last == UInt8(ascii: "=") else { return false }
        // Looked up once per line: another look at each piece would take quadratic time.
        let isEncoded = isQuotedPrintable ?? Self.isQuotedPrintable(current)
        isQuotedPrintable = isEncoded
        return isEncoded
    }

    private static func isQuotedPrintable(_ line: [UInt8]) -> Bool {
        let parameters = line.prefix { $0 != UInt8(ascii: ":") }.split(separator: UInt8(ascii: ";")).dropFirst()
        return parameters.map(VCardParameter.init).contains { $0.encoding == "QUOTED-PRINTABLE" }
    }
}

extension UInt8 {
    /// The ASCII letter in upper case; any other character unchanged.
    var upperCased: UInt8 { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) ? self & 0xDF : self }
}

extension String {
    /// The text without spaces and tabs at its ends.
    var trimmingSpace: String {
        var rest = utf8.drop { $0 == 0x20 || $0 == 0x09 }
        while rest.last == 0x20 || rest.last == 0x09 { rest.removeLast() }
        return String(Substring(rest))
    }
}

extension NDEFWarning.Code {
    /// A vCard does not start with `BEGIN:VCARD`.
    public static let vCardWithoutBegin = Self("VCARD_NO_BEGIN", "the vCard does not start with BEGIN:VCARD")
    /// A vCard does not end with `END:VCARD`.
    public static let vCardWithoutEnd = Self("VCARD_NO_END", "the vCard does not end with END:VCARD")
    /// A line of a vCard is not a property; it is kept in the text only.
    public static let vCardMalformedLine = Self("VCARD_MALFORMED_LINE", "a line of the vCard is not a property")
    /// There are several vCards; the fields are those of the first.
    public static let vCardSeveral = Self("VCARD_SEVERAL", "there are several vCards; only the first was parsed")
}
