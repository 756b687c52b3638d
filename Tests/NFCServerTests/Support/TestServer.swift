import Glibc
import NFCReaders
import NFCServer
import NFCSessions
import NFCSocketServer
import NFCTags
import TapJournal
import TestSupport
import Threading
import VirtualTags

/// A server with simulated readers on its own socket, for one test.
struct TestServer: Sendable {
    let directory: TemporaryDirectory
    let path: String
    /// The clock of sessions.
    let clock: TestClock
    /// The clock of readers. It never advances by itself, so that no deadline is missed on a busy machine.
    let readerClock: TestClock
    /// The readers, for tags that no client presents.
    let simulated: SimulatedDriver

    /// A client that is connected.
    func client(reads: Bool = true) throws -> RawClient {
        try RawClient(path: path, reads: reads)
    }
}

/// Runs a server, and a test once the server listens and has its readers.
///
/// - Parameters:
///   - journal: where taps are recorded; nil: nowhere.
///   - prover: asks tags to prove themselves; nil: without profiles.
///   - personaliser: sets up tags; nil: without profiles.
///   - recorder: records what happens on the readers; nil: nothing is recorded.
///   - progressClock: the clock that limits how often progress is reported; by default it never advances.
///   - logger: the log of the server.
///   - stop: ends the server, but not its readers.
func withServer(
    readers: Int = 2, model: VirtualReaderModel? = nil, simulator: Bool = true, limits: ServerLimits = .init(),
    access: AccessPolicy = .ofTests, journal: (any TapStore)? = nil, prover: (any TagProver)? = nil,
    personaliser: (any TagPersonaliser)? = nil, recorder: ReaderRecorder? = nil,
    progressClock: any Clock<Duration> = TestClock(),
    logger: EventLog = .silent, until stop: StopSignal = StopSignal(), _ body: (TestServer) async throws -> Void
) async throws {
    let directory = try TemporaryDirectory()
    let readerClock = TestClock()
    let simulated = SimulatedDriver(readers: readers, model: model, clock: readerClock)
    let server = TestServer(
        directory: directory, path: directory.file("nfcd.sock"), clock: TestClock(), readerClock: readerClock,
        simulated: simulated)
    let recorded: any ReaderDriver =
        if let recorder { RecordingDriver(simulated, recorder: recorder) } else { simulated }
    let driver = ObservedDriver(recorded, readers: readers)
    let coordinator = SessionCoordinator(
        driver: driver, taps: TapSettings(journal: journal.map { JournalSettings(store: $0, clock: .ofTests) }),
        prover: prover, personaliser: personaliser,
        clock: server.clock, logger: .silent)
    let (listening, listens) = AsyncThrowingStream<Void, any Error>.makeStream()
    let service = SocketServer(
        socket: server.path, coordinator: coordinator, access: access, limits: limits,
        simulator: simulator ? simulated : nil, recorder: recorder,
        clock: progressClock, logger: logger, onListening: { listens.yield() })
    try await withThrowingTaskGroup { group in
        group.addTask { await coordinator.run() }
        group.addTask {
            do {
                try await service.run(until: stop)
                listens.finish()
            } catch {
                listens.finish(throwing: error)
            }
        }
        defer { group.cancelAll() }
        for await _ in driver.starts { break }
        for try await _ in listening { break }
        try await body(server)
    }
}

/// Runs a server that only listens.
func listen(on path: String, onListening: @escaping @Sendable () -> Void = {}) async throws {
    let coordinator = SessionCoordinator(driver: SimulatedDriver(readers: 0), logger: .silent)
    try await SocketServer(socket: path, coordinator: coordinator, logger: .silent, onListening: onListening).run()
}

/// Reports when a driver has attached its readers.
private struct ObservedDriver: ReaderDriver {
    let starts: AsyncStream<Void>
    private let start: AsyncStream<Void>.Continuation
    private let driver: any ReaderDriver
    private let last: ReaderID

    init(_ driver: any ReaderDriver, readers: Int) {
        self.driver = driver
        last = ReaderID(rawValue: "simulated-\(readers - 1)")
        (starts, start) = AsyncStream.makeStream()
    }

    func run(report: @escaping @Sendable (ReaderEvent) -> Void) async {
        await driver.run { event in
            report(event)
            if case .attached(let reader) = event, reader.id == last { start.yield() }
        }
    }

    func refresh() async { await driver.refresh() }

    func connect(to reader: ReaderID) async throws(CardChannelError) -> any CardConnection {
        try await driver.connect(to: reader)
    }

    func cache(_ profile: ReaderProfile, of reader: ReaderID) { driver.cache(profile, of: reader) }

    func escape(_ command: [UInt8], to reader: ReaderID) async { await driver.escape(command, to: reader) }

    var hungReaders: [ReaderID] { driver.hungReaders }
}

extension TapClock {
    /// The time of every tap.
    static var ofTests: TapClock {
        TapClock {
            TapTime(milliseconds: 1_700_000_000_123, sinceBoot: .seconds(9), bootID: "boot", clock: .synchronised)
        }
    }
}

extension AccessPolicy {
    /// Allows everything to the user who runs the tests.
    static var ofTests: AccessPolicy { AccessPolicy(AccessRules(superusers: [geteuid()])) }

    /// Allows only this to the user who runs the tests, each sentence in its own grant.
    static func only(_ sentences: Entitlements...) -> AccessPolicy {
        AccessPolicy(AccessRules(grants: sentences.map { Grant(to: .user(geteuid()), $0) }, superusers: []))
    }
}

/// A directory with a path that is short enough for sockets. It is removed with its last reference.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        var template = Array("\(P_tmpdir)/nfcd-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw UnixSocket.Failure(step: "mkdtemp") }
        path = template.withUnsafeBufferPointer { String(decoding: $0.dropLast().map(UInt8.init), as: UTF8.self) }
    }

    deinit {
        remove(path)
    }

    /// The path of a file in the directory.
    func file(_ name: String) -> String { "\(path)/\(name)" }

    private func remove(_ path: String) {
        if let directory = opendir(path) {
            var names: [String] = []
            while let entry = readdir(directory) {
                names.append(
                    withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
                )
            }
            closedir(directory)
            for name in names where name != "." && name != ".." { remove("\(path)/\(name)") }
        }
        _ = Glibc.remove(path)
    }
}
