import Foundation
import Testing

/// Config/relay.toml, which is also the man page: it has the keys that nfcd-relay knows, and no others.
@Suite(.timeLimit(.minutes(20)))
struct `The configuration file of the relay` {
    /// A key that the file explains, with its example.
    private struct Key: Hashable {
        /// The table as it is written: `[relay]`, `[[mqtt]]`.
        let table: String
        let name: String
        let value: String

        /// The file with this key and those that its table requires.
        var text: String {
            let needed = [
                "[[mqtt]]": ["name = \"x\"", "host = \"h\""], "[[webhook]]": ["name = \"x\"", "url = \"https://h/\""],
            ]
            let command = ["[[command]]": ["name = \"x\"", "run = [\"/bin/cat\"]"]]
            let others = (needed[table] ?? command[table] ?? []).filter { line in
                !line.hasPrefix("\(name) = ") && !(name == "servers" && line.hasPrefix("host"))
            }
            return ([table] + others + ["\(name) = \(value)"]).joined(separator: "\n") + "\n"
        }
    }

    private static let file = Repository.file("Config/relay.toml")

    private static func documented() throws -> [Key] {
        var table = ""
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap { line in
            let text = line.hasPrefix("# ") ? line.dropFirst(2) : line
            if text.wholeMatch(of: /\[+[a-z]+\]+/) != nil { table = String(text) }
            return text.wholeMatch(of: /([a-z-]+) = (.+)/).map {
                Key(table: table, name: String($0.1), value: String($0.2))
            }
        }
    }

    /// The keys in the code that reads them, with their tables: `ConfigurationKey("relay.site"`, `"\(table).url"`.
    private static func known() throws -> Set<String> {
        let folder = Repository.file("Sources/nfcd-relay").path
        let sources = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".swift") }
        var keys: Set<String> = []
        for path in sources {
            let text = try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8)
            keys.formUnion(text.matches(of: /ConfigurationKey\("[a-z]+\.([a-z-]+)"/).map { String($0.1) })
            keys.formUnion(text.matches(of: /"\\\(table\)\.([a-z-]+)"/).map { String($0.1) })
            for match in text.matches(of: /secrets\.secret\("([a-z]+)", in: table/) {
                keys.formUnion(["\(match.1)-file", "\(match.1)-credential"])
            }
        }
        return keys
    }

    @Test func `explains every key that the relay knows`() throws {
        let (documented, known) = (Set(try Self.documented().map(\.name)), try Self.known())
        #expect(known.count > 25)
        #expect(known.subtracting(documented).isEmpty, "not in Config/relay.toml")
        #expect(documented.subtracting(known).isEmpty, "not known to nfcd-relay")
    }

    @Test func `has examples that the relay accepts`() async throws {
        let scratch = try Scratch()
        // What an example needs beside its own key and a file of this machine.
        let reasons = [
            "cannot be read", "cannot be run", "needs tls = true", "has no certificate", "username is missing",
        ]
        for key in try Self.documented() {
            let file = try scratch.file("relay.toml", key.text)
            let finished = try await run([Programs.relay, "--check", "--config", file])
            let isAccepted =
                finished.status == 0 || finished.errors.contains { line in reasons.contains { line.contains($0) } }
            #expect(isAccepted, "\(key): \(finished.errors)")
        }
    }

    @Test func `is valid as it is installed, with no consumer`() async throws {
        let finished = try await run([Programs.relay, "--check", "--config", Self.file.path])
        #expect(finished.status == 0 && finished.output == ["\(Self.file.path): ok"], "\(finished)")
    }
}
