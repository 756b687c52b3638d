import Testing

/// Finds the modules that a Swift file imports, without a Swift parser.
enum ImportScanner {
    /// The imported modules in their order; of `import struct A.B` and `import A.B` it is `A`.
    static func modules(in text: String) -> [String] {
        code(in: text).split { $0.isNewline || $0 == ";" }.compactMap(module)
    }

    /// The module that a statement imports, whatever precedes the word: attributes, an access level.
    private static func module(_ statement: Substring) -> String? {
        let form =
            #/^\s*(?:@\w+(?:\([^)]*\))?\s*)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+(?:(?:typealias|struct|class|enum|protocol|let|var|func)\s+)?`?(\w+)/#
        return statement.firstMatch(of: form).map { String($0.1) }
    }

    /// The text without comments and without the contents of string literals, its lines kept.
    static func code(in text: String) -> String {
        var blanker = Blanker(text)
        return blanker.code()
    }
}

/// Walks over a file and leaves out comments and literals.
private struct Blanker {
    private var rest: Substring
    private var kept = ""

    init(_ text: String) {
        rest = text[...]
    }

    mutating func code() -> String {
        while let character = rest.first {
            if rest.hasPrefix("//") {
                skip { $0.isNewline }
            } else if rest.hasPrefix("/*") {
                blockComment()
            } else if let quote = openingQuote() {
                literal(quote)
            } else {
                kept.append(character)
                rest.removeFirst()
            }
        }
        return kept
    }

    private mutating func skip(until isEnd: (Character) -> Bool) {
        rest = rest.drop { !isEnd($0) }
    }

    /// Block comments nest in Swift. A space takes the comment's place, and its line ends stay.
    private mutating func blockComment() {
        var depth = 0
        repeat {
            if rest.hasPrefix("/*") {
                depth += 1
                rest = rest.dropFirst(2)
            } else if rest.hasPrefix("*/") {
                depth -= 1
                rest = rest.dropFirst(2)
            } else {
                dropKeepingLineEnd()
            }
        } while depth > 0 && !rest.isEmpty
        kept.append(" ")
    }

    /// What opens a string literal here, such as `"` or `##"""`.
    private func openingQuote() -> Substring? {
        let hashes = rest.prefix { $0 == "#" }
        let quotes = rest.dropFirst(hashes.count).hasPrefix("\"\"\"") ? 3 : 1
        guard rest.dropFirst(hashes.count).first == "\"" else { return nil }
        return rest.prefix(hashes.count + quotes)
    }

    private mutating func literal(_ opening: Substring) {
        let hashes = opening.prefix { $0 == "#" }
        let closing = opening.drop { $0 == "#" } + hashes
        let escape = "\\" + hashes
        let isOneLine = !opening.hasSuffix("\"\"\"")
        rest = rest.dropFirst(opening.count)
        while let character = rest.first, !rest.hasPrefix(closing) {
            // A quote that opened no literal, as in a regular expression, costs one line at most.
            if isOneLine && character.isNewline { return }
            if rest.hasPrefix(escape) { rest = rest.dropFirst(escape.count) }
            dropKeepingLineEnd()
        }
        rest = rest.dropFirst(closing.count)
    }

    private mutating func dropKeepingLineEnd() {
        if rest.first?.isNewline == true { kept.append("\n") }
        rest = rest.dropFirst()
    }
}

@Suite struct ImportScannerTests {
    @Test(
        "imports are found in every form",
        arguments: [
            ("import NDEF", ["NDEF"]),
            ("  import NDEF", ["NDEF"]),
            ("public import NDEF", ["NDEF"]),
            ("package import NDEF", ["NDEF"]),
            ("internal import NDEF", ["NDEF"]),
            ("fileprivate import NDEF", ["NDEF"]),
            ("private import NDEF", ["NDEF"]),
            ("@testable import NDEF", ["NDEF"]),
            ("@testable\nimport NDEF", ["NDEF"]),
            ("@preconcurrency public import NDEF", ["NDEF"]),
            ("@_spi(Testing) @testable package import NDEF", ["NDEF"]),
            ("@_spi(Testing)import NDEF", ["NDEF"]),
            ("import struct NDEF.Record", ["NDEF"]),
            ("import protocol NDEF.Record", ["NDEF"]),
            ("import func Glibc.read", ["Glibc"]),
            ("import Dispatch.Queue", ["Dispatch"]),
            ("import `NDEF`", ["NDEF"]),
            ("import\tNDEF", ["NDEF"]),
            ("import NDEF // why", ["NDEF"]),
            ("/* why */ import NDEF", ["NDEF"]),
            ("import NDEF; import PCSC", ["NDEF", "PCSC"]),
            ("import NDEF\r\nimport PCSC\r\n", ["NDEF", "PCSC"]),
            (
                "#if canImport(Glibc)\n    import Glibc\n#elseif canImport(Musl)\n    import Musl\n#endif",
                ["Glibc", "Musl"]
            ),
            ("let text = \"/*\"\nimport NDEF", ["NDEF"]),
            ("let text = \"\\\"/*\"\nimport NDEF", ["NDEF"]),
            ("let text = #\"\\\"#\nimport NDEF", ["NDEF"]),
            ("/* /* */ */\nimport NDEF", ["NDEF"]),
            ("let quote = #/\"/#\nimport NDEF", ["NDEF"]),
        ])
    func found(text: String, modules: [String]) {
        #expect(ImportScanner.modules(in: text) == modules)
    }

    @Test(
        "what only looks like an import is not one",
        arguments: [
            "", "// import NDEF", "/// import NDEF", "/* import NDEF */", "/*\nimport NDEF\n*/",
            "/* /* */\nimport NDEF",
            "let text = \"\"\"\n    import NDEF\n    \"\"\"",
            "let text = #\"\"\"\n    \"\"\"\n    import NDEF\n    \"\"\"#",
            "importNDEF", "important NDEF", "let imports = 1", "func `import`(NDEF: Int) {}",
            "#if canImport(NDEF)\n#endif",
        ])
    func ignored(text: String) {
        #expect(ImportScanner.modules(in: text).isEmpty)
    }
}
