import Testing

/// Plain technical English: words that are old, ambiguous or spoken have an ordinary one.
@Suite struct `The wording` {
    /// The folders and files whose text is checked. Data of tests is not: tags and programs of others may say anything.
    private static let places = [
        "Sources", "Docs", "Config", "packaging", "systemd", "Scripts", "Clients", "Examples", "Benchmarks", "Tests",
        "README.md",
        "CONTRIBUTING.md", "SECURITY.md", "Makefile",
    ]
    private static let data = [".json", ".jsonl", ".svg", ".txt", ".csv", ".tsv"]

    @Test(arguments: places) func `is plain`(place: String) {
        let texts = PackageFiles.all.filter { file in
            file.components.first.map(String.init) == place && file.components.last != "WordingTests.swift"
                && !Self.data.contains { file.path.hasSuffix($0) } && !file.components.contains("node_modules")
        }
        #expect(!texts.isEmpty)
        for file in texts {
            // The user nobody belongs to tests of what other users may do.
            let found = Wording.objections(to: file.text, knowsNobody: place == "Tests")
            #expect(found.isEmpty, "\(file.path): \(found.joined(separator: "; "))")
        }
    }

    @Test(arguments: [
        ("Nobody\nlistens.", #""nobody": write "no client""#),
        ("kept for\n/// ever", #""for ever": write "permanently""#),
        ("a thread of its\n    /// own.", #""of its own": write "its own""#),
        ("nil where there\n# is none", #""where there is": write "if there is""#),
        ("A UID is no proof.", #""is no": write "is not""#),
        ("nil where it is none", #""is none": write "is not a …""#),
        ("The bytes that stand behind it", #""stand behind": write "follow""#),
        ("\"The scan goes \"\n + \"on.\"", #""goes on": write "continues""#),
    ])
    func `a word to avoid is found with the word to use`(text: String, objection: String) {
        #expect(Wording.objections(to: text) == [objection])
    }

    @Test(arguments: [
        "recommend, calendar, blend", "forever", "a newer one", "commander", "There is none.", "if there are no tags",
        "if value is None",
        "It is no longer used.", "what the tag is. No reader has it.", "Which it is: none.",
        "as far as it goes, on air",
    ])
    func `other text is not found`(text: String) {
        #expect(Wording.objections(to: text).isEmpty)
    }

    @Test func `the user nobody is known to tests`() {
        #expect(Wording.objections(to: "user = \"nobody\"", knowsNobody: true).isEmpty)
    }
}

/// The words to avoid.
private enum Wording {
    /// Words that follow one another, and what to write instead.
    private struct Phrase {
        let words: [String]
        let plain: String
        /// The words before it that make it an ordinary one.
        var isFineAfter: [String] = []
        /// The words behind it that make it an ordinary one; empty where none does.
        var isFineBefore: [String] = []

        init(_ words: String, _ plain: String, after: [String] = [], before: [String] = []) {
            self.words = words.split(separator: " ").map(String.init)
            self.plain = plain
            isFineAfter = after
            isFineBefore = before
        }
    }

    private static let words = [
        "mend": "fix", "mends": "fixes", "mended": "fixed",
        "lend": "share", "lends": "shares", "lent": "shared",
        "heeded": "respected", "errand": "operation", "errands": "operations", "anew": "again",
        "for ever": "permanently", "for good": "permanently", "let go of": "release", "lets go of": "releases",
        "look on": "observe", "looks on": "observes",
        "hear": "receive", "hears": "receives", "hear of": "be notified of", "hears of": "is notified of",
        "tell": "report", "tells": "reports", "told": "notified",
        "nobody": "no client", "somebody": "a client", "anybody": "any client", "everybody": "every client",
        "in place of": "instead of", "at hand": "available", "goes before": "takes precedence over",
        "found out": "detected", "finds out": "determines", "find out": "determine",
        "go on": "continue", "goes on": "continues", "went on": "continued",
        "where there is": "if there is", "where there are": "if there are",
        "of its own": "its own", "of their own": "their own", "of your own": "your own", "of our own": "our own",
        "in the way of": "delays", "what it is for": "its purpose", "but for it": "without it",
        "stand in": "are in", "stands in": "is in", "stand at": "are at", "stands at": "is at",
        "stand behind": "follow", "stands behind": "follows", "stand before": "precede", "stands before": "precedes",
    ]

    private static let phrases: [String: [Phrase]] = {
        let negated = ["is", "are", "was", "were"].flatMap { verb in
            [
                Phrase("\(verb) none", "\(verb) not a …", after: ["there"]),
                Phrase(
                    "\(verb) no", "\(verb) not", after: ["there", "here"],
                    before: ["longer", "more", "less", "later", "earlier", "such", "other", "matter"]),
            ]
        }
        return Dictionary(grouping: words.map { Phrase($0.key, $0.value) } + negated) { $0.words[0] }
    }()

    /// A word of a text, in lower case, and whether it continues the sentence of the word before.
    private struct Word {
        let text: String
        let continues: Bool
    }

    /// What to change, in words. The end of a line or of a piece of a literal between two words does not count.
    static func objections(to text: String, knowsNobody: Bool = false) -> [String] {
        let words = split(text)
        return words.indices.flatMap { index in
            (phrases[words[index].text] ?? []).filter { phrase in
                guard !(knowsNobody && phrase.words == ["nobody"]) else { return false }
                let end = index + phrase.words.count
                guard end <= words.count, words[index..<end].map(\.text) == phrase.words,
                    words[(index + 1)..<end].allSatisfy(\.continues)
                else { return false }
                let before = words[index].continues && index > 0 ? words[index - 1].text : ""
                let behind = end < words.count && words[end].continues ? words[end].text : ""
                return !phrase.isFineAfter.contains(before) && !phrase.isFineBefore.contains(behind)
            }
            .map { "\"\($0.words.joined(separator: " "))\": write \"\($0.plain)\"" }
        }
    }

    /// The words of a text. Python's `None` is not the word.
    private static func split(_ text: String) -> [Word] {
        var words: [Word] = []
        var text = text
        text.withUTF8 { bytes in
            var begin = 0
            var continues = false
            while begin < bytes.count {
                var end = begin
                while end < bytes.count, kinds[Int(bytes[end])] == .letter { end += 1 }
                if end > begin {
                    let word = String(decoding: bytes[begin..<end], as: UTF8.self)
                    words.append(Word(text: word == "None" ? word : word.lowercased(), continues: continues))
                    continues = true
                }
                if end < bytes.count, kinds[Int(bytes[end])] == .end { continues = false }
                begin = end + 1
            }
        }
        return words
    }

    private enum Kind {
        /// Part of a word. Letters of other alphabets count, so that none of their bytes splits a word.
        case letter
        /// May be between two words of a sentence: white space, the beginning of a comment, the end of a literal, a backtick.
        case gap
        /// Ends a sentence.
        case end
    }

    /// The kind of each byte.
    private static let kinds: [Kind] = (0...UInt8.max).map { byte in
        if (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte >= 0x80 { return .letter }
        return " \t\r\n/#*\"\\|+`".utf8.contains(byte) ? .gap : .end
    }
}
