import CoreNFCTesting
import NFCClient
import NFCProtocol
import TestSupport
import Testing

@testable import CoreNFC
@testable import corenfc_programs

/// What sessions and nfcd say to each other.
@Suite(.timeLimit(.minutes(5)))
struct DaemonTests {
    @Test func `of an nfcd that does not answer, sessions end all the same`() async throws {
        try await withoutNFC {
            let path = try #require(DaemonAddress.standIn?.socket)
            let silent = OpenSocket(try UnixSocket.bound(to: path))
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
            for _ in 0..<100 where try await Self.messages() != ["second"] {
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(try await Self.messages() == ["second"])
            session.invalidate(errorMessage: "enough")
            await log.happenings.wait(for: "over: 200")
            #expect(log.error?.errorUserInfo[NSLocalizedFailureReasonErrorKey] as? String == "enough")
        }
    }

    @Test(arguments: [0, 1]) func `whether reading is available is asked over a connection of its own`(_ count: Int)
        async throws
    {
        try await withVirtualReaders(count) { _ in
            let path = try #require(DaemonAddress.standIn?.socket)
            // A daemon on a busy machine may miss the time limit of one call.
            var found = await Self.availability(path)
            for _ in 0..<20 where found != (count > 0) { found = await Self.availability(path) }
            #expect(found == (count > 0))
        }
        #expect(await Self.availability("/nowhere/nfcd.sock") == false)
    }

    /// The answer to a call on a separate thread.
    private static func availability(_ path: String) async -> Bool {
        await withCheckedContinuation { done in
            Thread { done.resume(returning: ReadingAvailability.ask(path)) }.start()
        }
    }

    private static func messages() async throws -> [String] {
        let path = try #require(DaemonAddress.standIn?.socket)
        return try await NFCClient.withConnection(to: path) { try await $0.call(SessionsList.self, .init()) }
            .map(\.alertMessage)
    }
}
