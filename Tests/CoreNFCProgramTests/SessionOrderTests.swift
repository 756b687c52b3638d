import CoreNFCTesting
import Testing

@testable import corenfc_programs

/// The calls of one process reach nfcd in their order, also those of different sessions.
@Suite(.timeLimit(.minutes(20)))
struct SessionOrderTests {
    private static func session(_ log: SessionLog) throws -> NFCTagReaderSession {
        try #require(NFCTagReaderSession(pollingOption: .iso14443, delegate: log))
    }

    @Test func `of two sessions that begin in a row, the first is active and the second ends with 203`() async throws {
        try await withVirtualReaders { _ in
            for _ in 0..<40 {
                let (first, second) = (SessionLog(), SessionLog())
                let sessions = (try Self.session(first), try Self.session(second))
                sessions.0.begin()
                sessions.1.begin()
                #expect(await second.happenings.next() == "over: 203")
                #expect(await first.happenings.next() == "active")
                sessions.0.invalidate()
                await first.happenings.wait(for: "over: 200")
            }
        }
    }

    @Test func `sessions that wait for their turn get it in the order in which they began`() async throws {
        try await withVirtualReaders { _ in
            let log = Happenings()
            let waiting = try (0..<8).map { number in
                let delegate = TurnTaker(number, log)
                let session = try #require(NFCTagReaderSession(pollingOption: .iso14443, delegate: delegate))
                session.waitsForTurn = true
                return (delegate, session)
            }
            for (_, session) in waiting { session.begin() }
            for number in 0..<8 { #expect(await log.next() == "\(number)") }
            withExtendedLifetime(waiting) {}
        }
    }

    @Test func `a session that begins right after the end of another one finds the reader free`() async throws {
        try await withVirtualReaders { _ in
            for _ in 0..<20 {
                let (first, second) = (SessionLog(), SessionLog())
                let sessions = (try Self.session(first), try Self.session(second))
                sessions.0.begin()
                await first.happenings.wait(for: "active")
                sessions.0.invalidate()
                sessions.1.begin()
                #expect(await second.happenings.next() == "active")
                sessions.1.invalidate()
                await second.happenings.wait(for: "over: 200")
            }
        }
    }

    @Test func `a session that cannot begin holds up no other`() async throws {
        try await withVirtualReaders { _ in
            let (passes, log) = (SessionLog(), SessionLog())
            let refused = NFCVASReaderSession(vasCommandConfigurations: [], delegate: passes, queue: nil)
            refused.begin()
            refused.invalidate()
            let session = try Self.session(log)
            session.begin()
            #expect(await log.happenings.next() == "active")
            #expect(await passes.happenings.next().hasPrefix("over: "))
            session.invalidate()
            await log.happenings.wait(for: "over: 200")
        }
    }
}

/// The delegate of a session that ends as soon as it is active.
private final class TurnTaker: NSObject, NFCTagReaderSessionDelegate, @unchecked Sendable {
    private let number: Int
    private let log: Happenings

    init(_ number: Int, _ log: Happenings) {
        (self.number, self.log) = (number, log)
    }

    func tagReaderSessionDidBecomeActive(_ session: NFCTagReaderSession) {
        log.note("\(number)")
        session.invalidate()
    }

    func tagReaderSession(_ session: NFCTagReaderSession, didInvalidateWithError error: any Error) {}
    func tagReaderSession(_ session: NFCTagReaderSession, didDetect tags: [NFCTag]) {}
}
