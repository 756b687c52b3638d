import Foundation
import NFCProtocol
import Testing

@testable import nfcctl

/// `nfcctl doctor` on this machine, whatever is the matter with it.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct `nfcctl doctor` {
    private struct Line: Decodable {
        let check: String
        let verdict: String
        let summary: String
        let detail: String
        let mend: [String]
    }

    private func lines(_ finished: Finished) throws -> [Line] {
        try finished.output.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    }

    @Test func `finds a daemon on simulated readers in good health`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let finished = try await daemon.run("doctor", "--json")
        #expect(finished.status == 0)
        let lines = try lines(finished)
        #expect(lines.last?.check == "all")
        #expect(lines.first?.summary.contains(daemon.socket) == true)
        #expect(lines.contains { $0.check == "readers" && $0.summary.contains("Simulated Reader 0") })
        let sheet = try await daemon.run("doctor")
        #expect(sheet.status == 0)
        #expect(sheet.output.first?.hasPrefix("ok ") == true)
        #expect(!sheet.output.contains { $0.contains("\u{1B}") })
        await daemon.process.end()
    }

    @Test func `says how to start a daemon that is not there, and ends with 69 or more`() async throws {
        let finished = try await run([Programs.nfcctl, "doctor", "--json", "--socket", "/nonexistent/nfcd.sock"])
        #expect([69, 78].contains(finished.status))
        let daemon = try #require(try lines(finished).first { $0.check == "daemon" })
        #expect(daemon.verdict == "problem")
        #expect(daemon.mend.first == "nfcd --socket /nonexistent/nfcd.sock")
    }

    @Test func `tells a socket that was left behind from one that is not there`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        await daemon.process.end(SIGKILL)
        let finished = try await daemon.run("doctor", "--json")
        #expect(try lines(finished).first?.summary.hasPrefix("Nobody listens") == true)
    }

    @Test func `gives a daemon that is stopped up`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        daemon.process.signal(SIGSTOP)
        defer { daemon.process.signal(SIGCONT) }
        let answer = await DaemonProbe(path: daemon.socket, hasSocket: true, limit: .milliseconds(200)).ask()
        guard case .silent = answer else { throw TestError("\(answer)") }
    }

    @Test func `learns from a session that cannot begin why there is no reader`() async throws {
        let scratch = try Scratch()
        // A libpcsclite that looks where no pcscd is.
        let daemon = try ChildProcess(
            [Programs.nfcd, "--socket", "\(scratch.path)/s"], environment: ["PCSCLITE_CSOCK_NAME": "\(scratch.path)/p"])
        #expect(await daemon.errors.next(containing: "listening on") != nil)
        let answer = await DaemonProbe(path: "\(scratch.path)/s", hasSocket: true, limit: .seconds(50)).ask()
        #expect(answer.state?.refusal?.code == 6)
        #expect(answer.state?.refusal?.detail.contains("0x8010001D") == true)
        // What readers says to the same.
        let readers = try await run([Programs.nfcctl, "readers", "--socket", "\(scratch.path)/s"])
        #expect(readers.status == 69)
        #expect(readers.errors.first?.contains("nfcctl doctor") == true)
        await daemon.end()
    }

    @Test func `runs a program for a while only, and keeps a part of what it says`() {
        let shell = "/bin/sh"
        #expect(
            CommandRunner.run([shell, "-c", "echo out; echo err >&2; exit 3"])
                == CommandResult(status: 3, output: "out\nerr\n"))
        #expect(CommandRunner.run([shell, "-c", "kill -9 $$"])?.status == 137)
        #expect(CommandRunner.run([shell, "-c", "sleep 60"], limit: .milliseconds(100)) == nil)
        #expect(CommandRunner.run([shell, "-c", "exec >&- 2>&-; sleep 60"], limit: .milliseconds(100)) == nil)
        #expect(CommandRunner.run(["/nonexistent/program"]) == nil)
        #expect(CommandRunner.run([]) == nil)
        let long = CommandRunner.run([shell, "-c", "head -c 200000 /dev/zero"])
        #expect(long?.output.utf8.count == CommandRunner.mostOutput)
    }
}
