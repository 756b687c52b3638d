import CoreNFCTesting
import NFCClient
import NFCProtocol
import TestSupport
import Testing

@testable import CoreNFC
@testable import corenfc_programs

/// Sessions whose delegate is gone.
@Suite(.timeLimit(.minutes(20)))
struct AbandonedSessionTests {
    /// Shows a screen until its session has come to a phase, dismisses it, and returns when nothing refers to it any more.
    private static func abandon(in phase: ScanScreen.Phase) async -> WeakSession {
        let happenings = Happenings()
        let (screen, session) = await shown(phase, happenings)
        // The callback that has reported the phase may still run.
        while screen.screen != nil { await Task.yield() }
        return session
    }

    private static func shown(_ phase: ScanScreen.Phase, _ happenings: Happenings) async -> (WeakScreen, WeakSession) {
        let screen = ScanScreen(phase, happenings)
        screen.show()
        await happenings.wait(for: "reached")
        return (WeakScreen(screen: screen), WeakSession(session: screen.session))
    }

    /// How many sessions nfcd has.
    private static func sessionCount() async throws -> Int {
        let daemon = try #require(DaemonAddress.standIn?.endpoint)
        return try await NFCClient.withConnection(to: daemon) { try await $0.call(SessionsList.self, .init()) }.count
    }

    private static func session(_ log: SessionLog) throws -> NFCTagReaderSession {
        try #require(NFCTagReaderSession(pollingOption: .iso14443, delegate: log))
    }

    @Test(arguments: ScanScreen.Phase.allCases.filter { $0 != .waiting })
    func `a session whose screen is dismissed leaves the reader to the next one`(_ phase: ScanScreen.Phase)
        async throws
    {
        try await withVirtualTag(.ntag213(uri: "https://a.b")) { _ in
            let abandoned = await Self.abandon(in: phase)
            let log = SessionLog()
            let next = try Self.session(log)
            next.begin()
            #expect(await log.happenings.next() == "active")
            try await wait { abandoned.session == nil }
            #expect(abandoned.session == nil)
            next.invalidate()
            await log.happenings.wait(for: "over: 200")
        }
    }

    @Test func `a session that waits for its turn gives up its place when its screen is dismissed`() async throws {
        try await withVirtualReaders { _ in
            let log = SessionLog()
            let first = try Self.session(log)
            first.begin()
            await log.happenings.wait(for: "active")
            let abandoned = await Self.abandon(in: .waiting)
            try await wait { abandoned.session == nil }
            #expect(try await Self.sessionCount() == 1)
            #expect(log.happenings.all == ["active"] && first.isReady)
            first.invalidate()
            await log.happenings.wait(for: "over: 200")
        }
    }

    @Test func `it ends also where no other session of the program begins`() async throws {
        try await withVirtualReaders { _ in
            let abandoned = await Self.abandon(in: .active)
            try await wait { try await Self.sessionCount() == 0 && abandoned.session == nil }
            #expect(try await Self.sessionCount() == 0)
            #expect(abandoned.session == nil)
        }
    }

    @Test func `a session continues without a reference to it, for as long as its delegate exists`() async throws {
        try await withVirtualReaders { readers in
            let log = SessionLog()
            try Self.session(log).begin()
            await log.happenings.wait(for: "active")
            let other = SessionLog()
            try Self.session(other).begin()
            #expect(await other.happenings.next() == "over: 203")
            try readers[0].present(.ntag213())
            await log.happenings.wait(for: "tags: 1")
            withExtendedLifetime(log) {}
        }
    }

    @Test func `a session that a program keeps ends when its delegate is gone`() async throws {
        try await withVirtualReaders { _ in
            var delegate: SessionLog? = SessionLog()
            let session = try Self.session(try #require(delegate))
            session.begin()
            await delegate?.happenings.wait(for: "active")
            delegate = nil
            try await wait { !session.isReady }
            #expect(!session.isReady)
        }
    }
}

private struct WeakScreen: Sendable {
    weak var screen: ScanScreen?
}

private struct WeakSession: Sendable {
    weak var session: NFCReaderSession?
}
