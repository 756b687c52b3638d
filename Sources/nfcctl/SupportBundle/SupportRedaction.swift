import Cryptography
import NFCTypes
import TagRecordings

/// Takes out of texts what a report must not have, and counts what was removed.
///
/// An identifier becomes a word that is the same wherever the identifier is, within one bundle: the key that decides the word is thrown
/// away with this value.
struct SupportRedaction {
    /// What a line of `removed.txt` counts.
    enum Kind: String, CaseIterable {
        case identifier = "identifiers of tags and serial numbers"
        case link = "links and addresses of people"
        case account = "names of accounts and of this machine"
        case setting = "texts in settings"
        case bytes = "bytes of commands and answers"
    }

    /// What stays in a text although it looks like something to remove.
    struct Exceptions: OptionSet {
        let rawValue: Int
        /// Decimal numbers, which a UID may look like: those of metrics.
        static let numbers = Exceptions(rawValue: 1)
        /// Rows of bytes: descriptors of USB devices.
        static let rows = Exceptions(rawValue: 2)
    }

    private let key: SecretBytes
    /// Names that are replaced wherever they occur, such as the user's, and serial numbers: in lower case, the longest one first.
    private let names: [(text: String, kind: Kind)]
    /// How often something was replaced.
    private(set) var counts: [Kind: Int] = [:]
    private var exceptions: Exceptions = []

    /// - Parameters:
    ///   - names: names of accounts and of the machine; those of fewer than 3 characters, and root's, are left. Of a name with dots, the
    ///     part before the first one is a name, too.
    ///   - serials: the serial numbers of readers.
    init(names: [String], serials: [String]) {
        key = SecretBytes(randomCount: 32)
        let kept: Set<String> = ["root", "nfcd", "localhost", "nfc", "pcscd"]
        let all = Set(names.flatMap { [$0, String($0.prefix { $0 != "." })] }.map { $0.lowercased() })
            .filter { $0.count >= 3 && !kept.contains($0) }
        let numbers = Set(serials.map { $0.lowercased() }).filter { $0.count >= 3 }
        self.names = (numbers.map { ($0, .identifier) } + all.subtracting(numbers).map { ($0, .account) })
            .sorted { $0.text.count > $1.text.count }
    }

    // MARK: Texts

    /// A part of a text.
    private struct Piece {
        let text: String
        /// Whether it is to be looked at further: it is not what replaced something, and does not stay for another reason.
        let isOpen: Bool
    }

    /// A text without identifiers, links, names of accounts, and bytes of commands.
    mutating func redacted(_ text: String, except exceptions: Exceptions = []) -> String {
        self.exceptions = exceptions
        var pieces = [Piece(text: text, isOpen: true)]
        // Each step looks at what the ones before have left: a link or a name is judged whole, before it is taken apart.
        for step in [Self.times, Self.links, Self.wholeNames, Self.rows, Self.digits] {
            pieces = Self.merged(pieces.flatMap { $0.isOpen ? step(&self, $0.text) : [$0] })
        }
        return pieces.map(\.text).joined()
    }

    /// Pieces in which neighbours that are open are one: a row of bytes has several words.
    private static func merged(_ pieces: [Piece]) -> [Piece] {
        var merged: [Piece] = []
        var open: [String] = []
        for piece in pieces {
            if piece.isOpen {
                open.append(piece.text)
            } else {
                if !open.isEmpty { merged.append(Piece(text: open.joined(), isOpen: true)) }
                open = []
                merged.append(piece)
            }
        }
        return open.isEmpty ? merged : merged + [Piece(text: open.joined(), isOpen: true)]
    }

    /// A text cut where a condition holds and where it does not.
    private static func runs(_ text: String, of isPart: (Character) -> Bool) -> [(text: Substring, isPart: Bool)] {
        var runs: [(Substring, Bool)] = []
        var rest = text[...]
        while let first = rest.first {
            let kind = isPart(first)
            let run = rest.prefix { isPart($0) == kind }
            runs.append((run, kind))
            rest = rest[run.endIndex...]
        }
        return runs
    }

    /// The text around ranges that are replaced or stay.
    private static func pieces(_ text: String, _ ranges: [(range: Range<String.Index>, text: String)]) -> [Piece] {
        var pieces: [Piece] = []
        var start = text.startIndex
        for (range, replacement) in ranges {
            pieces.append(Piece(text: String(text[start..<range.lowerBound]), isOpen: true))
            pieces.append(Piece(text: replacement, isOpen: false))
            start = range.upperBound
        }
        return pieces + [Piece(text: String(text[start...]), isOpen: true)]
    }

    private mutating func replaced(_ text: String, _ kind: Kind, _ prefix: String) -> String {
        counts[kind, default: 0] += 1
        let code = HMACSHA256.code(of: Array(text.utf8), key: key)
        return "\(prefix)-\(Hexadecimal.string(code.prefix(4)).lowercased())"
    }

    // MARK: Times

    /// The column of microseconds in pcscd's log: `pcscd[712]: 00000012 `.
    private static func times(_ redaction: inout Self, _ text: String) -> [Piece] {
        pieces(
            text,
            text.matches(of: /pcscd\[[0-9]+\]: ([0-9]{8})\ /).map { match in
                (match.output.1.startIndex..<match.output.1.endIndex, String(match.output.1))
            })
    }

    // MARK: Links

    /// Quotation marks, brackets, blanks and the like separate words.
    private static func isPartOfWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || "._-+@:/%?=&#~".contains(character)
    }

    private static func links(_ redaction: inout Self, _ text: String) -> [Piece] {
        runs(text, of: isPartOfWord).map { run, isWord in
            guard isWord, isLink(run) else { return Piece(text: String(run), isOpen: true) }
            return Piece(text: redaction.replaced(String(run), .link, "link"), isOpen: false)
        }
    }

    private static func isLink(_ word: Substring) -> Bool {
        // The units of systemd have the form of an address, too.
        guard !word.hasSuffix(".service") else { return false }
        if word.contains("://") || word.contains("@") && !word.hasPrefix("@") && !word.hasSuffix("@") { return true }
        let lower = word.lowercased()
        let scheme = lower.prefix { $0 != ":" }
        if schemes.contains(String(scheme)), lower.count > scheme.count + 1 { return true }
        let path = lower.split(maxSplits: 1, omittingEmptySubsequences: false) { "/?#".contains($0) }
        guard let start = path.first else { return false }
        return start.split { "=:".contains($0) }.contains { isHost($0, hasPath: path.count > 1) }
    }

    /// Schemes that have no slashes.
    private static let schemes: Set<String> = [
        "mailto", "tel", "sms", "smsto", "geo", "urn", "sip", "sips", "xmpp", "bitcoin", "market", "whatsapp", "wifi",
        "upi",
    ]

    /// Whether a text is the name of a host: labels with dots, of which the last is that of a country or another usual one. With a path
    /// any last label is one.
    private static func isHost(_ text: Substring, hasPath: Bool) -> Bool {
        let labels = text.split(separator: ".")
        guard labels.count >= 2, let last = labels.last, last.count >= 2, last.allSatisfy({ $0.isLetter }) else {
            return false
        }
        if labels.first == "www" || topLevel.contains(String(last)) { return true }
        return hasPath && !["bundle", "so", "d", "conf"].contains(last)
    }

    private static let topLevel: Set<String> = [
        "com", "org", "net", "edu", "gov", "info", "biz", "app", "dev", "io", "eu", "de", "at", "ch", "uk", "fr", "nl",
        "it", "es",
        "pt", "pl", "se", "no", "dk", "fi", "cz", "be", "ie", "us", "ca", "au", "nz", "jp", "cn", "kr", "in", "br",
        "ru", "ua", "me",
        "xyz", "online", "shop", "cloud", "example", "test", "home", "lan", "local", "internal", "localdomain", "arpa",
        "onion",
    ]

    // MARK: Names

    /// Names and serial numbers, in any case, with whatever characters they have.
    private static func wholeNames(_ redaction: inout Self, _ text: String) -> [Piece] {
        var pieces = [Piece(text: text, isOpen: true)]
        for (name, kind) in redaction.names {
            pieces = pieces.flatMap { piece in
                piece.isOpen ? redaction.pieces(of: piece.text, without: name, kind) : [piece]
            }
        }
        return pieces
    }

    private mutating func pieces(of text: String, without name: String, _ kind: Kind) -> [Piece] {
        let (text, searched) = (Array(text), text.map { $0.lowercased() })
        let name = name.map { $0.lowercased() }
        func isBoundary(_ index: Int) -> Bool {
            !text.indices.contains(index) || !text[index].isLetter && !text[index].isNumber
        }
        var pieces: [Piece] = []
        var (start, index) = (0, 0)
        while index + name.count <= searched.count {
            guard searched[index] == name[0], searched[index..<index + name.count].elementsEqual(name),
                isBoundary(index - 1), isBoundary(index + name.count)
            else {
                index += 1
                continue
            }
            pieces.append(Piece(text: String(text[start..<index]), isOpen: true))
            let word = replaced(name.joined(), kind, kind == .identifier ? "id" : "name")
            pieces.append(Piece(text: word, isOpen: false))
            index += name.count
            start = index
        }
        return pieces + [Piece(text: String(text[start...]), isOpen: true)]
    }

    // MARK: Bytes

    /// Rows of at least four bytes in hexadecimal, such as `SW: 04 51 8D 90 00`, `04:A1:B2:C3` and `0x04, 0xA1, 0xB2, 0xC3`.
    private static func rows(_ redaction: inout Self, _ text: String) -> [Piece] {
        guard !redaction.exceptions.contains(.rows) else { return [Piece(text: text, isOpen: true)] }
        let row = /(?:0[xX])?[0-9A-Fa-f]{2}(?:[ \t:,;-]{1,3}(?:0[xX])?[0-9A-Fa-f]{2}(?![0-9A-Za-z])){3,}/
        let found = text.matches(of: row).filter { match in
            // The first one is not the end of a longer word.
            let start = match.range.lowerBound
            guard start > text.startIndex else { return true }
            let before = text[text.index(before: start)]
            return !before.isLetter && !before.isNumber
        }
        return pieces(
            text,
            found.map { match in
                (match.range, redaction.redacted(row: match.output, after: text[..<match.range.lowerBound]))
            })
    }

    /// What stays of a row: the header of a command or of an ATR, and the status word of an answer.
    private mutating func redacted(row: Substring, after text: Substring) -> String {
        let pairs = row.split { !$0.isHexDigit && $0 != "x" && $0 != "X" }.map { $0.suffix(2) }
        let before = text.suffix(8).filter { !$0.isWhitespace }
        if before.hasSuffix("APDU:") || before.hasSuffix("ATR:") {
            guard pairs.count > Self.openDigits / 2 else { return String(row) }
            counts[.bytes, default: 0] += 1
            return pairs.prefix(Self.openDigits / 2).joined(separator: " ") + " …"
        }
        let status = before.hasSuffix("SW:") ? pairs.suffix(2) : []
        let data = pairs.dropLast(status.count)
        let word: String
        if Self.identifierLengths.contains(2 * data.count) {
            word = replaced(data.joined().uppercased(), .identifier, "id")
        } else {
            counts[.bytes, default: 0] += 1
            word = "…"
        }
        return ([word] + status.map(String.init)).joined(separator: " ")
    }

    /// Hexadecimal digits without separators.
    private static func digits(_ redaction: inout Self, _ text: String) -> [Piece] {
        runs(text, of: { $0.isLetter || $0.isNumber }).map { run, isPart in
            Piece(text: isPart ? redaction.replacement(forPart: String(run)) : String(run), isOpen: false)
        }
    }

    private mutating func replacement(forPart part: String) -> String {
        guard part.utf8.count >= 8, part.allSatisfy(\.isHexDigit), part.contains(where: \.isNumber) else { return part }
        if Self.identifierLengths.contains(part.utf8.count) {
            return isPlainNumber(part) ? part : replaced(part.uppercased(), .identifier, "id")
        }
        // The beginning says which command it is; the rest may be what a tag holds.
        guard part.utf8.count > Self.openDigits, !isPlainNumber(part) else { return part }
        counts[.bytes, default: 0] += 1
        return "\(part.prefix(Self.openDigits))…"
    }

    /// The digits of the header of a command and its length.
    private static let openDigits = 10

    /// The digits of UIDs of 4, 7, 8 and 10 bytes.
    private static let identifierLengths: Set<Int> = [8, 14, 16, 20]

    /// Whether digits are a date, or a number where numbers stay. Of UIDs with 4 bytes, one of 43 has decimal digits alone.
    private func isPlainNumber(_ part: String) -> Bool {
        (exceptions.contains(.numbers) || part.utf8.count == 8 && part.hasPrefix("20")) && part.allSatisfy(\.isNumber)
    }

    // MARK: Recordings

    /// A recording in the form of a bundle.
    struct RedactedRecording {
        /// The lines.
        let bytes: [UInt8]
        /// The UIDs that were replaced.
        let identifierCount: Int
        /// The exchanges of which all data was masked, since the UID of their tag is not known.
        let maskedCount: Int
    }

    /// The lines of a recording without the identities of its tags; their texts are redacted as any other.
    mutating func redacted(_ recording: Recording) -> RedactedRecording {
        let exchanges = RecordingRedaction(recording, key: key)
        let lines = exchanges.lines.map { line in
            var line = line
            for text in [\RecordingLine.reader, \.program, \.name, \.profile, \.error, \.reason] {
                if let value = line[keyPath: text] { line[keyPath: text] = redacted(value) }
            }
            if let technologies = line.technologies { line.technologies = technologies.map { redacted($0) } }
            return line
        }
        return RedactedRecording(
            bytes: lines.flatMap { (try? Recording.encoded($0)) ?? [] }, identifierCount: exchanges.identifierCount,
            maskedCount: exchanges.maskedCount)
    }

    // MARK: Settings

    /// Settings in TOML without their texts: numbers, truth values, and words that say what is allowed stay; everything else may be a
    /// name, an address or a secret.
    mutating func redacted(settings text: String) -> String {
        var scanner = SettingsScanner()
        // CR and LF are one character, so a newline is not only "\n".
        return text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line in
            redacted(scanner.next(line))
        }.joined(separator: "\n")
    }

    private static let openKeys: Set<String> = [
        "capabilities", "formats", "level", "log-level", "applications", "system-codes", "model", "simulator-model",
        "profile",
        "feedback", "when-busy", "require",
    ]

    private mutating func redacted(_ line: SettingsScanner.Line) -> String {
        switch line {
        case .empty: return ""
        case .table(let header):
            guard header.allSatisfy({ $0.isLetter || $0.isNumber || "[]-_. ".contains($0) }) else {
                counts[.setting, default: 0] += 1
                return "[…]"
            }
            return redacted(header)
        case .value(let key, let value):
            if Self.openKeys.contains(key) { return redacted("\(key) = \(value)") }
            let isPlain =
                value.allSatisfy { $0.isNumber || ".-+_ ".contains($0) } || ["true", "false"].contains(value)
            if isPlain { return "\(key) = \(value)" }
            counts[.setting, default: 0] += 1
            return "\(key) = \"…\""
        case .continued(let key, let value):
            // A setting behind a bracket that was forgotten is not a part of the list.
            if Self.openKeys.contains(key), !value.contains("=") { return redacted(value) }
            counts[.setting, default: 0] += 1
            return "…"
        case .other:
            counts[.setting, default: 0] += 1
            return "…"
        }
    }
}
