import Testing

/// Plain technical English: words that are old, ambiguous or spoken have an ordinary one.
@Suite struct `The wording` {
    static let texts = PackageFiles.all.filter { file in
        ["README.md", "CONTRIBUTING.md", "SECURITY.md"].contains(file.path)
            || ["Sources", "Docs", "Config", "packaging", "systemd"].contains(file.components.first ?? "")
    }

    @Test func `is plain`() {
        #expect(Self.texts.count > 300)
        for file in Self.texts {
            let found = Wording.objections(to: file.text)
            #expect(found.isEmpty, "\(file.path): \(found.joined(separator: "; "))")
        }
    }

    @Test func `a word to avoid is found with the word to use`() {
        #expect(Wording.objections(to: "Nobody\nlistens.") == [#""nobody": write "no client""#])
        #expect(Wording.objections(to: "kept for\n/// ever") == [#""for ever": write "permanently""#])
    }

    @Test(arguments: ["recommend, calendar, blend", "forever", "a newer one", "commander"])
    func `a part of another word is not found`(text: String) {
        #expect(Wording.objections(to: text).isEmpty)
    }
}

/// The words to avoid.
private enum Wording {
    /// What to write in place of each, in lower case.
    private static let plain = [
        "mend": "fix", "mends": "fixes", "mended": "fixed",
        "lend": "share", "lends": "shares", "lent": "shared",
        "heeded": "respected", "errand": "operation", "errands": "operations", "anew": "again",
        "for ever": "permanently", "let go of": "release", "lets go of": "releases",
        "look on": "observe", "looks on": "observes", "hear of": "receive", "hears of": "receives",
        "nobody": "no client", "somebody": "a client", "anybody": "any client",
    ]

    private static let phrases = plain.map {
        (words: $0.key.split(separator: " ").map { Array($0.utf8) }, plain: $0.value)
    }
    private static let beginnings = Set(phrases.compactMap(\.words.first))

    /// What to change, in words. What stands between two words, such as the end of a line, does not count.
    static func objections(to text: String) -> [String] {
        let words = text.utf8.map { isUpperCase($0) ? $0 | 0x20 : $0 }.split { !isLetter($0) }
        return words.indices.filter { beginnings.contains(Array(words[$0])) }.flatMap { index in
            phrases.filter { words[index...].lazy.map { Array($0) }.starts(with: $0.words) }.map { phrase in
                let found = phrase.words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
                return "\"\(found)\": write \"\(phrase.plain)\""
            }
        }
    }

    private static func isUpperCase(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }

    /// Letters of other alphabets count, so that none of their bytes splits a word.
    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte >= 0x80
    }
}
