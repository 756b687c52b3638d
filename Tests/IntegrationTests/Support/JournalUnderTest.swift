import Foundation

/// A running nfcd with a journal, which can be killed and started again.
final class JournalUnderTest {
    let scratch: Scratch
    let socket: String
    private(set) var process: ChildProcess
    private let command: [String]
    private var taps = 0

    /// Starts nfcd with simulated readers.
    ///
    /// - Parameter settings: more lines of nfcd.toml.
    init(simulatedReaders: Int, settings: String = "") async throws {
        scratch = try Scratch()
        socket = "\(scratch.path)/nfcd.sock"
        let file = try scratch.file(
            "nfcd.toml",
            // Virtual tags of one model have the same UID: without a rest time, each is a new tap, however fast it follows.
            "[journal]\nenabled = true\ndebounce = 0\npath = \"\(scratch.path)/taps.db\"\n\(settings)")
        command = [
            Programs.nfcd, "--socket", socket, "--config", file, "--simulator", "\(simulatedReaders)", "--log-level",
            "debug",
        ]
        process = try await Self.started(command)
    }

    private static func started(_ command: [String]) async throws -> ChildProcess {
        let process = try ChildProcess(command)
        guard await process.errors.next(containing: "listening on") != nil else {
            throw TestError("nfcd does not start: \(process.errors.all)")
        }
        return process
    }

    /// Kills nfcd, and starts it again with the same journal.
    func restart() async throws {
        await process.end(SIGKILL)
        process = try await Self.started(command)
    }

    /// Ends nfcd.
    func end() async { await process.end() }

    /// Starts `nfcctl taps`.
    func start(_ arguments: [String]) throws -> ChildProcess {
        try ChildProcess([Programs.nfcctl, "taps"] + arguments, environment: ["NFCD_SOCKET": socket])
    }

    /// Runs `nfcctl taps`.
    func taps(_ arguments: [String]) async throws -> Finished {
        try await run([Programs.nfcctl, "taps"] + arguments, environment: ["NFCD_SOCKET": socket])
    }

    /// Presents a virtual tag until the journal has its tap, and removes it again.
    func tapOnce(_ arguments: String...) async throws {
        let tag = try ChildProcess(
            [Programs.nfcctl, "virtual-tag", "ntag213"] + arguments, environment: ["NFCD_SOCKET": socket])
        let stored = try await taps(["follow", "--after", "\(taps)", "--count", "1"])
        guard stored.status == 0 else { throw TestError("no tap was stored: \(stored.errors) \(tag.errors.all)") }
        taps += 1
        await tag.end(SIGINT)
        guard await process.errors.next(containing: "tagLeft") != nil else { throw TestError("the tag did not leave") }
    }
}
