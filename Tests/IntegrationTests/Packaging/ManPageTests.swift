import Foundation
import Testing

/// The man pages that are made of the programs' own help.
@Suite(.timeLimit(.minutes(2)))
struct `The man pages` {
    /// The names of the commands that a command's help lists.
    private func commands(of words: String...) async throws -> [String] {
        let help = try await run([Programs.nfcctl] + words + ["--help"]).output
        return help.drop { $0 != "SUBCOMMANDS:" }.dropFirst().compactMap { line in
            // Two spaces, the name, and more than two spaces before what it does.
            let name = line.dropFirst(2).prefix { $0 != " " }
            return line.hasPrefix("  ") && !name.isEmpty && name != "See" ? String(name) : nil
        }
    }

    @Test func `are there for every command, and render without a warning`() async throws {
        guard let staged = try await StagedPrograms() else { return }
        let names = try staged.names(in: "man")
        let topmost = try await commands()
        #expect(topmost.contains("scan"))
        for command in topmost { #expect(names.contains("nfcctl-\(command).1.gz")) }
        for command in try await commands(of: "ndef") {
            #expect(names.contains("nfcctl-ndef-\(command).1.gz"))
        }
        #expect(names.contains("nfcctl.1.gz") && names.contains("nfcd.8.gz") && names.contains("nfcd.toml.5.gz"))
        guard try await Programs.found(["man"]) else { return }
        for name in names {
            let shown = try await run(
                ["man", "--warnings", "--encoding=UTF-8", "--local-file", "\(staged.path)/man/\(name)"],
                environment: ["LC_ALL": "C.UTF-8", "MANWIDTH": "80"])
            #expect(shown.status == 0 && shown.errors.isEmpty, "\(name): \(shown.errors)")
            #expect(shown.output.contains("NAME") && shown.output.contains("SEE ALSO"), "\(name)")
        }
    }

    @Test func `explain every key of the configuration`() async throws {
        guard let staged = try await StagedPrograms(), try await Programs.found(["zcat"]) else { return }
        let page = try await run(["zcat", "\(staged.path)/man/nfcd.toml.5.gz"]).output
        let text = try String(contentsOf: Repository.file("Config/nfcd.toml"), encoding: .utf8)
        let keys = text.matches(of: #/(?m)^# ([a-z0-9-]+) = /#).map { String($0.1) }
        #expect(keys.count > 10)
        for key in keys {
            let name = key.replacing("-", with: "\\-")
            #expect(page.contains { $0.hasPrefix("\\fB\(name)\\fR = ") }, "\(key)")
        }
    }
}
