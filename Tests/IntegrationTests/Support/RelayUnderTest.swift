import Foundation

/// A running nfcd-relay with the consumers of a test, beside an nfcd with a journal.
final class RelayUnderTest {
    let daemon: JournalUnderTest
    let control: String
    let process: ChildProcess

    /// Starts both.
    ///
    /// - Parameters:
    ///   - consumers: the tables of relay.toml; `FOLDER` stands for a temporary directory.
    ///   - journal: more lines of `[journal]`.
    init(consumers: String, journal: String = "") async throws {
        daemon = try await JournalUnderTest(simulatedReaders: 1, settings: journal)
        let folder = daemon.scratch.path
        control = "\(folder)/relay.sock"
        let file = try daemon.scratch.file(
            "relay.toml",
            "[relay]\ndevice = \"desk\"\n[state]\npath = \"\(folder)/relay.db\"\n"
                + consumers.replacing("FOLDER", with: folder))
        process = try ChildProcess([
            Programs.relay, "--config", file, "--socket", daemon.socket, "--control", control, "--log-level", "debug",
        ])
        let started = ContinuousClock.now
        while try await run(["status"]).status != 0 {
            guard started.duration(to: .now) < .seconds(60) else {
                throw TestError("nfcd-relay does not start: \(process.errors.all)")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Runs `nfcctl relay`.
    func run(_ arguments: [String]) async throws -> Finished {
        try await nfcctl(["relay"] + arguments)
    }

    /// Runs nfcctl as a client of both.
    func nfcctl(_ arguments: [String]) async throws -> Finished {
        try await IntegrationTests.run(
            [Programs.nfcctl] + arguments,
            environment: ["NFCD_SOCKET": daemon.socket, "NFCD_RELAY_SOCKET": control])
    }

    /// Repeats `nfcctl relay` until a line of its output contains a text.
    func wait(for text: String, in arguments: [String]) async throws {
        let started = ContinuousClock.now
        var finished = try await run(arguments)
        while !finished.output.contains(where: { $0.contains(text) }) {
            guard started.duration(to: .now) < .seconds(60) else {
                throw TestError("no \(text) in \(finished); the relay: \(process.errors.all.suffix(20))")
            }
            try await Task.sleep(for: .milliseconds(50))
            finished = try await run(arguments)
        }
    }

    /// Ends both.
    func end() async {
        await process.end()
        await daemon.end()
    }
}
