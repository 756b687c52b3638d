import CoreNFCTesting
import NFCClient
import NFCProtocol
import NFCReaders
import NFCSessions
import NFCSocketServer
import TestSupport
import Testing

@testable import CoreNFC
@testable import corenfc_programs

/// What sessions and nfcd send to each other.
@Suite(.timeLimit(.minutes(20)))
struct DaemonTests {
    @Test func `of an nfcd that does not answer, sessions end all the same`() async throws {
        try await withoutNFC {
            let folder = try Self.folder()
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let path = "\(folder)/nfcd.sock"
            let silent = OpenSocket(try UnixSocket.bound(to: path))
            DaemonAddress.standIn = .init(endpoint: SocketEndpoint(path: path), hasReader: false)
            #expect(await Self.availability(path) == false)
            let log = SessionLog()
            let session = try #require(NFCTagReaderSession(pollingOption: .iso14443, delegate: log))
            session.begin()
            session.invalidate()
            #expect(await log.happenings.next() == "over: 200")
            withExtendedLifetime(silent) {}
        }
    }

    @Test func `the alert message is what operators see`() async throws {
        try await withVirtualReaders { _ in
            let log = SessionLog()
            let session = try #require(NFCTagReaderSession(pollingOption: .iso14443, delegate: log))
            session.alertMessage = "first"
            session.begin()
            await log.happenings.wait(for: "active")
            #expect(try await Self.messages() == ["first"])
            session.alertMessage = "second"
            #expect(session.alertMessage == "second")
            try await wait { try await Self.messages() == ["second"] }
            #expect(try await Self.messages() == ["second"])
            session.invalidate(errorMessage: "enough")
            await log.happenings.wait(for: "over: 200")
            #expect(log.error?.errorUserInfo[NSLocalizedFailureReasonErrorKey] as? String == "enough")
        }
    }

    @Test(arguments: [0, 1]) func `whether reading is available is asked over its own connection`(_ count: Int)
        async throws
    {
        try await Self.withSocket(readers: count) { path in
            // A daemon on a busy machine may miss the time limit of one call.
            var found = await Self.availability(path)
            for _ in 0..<20 where found != (count > 0) { found = await Self.availability(path) }
            #expect(found == (count > 0))
        }
        #expect(await Self.availability("/nowhere/nfcd.sock") == false)
    }

    /// Runs an nfcd on a socket.
    private static func withSocket(readers: Int, _ body: (_ path: String) async throws -> Void) async throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(folder)/nfcd.sock"
        let simulated = SimulatedDriver(readers: readers)
        let coordinator = SessionCoordinator(driver: simulated, logger: .silent)
        let (listening, listens) = AsyncStream<Void>.makeStream()
        let server = SocketServer(
            socket: path, coordinator: coordinator, simulator: simulated, logger: .silent,
            onListening: { listens.yield() })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await coordinator.run() }
            group.addTask { try await server.run() }
            for await _ in listening { break }
            await simulated.refresh()
            try await body(path)
            group.cancelAll()
        }
    }

    private static func folder() throws -> String {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "nfcd-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.path
    }

    /// The answer to a call on a separate thread.
    private static func availability(_ path: String) async -> Bool {
        await withCheckedContinuation { done in
            Thread { done.resume(returning: ReadingAvailability.ask(path)) }.start()
        }
    }

    private static func messages() async throws -> [String] {
        let daemon = try #require(DaemonAddress.standIn?.endpoint)
        return try await NFCClient.withConnection(to: daemon) { try await $0.call(SessionsList.self, .init()) }
            .map(\.alertMessage)
    }
}
