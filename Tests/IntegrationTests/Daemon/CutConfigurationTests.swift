import Foundation
import Testing

/// Programs that start with a configuration file that was probably cut off.
@Suite(.timeLimit(.minutes(5))) struct `A configuration file that was cut off` {
    /// A program with its socket, and the words for what applies without the rest.
    struct Program: Sendable {
        let command: [String]
        let consequence: String
    }

    static let programs = [
        Program(command: [Programs.nfcd, "--simulator", "1"], consequence: "the built-in grant applies"),
        Program(command: [Programs.relay], consequence: "no tap is delivered"),
        Program(
            command: [Programs.fido, "--uhid", "/dev/null"], consequence: "security keys are used on every reader"),
    ]

    @Test(arguments: programs.indices, ["", "\n", "# The first line\n", "#"])
    func `is reported at start with the file, what applies, and what to do`(program: Int, text: String) async throws {
        let program = Self.programs[program]
        let scratch = try Scratch()
        let file = try scratch.file("program.toml", text)
        chmod(file, 0o600)
        let process = try ChildProcess(program.command + ["--config", file, "--socket", "\(scratch.path)/s"])
        let line = try #require(await process.errors.next(containing: "program.toml has no section"))
        #expect(line.contains(" warning ") && line.contains(program.consequence), "\(line)")
        #expect(line.contains("If the file was cut off, restore it"), "\(line)")
        await process.end(SIGKILL)
    }

    @Test func `of nfcd before its grants is reported too`() async throws {
        let scratch = try Scratch()
        let whole = "[log]\nlevel = \"info\"\n[session]\ntimeout = 30\n"
        let file = try scratch.file("nfcd.toml", String(whole.dropLast()))
        let daemon = try await DaemonUnderTest(simulatedReaders: 1, configuration: file)
        let line = try #require(daemon.process.errors.all.first { $0.contains("nfcd.toml has no [[grant]]") })
        #expect(line.contains(" warning ") && line.contains("its last line has no end"), "\(line)")
        await daemon.process.end()
    }
}
