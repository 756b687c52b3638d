import Testing

/// The shells' completions; each shell that is here is asked.
@Suite(.timeLimit(.minutes(2)))
struct `The completions` {
    @Test func `complete a command in bash`() async throws {
        guard let staged = try await StagedPrograms(), try await Programs.found(["bash"]) else { return }
        let script = """
            source "$0"; COMP_WORDS=(nfcctl sc) COMP_CWORD=1 COMP_LINE='nfcctl sc' COMP_POINT=9
            "$(complete -p nfcctl | sed -E 's/.*-F ([^ ]+) .*/\\1/')" nfcctl sc nfcctl
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let said = try await run(
            ["bash", "--norc", "--noprofile", "-c", script, "\(staged.path)/completions/nfcctl.bash"])
        #expect(said.errors.isEmpty)
        #expect(said.output.map { $0.trimmingPrefix(" ") }.contains { $0.hasPrefix("scan") }, "\(said.output)")
    }

    @Test(arguments: ["nfcctl", "nfcd"])
    func `load in bash`(program: String) async throws {
        guard let staged = try await StagedPrograms(), try await Programs.found(["bash"]) else { return }
        let said = try await run(
            [
                "bash", "--norc", "--noprofile", "-c", "source \"$0\" && complete -p \(program)",
                "\(staged.path)/completions/\(program).bash",
            ])
        #expect(said.status == 0 && said.errors.isEmpty, "\(said.errors)")
    }

    @Test(arguments: ["nfcctl", "nfcd"])
    func `load in zsh`(program: String) async throws {
        guard let staged = try await StagedPrograms(), try await Programs.found(["zsh"]) else { return }
        let script = """
            cp $0/completions/\(program).zsh $1/_\(program) && fpath=($1 $fpath)
            autoload -Uz compinit && compinit -u -D && print $_comps[\(program)] && autoload -Uz +X _\(program)
            """
        let said = try await run(["zsh", "-f", "-c", script, staged.path, staged.scratch.path])
        #expect(said.status == 0 && said.errors.isEmpty, "\(said.errors)")
        #expect(said.output == ["_\(program)"])
    }

    @Test func `complete a command in fish`() async throws {
        guard let staged = try await StagedPrograms(), try await Programs.found(["fish"]) else { return }
        for (program, line, answer) in [("nfcctl", "nfcctl sc", "scan"), ("nfcd", "nfcd --sock", "--socket")] {
            let file = "\(staged.path)/completions/\(program).fish"
            let said = try await run(
                ["fish", "--no-config", "-c", "source \(file); complete -C '\(line)'"],
                environment: ["HOME": staged.scratch.path])
            #expect(said.status == 0 && said.errors.isEmpty, "\(said.errors)")
            #expect(said.output.contains { $0.hasPrefix("\(answer)\t") }, "\(program): \(said.output)")
        }
    }
}
