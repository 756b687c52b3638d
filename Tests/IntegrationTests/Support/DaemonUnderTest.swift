import Foundation

/// A running nfcd on a socket of its own, and nfcctl to go with it.
final class DaemonUnderTest: Sendable {
    let scratch: Scratch
    let socket: String
    let process: ChildProcess
    private let wrap: @Sendable ([String]) -> [String]

    /// On simulated readers.
    convenience init(simulatedReaders: Int, model: String? = nil, configuration: String? = nil) async throws {
        let model = model.map { ["--simulator-model", $0] } ?? []
        let configuration = configuration.map { ["--config", $0] } ?? []
        try await self.init(["--simulator", "\(simulatedReaders)"] + model + configuration) { $0 }
    }

    /// On a pcscd.
    convenience init(_ pcsc: PrivatePCSC, configuration: String? = nil) async throws {
        try await self.init(configuration.map { ["--config", $0] } ?? []) { pcsc.command($0) }
    }

    private init(_ options: [String], wrap: @escaping @Sendable ([String]) -> [String]) async throws {
        scratch = try Scratch()
        socket = "\(scratch.path)/nfcd.sock"
        self.wrap = wrap
        process = try ChildProcess(wrap([Programs.nfcd, "--socket", socket, "--log-level", "debug"] + options))
        guard await process.errors.next(containing: "listening on") != nil else {
            throw TestError("nfcd does not start: \(process.errors.all)")
        }
    }

    /// Starts an nfcctl that talks to this nfcd.
    func start(_ arguments: String...) throws -> ChildProcess {
        try ChildProcess(wrap([Programs.nfcctl] + arguments), environment: ["NFCD_SOCKET": socket])
    }

    /// Runs an nfcctl that talks to this nfcd.
    func run(_ arguments: String...) async throws -> Finished {
        try await run(arguments)
    }

    /// Runs an nfcctl that talks to this nfcd.
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

    /// Holds a virtual tag to the first reader of a pcscd, and waits until it is there.
    func tap(_ arguments: String...) async throws -> ChildProcess {
        try await tap(arguments)
    }

    /// Holds a virtual tag to the first reader of a pcscd, and waits until it is there.
    func tap(_ arguments: [String]) async throws -> ChildProcess {
        try await hold([Programs.nfcctl, "virtual-tag"] + arguments)
    }

    /// Holds a card that misbehaves to the first reader of a pcscd.
    func tapStrange(_ kind: String) async throws -> ChildProcess {
        try await hold([Programs.strangeCard, kind])
    }

    /// Takes a tag away, and waits until nfcd knows.
    func takeAway(_ tag: ChildProcess) async throws {
        await tag.end(SIGINT)
        try await wait(for: "tagLeft")
    }

    /// Waits for a message of nfcd's.
    func wait(for text: String) async throws {
        guard await process.errors.next(containing: text) != nil else {
            throw TestError("nfcd ended before it said \"\(text)\": \(process.errors.all)")
        }
    }

    private func hold(_ command: [String]) async throws -> ChildProcess {
        let tag = try ChildProcess(wrap(command), environment: ["NFCD_SOCKET": socket])
        guard await tag.output.next() != nil else { throw TestError("no tag: \(tag.errors.all)") }
        return tag
    }
}
