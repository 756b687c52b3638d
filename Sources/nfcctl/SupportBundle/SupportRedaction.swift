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

    private let key: SecretBytes
    /// Words that are replaced wherever they occur, such as the user's name.
    private let names: [String]
    /// How often something was replaced.
    private(set) var counts: [Kind: Int] = [:]

    /// - Parameters:
    ///   - names: names of accounts and of the machine; those of fewer than 3 characters, and root's, are left.
    ///   - serials: the serial numbers of readers.
    init(names: [String], serials: [String]) {
        key = SecretBytes(randomCount: 32)
        let kept: Set<String> = ["root", "nfcd", "localhost", "nfc", "pcscd"]
        self.names = Set(names).filter { $0.count >= 3 && !kept.contains($0) }.sorted { $0.count > $1.count }
        self.serials = Set(serials).filter { $0.count >= 3 }
    }

    private let serials: Set<String>
    private var keepsNumbers = false

    /// A text without identifiers, links, and names of accounts.
    ///
    /// - Parameter keepsNumbers: whether decimal numbers stay, which a UID may look like: those of metrics.
    mutating func redacted(_ text: String, keepsNumbers: Bool = false) -> String {
        self.keepsNumbers = keepsNumbers
        return replacing(text, wordsOf: Self.isPartOfWord) { $0.replacement(for: $1) }
    }

    /// A text with each run of characters of a kind replaced; the others stay.
    private mutating func replacing(
        _ text: String, wordsOf isPart: (Character) -> Bool, by replacement: (inout Self, String) -> String
    ) -> String {
        var output = ""
        var word = ""
        for character in text {
            if isPart(character) {
                word.append(character)
            } else {
                output += replacement(&self, word)
                word = ""
                output.append(character)
            }
        }
        return output + replacement(&self, word)
    }

    /// Quotation marks, brackets, blanks and the like separate words.
    private static func isPartOfWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || "._-+@:/%?=&#~".contains(character)
    }

    private mutating func replacement(for word: String) -> String {
        let pairs = word.split(separator: ":", omittingEmptySubsequences: false)
        if Self.identifierLengths.contains(2 * pairs.count),
            pairs.allSatisfy({ $0.count == 2 && $0.allSatisfy(\.isHexDigit) })
        {
            return replaced(pairs.joined().uppercased(), .identifier, "id")
        }
        if word.contains("://") || word.contains("@") && !word.hasPrefix("@") && !word.hasSuffix("@") {
            // The units of systemd have this form, too.
            guard !word.hasSuffix(".service") else { return parts(of: word) }
            return replaced(word, .link, "link")
        }
        return parts(of: word)
    }

    /// The parts between dots, slashes and the like, each judged alone.
    private mutating func parts(of word: String) -> String {
        replacing(word, wordsOf: { $0.isLetter || $0.isNumber }) { $0.replacement(forPart: $1) }
    }

    private mutating func replacement(forPart part: String) -> String {
        if serials.contains(part) { return replaced(part, .identifier, "id") }
        if names.contains(part) { return replaced(part, .account, "name") }
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
        (keepsNumbers || part.utf8.count == 8 && part.hasPrefix("20")) && part.allSatisfy(\.isNumber)
    }

    private mutating func replaced(_ text: String, _ kind: Kind, _ prefix: String) -> String {
        counts[kind, default: 0] += 1
        let code = HMACSHA256.code(of: Array(text.utf8), key: key)
        return "\(prefix)-\(Hexadecimal.string(code.prefix(4)).lowercased())"
    }

    /// The lines of a recording in which each UID is replaced by another one of its length and manufacturer, wherever it is: alone, in
    /// reverse, and with check bytes in the first blocks of a tag (ISO/IEC 14443-3, BCC).
    ///
    /// - Returns: the lines, and how many UIDs were replaced.
    func redacted(_ recording: Recording) -> ([UInt8], Int) {
        let identifiers = Set(recording.visits.map(\.identifier)).filter { $0.count >= 4 }
        var text = recording.lines.map { line in
            String(decoding: (try? Recording.encoded(line)) ?? [], as: UTF8.self)
        }.joined()
        for identifier in identifiers {
            let code = HMACSHA256.code(of: identifier, key: key)
            let other = identifier.prefix(1) + code.prefix(identifier.count - 1)
            for (old, new) in zip(Self.forms(identifier), Self.forms(Array(other))) {
                text = text.replacing(Hexadecimal.string(old), with: Hexadecimal.string(new))
            }
        }
        return (Array(text.utf8), identifiers.count)
    }

    /// How a UID appears in exchanges.
    private static func forms(_ identifier: [UInt8]) -> [[UInt8]] {
        func check(_ bytes: some Sequence<UInt8>) -> UInt8 { bytes.reduce(0, ^) }
        let whole = [identifier, identifier.reversed()]
        switch identifier.count {
        case 4: return [identifier + [check(identifier)]] + whole
        case 7:
            let (first, second) = (Array(identifier.prefix(3)), Array(identifier.dropFirst(3)))
            return whole + [
                first + [0x88 ^ check(first)] + second + [check(second)], first + [0x88 ^ check(first)], second,
            ]
        default: return whole
        }
    }

    /// Settings in TOML without their texts: numbers, truth values, and words that say what is allowed stay; everything else may be a
    /// name, an address or a secret.
    mutating func redacted(settings text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            redacted(settingsLine: String(line))
        }.joined(separator: "\n")
    }

    private static let openKeys: Set<String> = [
        "capabilities", "formats", "level", "log-level", "applications", "system-codes", "model", "simulator-model",
        "profile",
        "feedback", "when-busy", "require",
    ]

    private mutating func redacted(settingsLine line: String) -> String {
        // A comment may quote a setting that was commented out.
        guard let start = line.firstIndex(where: { !$0.isWhitespace }), line[start] != "#" else { return "" }
        if line[start] == "[" { return redacted(line) }
        let key = line[start...].prefix { $0.isLetter || $0.isNumber || "-_.".contains($0) }
        if Self.openKeys.contains(String(key)) { return redacted(line) }
        guard let equals = line.firstIndex(of: "=") else {
            // A line of a value of several lines.
            counts[.setting, default: 0] += 1
            return "…"
        }
        let value = line[line.index(after: equals)...].drop(while: \.isWhitespace)
        let isPlain =
            value.allSatisfy { $0.isNumber || ".-+_ ".contains($0) } || ["true", "false"].contains(String(value))
        guard !isPlain else { return line }
        counts[.setting, default: 0] += 1
        return "\(line[...equals]) \"…\""
    }
}
