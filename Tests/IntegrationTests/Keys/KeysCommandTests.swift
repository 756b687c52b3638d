import Foundation
import Testing

/// `nfcctl keys`, as a program: what it does to the file, how it exits, and that no key is printed.
@Suite(.timeLimit(.minutes(20))) struct `The command keys` {
    static let value = "8C1F5E02B7A94D36F0E1D2C3B4A59687"
    static let other = "246813579BDFACE00FEEDC0FFEE5EED1"

    private let scratch: Scratch
    private let path: String

    init() throws {
        scratch = try Scratch()
        path = "\(scratch.path)/keys.toml"
    }

    private func keys(_ arguments: String...) async throws -> Finished {
        try await run([Programs.nfcctl, "keys"] + arguments + ["--keys", path])
    }

    /// A file that only its owner can read.
    private func write(_ text: String) throws { chmod(try scratch.file("keys.toml", text), 0o600) }

    private func text() throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    /// Every value in the file, in the order of its keys.
    private func values() throws -> [String] {
        try text().matches(of: /value = "([0-9A-F]{32})"/).map { String($0.1) }
    }

    private func expectNoKey(_ finished: Finished) throws {
        let printed = (finished.output + finished.errors).joined(separator: "\n").uppercased()
        for value in ((try? values()) ?? []) + [Self.value, Self.other] {
            #expect(!printed.contains(value.prefix(8)), "\(printed)")
        }
    }

    @Test func `generates a file that only its owner can read, and keys that differ`() async throws {
        let first = try await keys("generate", "door")
        #expect(first.status == 0 && first.errors == [])
        #expect(first.output.first?.hasPrefix("Key door version 1 was added to \(path)") == true, "\(first.output)")
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        #expect(try await keys("generate", "meta").status == 0)
        let made = try values()
        #expect(made.count == 2 && made[0] != made[1])
        let again = try await keys("generate", "door")
        #expect(again.status == 78 && again.errors.first?.contains("there is a key door already") == true)
        #expect(try values() == made)
        for finished in [first, again] { try expectNoKey(finished) }
    }

    @Test func `rotates a key, prepared or at once, and the versions before stay`() async throws {
        try write("# of the site\n[[key]]\nname = \"door\"\nvalue = \"\(Self.value)\"\n")
        let prepared = try await keys("rotate", "door", "--prepare")
        #expect(prepared.status == 0 && prepared.output.first?.contains("version 2 is prepared") == true)
        #expect(try await keys("rotate", "door", "--prepare").status == 78)
        let rotated = try await keys("rotate", "door")
        #expect(rotated.output.first?.contains("version 2 is used from now on") == true, "\(rotated)")
        #expect(try await keys("rotate", "door").output.first?.contains("version 3 is used") == true)
        let listed = try await keys("list", "--json")
        #expect(
            listed.output.map { $0.contains("\"current\"") ? "current" : $0.contains("\"previous\"") ? "previous" : $0 }
                == ["previous", "previous", "current"])
        #expect(try text().hasPrefix("# of the site\n"))
        #expect(try values().first == Self.value)
        for finished in [prepared, rotated, listed] { try expectNoKey(finished) }
        let unknown = try await keys("rotate", "gate")
        #expect(unknown.status == 78 && unknown.errors.first?.contains("no key gate") == true)
    }

    @Test func `lists keys and profiles by name, one JSON object a line`() async throws {
        try write(
            """
            [[key]]
            name = "door"
            version = 7
            value = "\(Self.value)"
            [[profile]]
            name = "front"
            tag = "desfire"
            application = "F51CD6"
            tag-key = "door"
            """)
        let words = try await keys("list")
        #expect(
            words.output == [
                "key      door  version 7  current  from the file", "profile  front  desfire  mutual  keys: tag door",
            ], "\(words.output)")
        let lines = try await keys("list", "--json")
        let objects = try lines.output.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
        #expect(objects.first??["key"] as? String == "door" && objects.first??["version"] as? Int == 7)
        #expect(objects.first??["published"] as? Bool == false)
        #expect(objects.last??["profile"] as? String == "front" && objects.last??["tag"] as? String == "desfire")
        let checked = try await keys("check")
        #expect(checked.status == 0 && checked.output.first?.hasPrefix("\(path): ") == true, "\(checked)")
        for finished in [words, lines, checked] { try expectNoKey(finished) }
    }

    @Test func `credentials of the unit and tokens are named where they are not read`() async throws {
        let credential = "[[key]]\nname = \"door\"\ncredential = \"door\"\n"
        try write(credential)
        let checked = try await keys("check")
        #expect(checked.status == 0 && checked.errors == [], "\(checked)")
        #expect(
            checked.output.first
                == "key door version 1 was not checked: credential door is passed by the unit, only to its own program")
        try write(
            credential + """
                [[key]]
                name = "gate"
                pkcs11 = "pkcs11:token=site;object=gate-master"
                [pkcs11]
                module = "/usr/lib/none.so"
                """)
        let listed = try await keys("list")
        #expect(
            listed.output == [
                "key      door  version 1  current  from credential door",
                "key      gate  version 1  current  from token site, object gate-master",
            ], "\(listed)")
        #expect(try await keys("list", "--json").output.allSatisfy { !$0.contains("published") })
        let opened = try await keys("check")
        #expect(opened.status == 78, "\(opened)")
        #expect(opened.errors.first?.contains("the module /usr/lib/none.so cannot be loaded") == true, "\(opened)")
        let rotated = try await keys("rotate", "gate")
        #expect(rotated.status == 78 && rotated.errors.first?.contains("pkcs11-tool") == true, "\(rotated)")
        #expect(try await keys("generate", "other").status == 0)
    }

    @Test(arguments: [0o640, 0o604, 0o660, 0o644])
    func `refuses a file that others can read or write`(mode: mode_t) async throws {
        try write("[[key]]\nname = \"door\"\nvalue = \"\(Self.value)\"\n")
        chmod(path, mode)
        for command in [["list"], ["check"], ["generate", "gate"], ["rotate", "door"]] {
            let finished = try await run([Programs.nfcctl, "keys"] + command + ["--keys", path])
            #expect(finished.status == 78 && finished.output == [], "\(command): \(finished)")
            #expect(finished.errors.first?.contains("run chmod 600 \(path)") == true, "\(finished.errors)")
            try expectNoKey(finished)
        }
        #expect(try values() == [Self.value])
    }

    private static let faults: [(String, String)] = [
        ("[[key]]\nname = \"a\"\nvalue = \"\(value)00\"\n", ":3: key[0].value: expected 32 hexadecimal digits"),
        (
            "[[key]]\nname = \"a\"\nvalue = \"\(value.dropLast())\"\n",
            ":3: key[0].value: expected 32 hexadecimal digits"
        ),
        ("[[key]]\nname = \"a\"\nvalue = \"\(value)\"\nvalue = \"\(other)\"\n", ":4"),
        ("[[key]]\nname = \"a\"\nvalue = \"\(value)\"\nstaet = \"next\"\n", ":4: key[0].staet"),
        ("[[profile]]\nname = \"p\"\ntag = \"ntag424\"\ntag-key = \"\(value)\"\n", ":4: profile[0].tag-key"),
    ]

    @Test(arguments: faults)
    func `an error names the line and the key of the file, and no value`(text: String, place: String) async throws {
        try write(text)
        let finished = try await keys("check")
        #expect(finished.status == 78 && finished.output == [])
        #expect(finished.errors.first?.contains(place) == true, "\(finished.errors)")
        try expectNoKey(finished)
    }

    @Test func `a published key is found, with exit status 65`() async throws {
        try write("[[key]]\nname = \"door\"\nvalue = \"\(String(repeating: "0", count: 32))\"\n")
        let finished = try await keys("check")
        #expect(finished.status == 65)
        #expect(finished.errors.first?.contains("key door version 1 is published") == true, "\(finished.errors)")
        #expect(try await keys("list").output.first?.hasSuffix("published: it proves nothing") == true)
    }

    @Test func `a missing file has exit status 66`() async throws {
        for command in ["list", "check"] {
            let finished = try await keys(command)
            #expect(finished.status == 66 && finished.errors.first?.contains("cannot be read") == true, "\(finished)")
        }
    }

    @Test(arguments: [["keys"], ["keys", "generate"], ["keys", "rotate"], ["keys", "list"], ["secure", "check"]])
    func `help shows no key`(command: [String]) async throws {
        let finished = try await run([Programs.nfcctl] + command + ["--help"])
        #expect(finished.status == 0 && finished.output.contains { $0.hasPrefix("USAGE: ") })
        try expectNoKey(Finished(status: 0, output: finished.output, errors: []))
    }
}
