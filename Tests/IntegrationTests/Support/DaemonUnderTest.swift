import Foundation

/// A running nfcd with its own socket, and nfcctl as its client.
final class DaemonUnderTest: Sendable {
    let scratch: Scratch
    let socket: String
    let process: ChildProcess
    private let wrap: @Sendable ([String]) -> [String]

    /// Starts nfcd with simulated readers, by default without a rest time: virtual tags of one model have the same UID, and each is a
    /// new tap, however fast it follows.
    ///
    /// - Parameter environment: the variables of nfcd and its clients besides those of the test.
    convenience init(
        simulatedReaders: Int, model: String? = nil, configuration: String? = nil, options: [String] = [],
        environment: [String: String] = [:]
    ) async throws {
        let scratch = try Scratch()
        let model = model.map { ["--simulator-model", $0] } ?? []
        let configuration = try configuration ?? scratch.file("nfcd.toml", "[journal]\ndebounce = 0\n")
        try await self.init(
            ["--simulator", "\(simulatedReaders)"] + model + ["--config", configuration] + options, scratch
        ) { environment.isEmpty ? $0 : ["env"] + environment.map { "\($0)=\($1)" } + $0 }
    }

    /// Starts nfcd with the readers of a recording.
    convenience init(replaying recording: String) async throws {
        try await self.init(["--replay", recording], Scratch()) { $0 }
    }

    /// Starts nfcd with a simulated reader and its defaults.
    static func withoutConfiguration() async throws -> DaemonUnderTest {
        try await DaemonUnderTest(["--simulator", "1"], Scratch()) { $0 }
    }

    /// Starts nfcd with a pcscd.
    convenience init(_ pcsc: PrivatePCSC, configuration: String? = nil) async throws {
        try await self.init(configuration.map { ["--config", $0] } ?? [], Scratch()) { pcsc.command($0) }
    }

    private init(
        _ options: [String], _ scratch: Scratch, wrap: @escaping @Sendable ([String]) -> [String]
    ) async throws {
        self.scratch = scratch
        socket = "\(scratch.path)/nfcd.sock"
        self.wrap = wrap
        process = try ChildProcess(wrap([Programs.nfcd, "--socket", socket, "--log-level", "debug"] + options))
        guard await process.errors.next(containing: "listening on") != nil else {
            throw TestError("nfcd does not start: \(process.errors.all)")
        }
    }

    /// Starts nfcctl as a client of this nfcd.
    func start(_ arguments: String...) throws -> ChildProcess {
        try start(arguments)
    }

    /// Starts nfcctl as a client of this nfcd.
    func start(_ arguments: [String]) throws -> ChildProcess {
        try ChildProcess(wrap([Programs.nfcctl] + arguments), environment: ["NFCD_SOCKET": socket])
    }

    /// Runs nfcctl as a client of this nfcd.
    func run(_ arguments: String...) async throws -> Finished {
        try await run(arguments)
    }

    /// Runs nfcctl as a client of this nfcd.
    func run(_ arguments: [String]) async throws -> Finished {
        try await IntegrationTests.run(wrap([Programs.nfcctl] + arguments), environment: ["NFCD_SOCKET": socket])
    }

    /// Starts a scan and waits until it is active.
    func startScan(_ arguments: String...) async throws -> ChildProcess {
        let scan = try ChildProcess(
            wrap([Programs.nfcctl, "scan", "--json"] + arguments), environment: ["NFCD_SOCKET": socket])
        try await wait(for: "is active")
        return scan
    }

    /// Presents a virtual tag and waits until it is present.
    func tap(_ arguments: String...) async throws -> ChildProcess {
        try await tap(arguments)
    }

    /// Presents a virtual tag and waits until it is present.
    func tap(_ arguments: [String]) async throws -> ChildProcess {
        try await present([Programs.nfcctl, "virtual-tag"] + arguments)
    }

    /// Presents a misbehaving card to the first reader of a pcscd.
    func tapStrange(_ kind: String) async throws -> ChildProcess {
        try await present([Programs.strangeCard, kind])
    }

    /// Starts a pile of tags for the first reader of a pcscd.
    func startTagPile() throws -> ChildProcess { try ChildProcess(wrap([Programs.tagPile])) }

    /// Removes a tag and waits until nfcd has detected that.
    func takeAway(_ tag: ChildProcess) async throws {
        await tag.end(SIGINT)
        try await wait(for: "tagLeft")
    }

    /// Waits for a message of nfcd.
    func wait(for text: String) async throws {
        guard await process.errors.next(containing: text) != nil else {
            throw TestError("nfcd ended before it logged \"\(text)\": \(process.errors.all)")
        }
    }

    private func present(_ command: [String]) async throws -> ChildProcess {
        let tag = try ChildProcess(wrap(command), environment: ["NFCD_SOCKET": socket])
        guard await tag.output.next() != nil else { throw TestError("no tag: \(tag.errors.all)") }
        return tag
    }
}
