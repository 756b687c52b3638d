import Foundation
import Testing

/// The table of rules holds: its tests are there, and enough of them are on a real pcscd.
@Suite struct `The table of session rules` {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

    @Test(arguments: SessionRule.allCases) func `names tests that are there`(rule: SessionRule) throws {
        #expect(!rule.witnesses.isEmpty)
        for witness in rule.witnesses {
            let file = Self.folder.appending(path: "\(witness.file).swift")
            let text = try String(contentsOf: file, encoding: .utf8)
            let declaration = try #require(
                text.range(of: "func `\(witness.test)`("), "\(witness.file) has no test `\(witness.test)`")
            let rest = text[declaration.upperBound...]
            let body = rest.range(of: "@Test").map { rest[..<$0.lowerBound] } ?? rest
            // What the test does not say itself, a function of its file does.
            let isOnPCSC = Self.isOnPCSC(body) ?? Self.isOnPCSC(text[...])
            #expect(isOnPCSC == witness.isOnPCSC, "`\(witness.test)`")
        }
    }

    /// By the readers that a piece of a test has started; nil where it starts none.
    private static func isOnPCSC(_ text: Substring) -> Bool? {
        if text.contains("PrivatePCSC(") || text.contains("withReaders") { return true }
        return text.contains("simulatedReaders:") ? false : nil
    }

    @Test func `half of the rules at least are shown on a real pcscd`() {
        let shown = SessionRule.allCases.count { $0.witnesses.contains(where: \.isOnPCSC) }
        #expect(shown * 2 >= SessionRule.allCases.count)
        let tests = Set(SessionRule.allCases.flatMap(\.witnesses))
        print("rules: \(SessionRule.allCases.count), shown by \(tests.count) tests,")
        print("rules shown on a real pcscd: \(shown), by \(tests.count(where: \.isOnPCSC)) tests")
    }
}
