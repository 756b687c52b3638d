import Testing

/// Finds the modules that a Swift file imports, without a Swift parser.
enum ImportScanner {
    /// The imported modules in their order; of `import struct A.B` and `import A.B` it is `A`.
    static func modules(in text: String) -> [String] {
        modules(ofCode: code(in: text))
    }

    /// The modules that code without comments and literals imports.
    static func modules(ofCode code: String) -> [String] {
        code.utf8.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: ";") }.map(Substring.init).filter {
            $0.utf8.contains(UInt8(ascii: "i")) && $0.contains("import")
        }.compactMap(module)
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

/// Walks over the bytes of a file and leaves out comments and literals.
private struct Blanker {
    private static let lineEnd = UInt8(ascii: "\n")
    private static let hash = UInt8(ascii: "#")
    private static let quote = UInt8(ascii: "\"")
    private static let comment = Array("//".utf8)
    private static let opening = Array("/*".utf8)
    private static let closing = Array("*/".utf8)

    private let bytes: [UInt8]
    private var place = 0
    private var kept: [UInt8] = []

    init(_ text: String) {
        bytes = Array(text.utf8)
        kept.reserveCapacity(bytes.count)
    }

    mutating func code() -> String {
        while place < bytes.count {
            if isNext(Self.comment) {
                skipLine()
            } else if isNext(Self.opening) {
                blockComment()
            } else if let literal = openingQuote() {
                skip(literal)
            } else {
                kept.append(bytes[place])
                place += 1
            }
        }
        return String(decoding: kept, as: UTF8.self)
    }

    private func isNext(_ mark: [UInt8]) -> Bool {
        guard place < bytes.count, bytes[place] == mark[0], place + mark.count <= bytes.count else { return false }
        return mark.count == 1 || bytes[place..<(place + mark.count)].elementsEqual(mark)
    }

    private mutating func skipLine() {
        while place < bytes.count, bytes[place] != Self.lineEnd { place += 1 }
    }

    /// Block comments nest in Swift. A space takes the comment's place, and its line ends stay.
    private mutating func blockComment() {
        var depth = 0
        repeat {
            if isNext(Self.opening) {
                depth += 1
                place += 2
            } else if isNext(Self.closing) {
                depth -= 1
                place += 2
            } else {
                dropKeepingLineEnd()
            }
        } while depth > 0 && place < bytes.count
        kept.append(UInt8(ascii: " "))
    }

    /// What opens a string literal here, such as `"` or `##"""`: the number of hashes and of quotes.
    private func openingQuote() -> (hashes: Int, quotes: Int)? {
        guard bytes[place] == Self.hash || bytes[place] == Self.quote else { return nil }
        let hashes = bytes[place...].prefix { $0 == Self.hash }.count
        let quotes = bytes[(place + hashes)...].prefix(3).prefix { $0 == Self.quote }.count
        return quotes == 0 ? nil : (hashes, quotes == 3 ? 3 : 1)
    }

    private mutating func skip(_ literal: (hashes: Int, quotes: Int)) {
        let hashes = [UInt8](repeating: Self.hash, count: literal.hashes)
        let closing = [UInt8](repeating: Self.quote, count: literal.quotes) + hashes
        let escape = [UInt8(ascii: "\\")] + hashes
        place += literal.hashes + literal.quotes
        while place < bytes.count, !isNext(closing) {
            // A quote that opened no literal, as in a regular expression, costs one line at most.
            if literal.quotes == 1 && bytes[place] == Self.lineEnd { return }
            if isNext(escape) { place += escape.count }
            dropKeepingLineEnd()
        }
        place = min(place + closing.count, bytes.count)
    }

    private mutating func dropKeepingLineEnd() {
        if place < bytes.count, bytes[place] == Self.lineEnd { kept.append(Self.lineEnd) }
        place += 1
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
