import Foundation
import Testing

/// What nfcctl does on a terminal, which script(1) makes, and what in a pipe.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct `On a terminal` {
    private static let script = "/usr/bin/script"
    static let canMake = ConditionTrait.enabled(
        if: FileManager.default.isExecutableFile(atPath: script), "a terminal takes \(script)")

    /// What comes out on a terminal of 60 columns, as it is.
    private func onTerminal(
        _ daemon: DaemonUnderTest, _ command: String, environment: [String: String] = [:]
    ) async throws -> String {
        let variables = ["NFCD_SOCKET": daemon.socket, "TERM": "xterm", "COLUMNS": "60", "NO_COLOR": ""]
        let finished = try await run(
            [Self.script, "--quiet", "--return", "--command", "\(Programs.nfcctl) \(command)", "/dev/null"],
            environment: variables.merging(environment) { $1 })
        #expect(finished.status == 0, "\(finished.output)")
        return finished.output.joined(separator: "\n")
    }

    @Test(canMake) func `progress is one line that is taken away again, and in a pipe there is none`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let tag = try await daemon.tap("ntag216", "--uri", "https://example.com")
        let text = try await onTerminal(daemon, "dump")
        let progress = text.split(separator: "\n").filter { $0.contains("Reading: ") }
        #expect(progress.count == 1)
        #expect(progress.first?.contains("\r\u{1B}[KReading: ") == true)
        #expect(text.components(separatedBy: "\r\u{1B}[K").last?.contains("Reading: ") == false)
        let piped = try await daemon.run("dump")
        #expect(piped.errors.isEmpty)
        #expect(!piped.output.contains { $0.contains("Reading: ") || $0.contains("\u{1B}") })
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test(canMake) func `a terminal that can do nothing gets plain lines`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let tag = try await daemon.tap("ntag213", "--uri", "https://example.com")
        for command in ["dump", "readers", "doctor"] {
            let text = try await onTerminal(daemon, command, environment: ["TERM": "dumb"])
            #expect(!text.contains("\u{1B}"), "\(command)")
        }
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test(canMake) func `tables fit, and there are colours unless NO_COLOR forbids them`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        for command in ["readers", "virtual-tag --list"] {
            let text = try await onTerminal(daemon, command)
            #expect(text.split(whereSeparator: \.isNewline).allSatisfy { $0.count <= 60 }, "\(command)")
        }
        #expect(try await onTerminal(daemon, "virtual-tag --list").contains("…"))
        #expect(try await onTerminal(daemon, "doctor").contains("\u{1B}[32mok"))
        #expect(!(try await onTerminal(daemon, "doctor", environment: ["NO_COLOR": "1"])).contains("\u{1B}["))
        let piped = try await daemon.run("virtual-tag", "--list")
        #expect(!piped.output.contains { $0.contains("…") })
        await daemon.process.end()
    }
}
