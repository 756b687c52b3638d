import Foundation
import Testing

/// The commands of the guide about security keys, as far as they can be checked without a card and without root.
@Suite(.timeLimit(.minutes(20)))
struct `The guide about security keys` {
    private static let pages = ["Docs/security-keys.md", "Docs/guides/security-keys.md"]

    /// Commands that need a card, a reader, a server, a volume or root: the programs that the guide may use for them.
    private static let needMore: Set<String> = [
        "apt", "cryptsetup", "data", "auth", "flatpak", "journalctl", "mkdir", "pamu2fcfg", "snap", "ssh",
        "ssh-copy-id",
        "ssh-keygen", "sudo", "systemctl", "true",
    ]
    /// Programs whose options are compared with their help, where they are installed.
    private static let helpOptions = ["fido2-token": "-h", "systemd-cryptenroll": "--help"]

    /// The lines of the blocks without a language.
    private static func lines() throws -> [String] {
        let text = try pages.map { try Document($0).blocks("").joined() }.joined()
        return text.split(separator: "\n").map(String.init)
    }

    /// The program and the words after it, without sudo.
    private static func words(_ line: String) -> [String] {
        let words = line.split(separator: " ").map(String.init)
        return words.first == "sudo" && words.dropFirst().first?.hasPrefix("-") == false
            ? Array(words.dropFirst()) : words
    }

    @Test func `is valid for a shell`() async throws {
        let script = try Self.lines().joined(separator: "\n")
        let finished = try await run(["/bin/bash", "-n"], input: script)
        #expect(finished.status == 0 && finished.errors.isEmpty, "\(finished.errors)")
    }

    @Test func `uses only programs that are checked, or that need a card or root`() throws {
        let ours: Set = ["nfcctl", "nfcd-fido"]
        let programs = try Self.lines().compactMap { Self.words($0).first }
        #expect(programs.count >= 20)
        for program in Set(programs).subtracting(Self.needMore).subtracting(ours) {
            #expect(Self.helpOptions[program] != nil, "\(program) is new in the guide")
        }
    }

    @Test(arguments: helpOptions.keys.sorted())
    func `has options that exist`(program: String) async throws {
        guard try await Programs.found([program]), let option = Self.helpOptions[program] else { return }
        let finished = try await run(["/usr/bin/env", program, option])
        let help = (finished.output + finished.errors).joined(separator: "\n")
        let calls = try Self.lines().map(Self.words).filter { $0.first == program }
        #expect(!calls.isEmpty)
        for word in calls.flatMap({ $0.dropFirst() }) where word.hasPrefix("-") {
            #expect(help.contains(word.prefix { $0 != "=" }), "\(program) \(word)")
        }
    }

    @Test func `has calls of nfcd-fido that are accepted`() async throws {
        let calls = try Self.pages.flatMap { try Document($0).calls(of: "nfcd-fido") }.filter { $0.contains(" -") }
        #expect(calls.contains("nfcd-fido --check"))
        let scratch = try Scratch()
        let file = try scratch.file("fido.toml", "[key]\nstrict = true\ndevice = \"always\"\n")
        for call in Set(calls) {
            let words = call.split(separator: " ").dropFirst().map(String.init)
            let finished = try await run([Programs.fido] + words + ["--config", file])
            #expect(finished.status == 0, "\(call): \(finished.errors)")
        }
    }

    @Test func `has a virtual card that nfcctl can present`() async throws {
        let calls = try Self.pages.flatMap { try Document($0).calls(of: "nfcctl") }.filter {
            $0.contains("virtual-tag")
        }
        let call = try #require(calls.first)
        let help = try await run([Programs.nfcctl, "virtual-tag", "--help"]).output.joined(separator: "\n")
        for word in call.split(separator: " ") where word.hasPrefix("--") {
            #expect(help.contains(word), "\(word)")
        }
    }
}
