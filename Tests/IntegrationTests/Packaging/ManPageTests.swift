import Foundation
import NFCProtocol
import Testing

/// The man pages, which are generated from the help of the programs.
@Suite(.timeLimit(.minutes(20)))
struct `The man pages` {
    /// The names of the subcommands in the help of a command.
    private func commands(of arguments: String...) async throws -> [String] {
        let help = try await run([Programs.nfcctl] + arguments + ["--help"]).output
        return help.drop { $0 != "SUBCOMMANDS:" }.dropFirst().compactMap { line in
            // Two spaces, the name, and at least three spaces before the description.
            let name = line.dropFirst(2).prefix { $0 != " " }
            return line.hasPrefix("  ") && !name.isEmpty && name != "See" ? String(name) : nil
        }
    }

    @Test func `exist for every command, and render without warnings`() async throws {
        guard let staged = try await StagedPrograms() else { return }
        let names = try staged.names(in: "man")
        let topmost = try await commands()
        #expect(topmost.contains("scan"))
        for command in topmost { #expect(names.contains("nfcctl-\(command).1.gz")) }
        for (parent, commands) in [
            ("ndef", try await commands(of: "ndef")), ("taps", try await commands(of: "taps")),
            ("relay", try await commands(of: "relay")), ("relay-parked", try await commands(of: "relay", "parked")),
            ("keys", try await commands(of: "keys")), ("desktop", try await commands(of: "desktop")),
        ] {
            #expect(commands.count >= 2)
            for command in commands { #expect(names.contains("nfcctl-\(parent)-\(command).1.gz")) }
        }
        for page in [
            "nfcctl.1", "nfcd.8", "nfcd.toml.5", "keys.toml.5", "nfcd-relay.8", "relay.toml.5", "nfcd-fido.8",
            "fido.toml.5",
            "nfcd-web.1", "web.toml.5", "nfcd-desktop.1", "desktop.toml.5",
        ] {
            #expect(names.contains("\(page).gz"), "\(page)")
        }
        guard try await Programs.found(["man"]) else { return }
        for name in names {
            let shown = try await run(
                ["man", "--warnings", "--encoding=UTF-8", "--local-file", "\(staged.path)/man/\(name)"],
                environment: ["LC_ALL": "C.UTF-8", "MANWIDTH": "80"])
            #expect(shown.status == 0 && shown.errors.isEmpty, "\(name): \(shown.errors)")
            #expect(shown.output.contains("NAME") && shown.output.contains("SEE ALSO"), "\(name)")
        }
    }

    @Test(arguments: [
        ("nfcd.toml", 10), ("keys.toml", 10), ("relay.toml", 10), ("fido.toml", 4), ("web.toml", 1),
        ("desktop.toml", 12),
    ])
    func `explain every key of the configuration`(name: String, least: Int) async throws {
        guard let staged = try await StagedPrograms(), try await Programs.found(["zcat"]) else { return }
        let page = try await run(["zcat", "\(staged.path)/man/\(name).5.gz"]).output
        let text = try String(contentsOf: Repository.file("Config/\(name)"), encoding: .utf8)
        let keys = text.matches(of: #/(?m)^# ([a-z0-9-]+) = /#).map { String($0.1) }
        #expect(keys.count > least)
        for key in keys {
            let name = key.replacing("-", with: "\\-")
            #expect(page.contains { $0.hasPrefix("\\fB\(name)\\fR = ") }, "\(key)")
        }
    }
}

/// The shell completions, tested with each installed shell.
@Suite(.timeLimit(.minutes(20)))
struct `The completions` {
    @Test func `complete a command in bash`() async throws {
        guard let staged = try await StagedPrograms(), try await Programs.found(["bash"]) else { return }
        let script = """
            source "$0"; COMP_WORDS=(nfcctl sc) COMP_CWORD=1 COMP_LINE='nfcctl sc' COMP_POINT=9
            "$(complete -p nfcctl | sed -E 's/.*-F ([^ ]+) .*/\\1/')" nfcctl sc nfcctl
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let finished = try await run(
            ["bash", "--norc", "--noprofile", "-c", script, "\(staged.path)/completions/nfcctl.bash"])
        #expect(finished.errors.isEmpty)
        #expect(finished.output.map { $0.trimmingPrefix(" ") }.contains { $0.hasPrefix("scan") }, "\(finished.output)")
    }

    @Test(arguments: ["nfcctl", "nfcd", "nfcd-relay", "nfcd-fido", "nfcd-web", "nfcd-desktop"])
    func `load in bash`(program: String) async throws {
        guard let staged = try await StagedPrograms(), try await Programs.found(["bash"]) else { return }
        let finished = try await run(
            [
                "bash", "--norc", "--noprofile", "-c", "source \"$0\" && complete -p \(program)",
                "\(staged.path)/completions/\(program).bash",
            ])
        #expect(finished.status == 0 && finished.errors.isEmpty, "\(finished.errors)")
    }

    @Test(arguments: ["nfcctl", "nfcd", "nfcd-relay", "nfcd-fido", "nfcd-web", "nfcd-desktop"])
    func `load in zsh`(program: String) async throws {
        guard let staged = try await StagedPrograms(), try await Programs.found(["zsh"]) else { return }
        let script = """
            cp $0/completions/\(program).zsh $1/_\(program) && fpath=($1 $fpath)
            autoload -Uz compinit && compinit -u -D && print ${_comps[\(program)]} && autoload -Uz +X _\(program)
            """
        let finished = try await run(["zsh", "-f", "-c", script, staged.path, staged.scratch.path])
        #expect(finished.status == 0 && finished.errors.isEmpty, "\(finished.errors)")
        #expect(finished.output == ["_\(program)"])
    }

    @Test func `complete a command in fish`() async throws {
        guard let staged = try await StagedPrograms(), try await Programs.found(["fish"]) else { return }
        for (program, line, answer) in [
            ("nfcctl", "nfcctl sc", "scan"), ("nfcd", "nfcd --sock", "--socket"),
            ("nfcd-relay", "nfcd-relay --cont", "--control"), ("nfcd-fido", "nfcd-fido --uh", "--uhid"),
            ("nfcd-web", "nfcd-web --sock", "--socket"), ("nfcd-desktop", "nfcd-desktop --stat", "--status"),
        ] {
            let file = "\(staged.path)/completions/\(program).fish"
            let finished = try await run(
                ["fish", "--no-config", "-c", "source \(file); complete -C '\(line)'"],
                environment: ["HOME": staged.scratch.path])
            #expect(finished.status == 0 && finished.errors.isEmpty, "\(finished.errors)")
            #expect(finished.output.contains { $0.hasPrefix("\(answer)\t") }, "\(program): \(finished.output)")
        }
    }
}

/// The version is defined in one place, and everything else agrees with it.
@Suite(.timeLimit(.minutes(20)))
struct `The version` {
    @Test func `is that of the latest entry in the changelog`() throws {
        let changelog = try String(contentsOf: Repository.file("CHANGELOG.md"), encoding: .utf8)
        let heading = try #require(changelog.split(separator: "\n").first { $0.hasPrefix("## ") })
        #expect(heading.hasPrefix("## \(NFCDVersion.release) - "))
    }

    @Test func `is printed by scripts and programs`() async throws {
        let commands = [
            [Repository.script("version")], [Programs.nfcd, "--version"], [Programs.nfcctl, "--version"],
            [Programs.relay, "--version"], [Programs.fido, "--version"], [Programs.web, "--version"],
        ]
        for command in commands {
            let finished = try await run(command)
            #expect(finished.output == [NFCDVersion.release], "\(command)")
        }
    }

    @Test func `has a date, which can be overridden`() async throws {
        let finished = try await run([Repository.script("version"), "--date"])
        #expect(try #require(finished.output.first.flatMap { Int($0) }) > 0)
        let asked = try await run(
            [Repository.script("version"), "--date"], environment: ["SOURCE_DATE_EPOCH": "1700000000"])
        #expect(asked.output == ["1700000000"])
    }
}
