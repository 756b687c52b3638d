import CoreNFCTesting
import Testing

@testable import corenfc_programs

/// What holds for every session, from its beginning to its one end.
@Suite(.timeLimit(.minutes(20)))
struct SessionRuleTests {
    private func session(_ log: SessionLog, queue: DispatchQueue? = nil) throws -> NFCTagReaderSession {
        try #require(NFCTagReaderSession(pollingOption: [.iso14443, .iso15693], delegate: log, queue: queue))
    }

    /// Returns when nfcd has carried out the earlier calls of this process: those of all sessions have one order.
    private func settle() async throws {
        let log = SessionLog()
        let last = try session(log)
        last.begin()
        last.invalidate()
        while await !log.happenings.next().hasPrefix("over: ") {}
    }

    @Test func `a session without anything to poll for is not made`() {
        #expect(NFCTagReaderSession(pollingOption: [], delegate: SessionLog()) == nil)
    }

    @Test func `a session begins once and ends once`() async throws {
        try await withVirtualReaders { _ in
            let log = SessionLog()
            let session = try session(log)
            #expect(!session.isReady)
            session.begin()
            session.begin()
            await log.happenings.wait(for: "active")
            #expect(session.isReady)
            session.begin()
            session.invalidate()
            session.invalidate(errorMessage: "again")
            await log.happenings.wait(for: "over: 200")
            session.begin()
            session.restartPolling()
            try await settle()
            #expect(log.happenings.all == ["active", "over: 200"])
            #expect(!session.isReady)
        }
    }

    @Test func `a session that is ended before it begins never does`() async throws {
        try await withVirtualReaders { _ in
            let log = SessionLog()
            let session = try session(log)
            session.invalidate()
            session.begin()
            await log.happenings.wait(for: "over: 200")
            try await settle()
            #expect(log.happenings.all == ["over: 200"])
        }
    }

    @Test func `a session that is ended while it begins ends once`() async throws {
        try await withVirtualReaders { _ in
            for _ in 0..<20 {
                let log = SessionLog()
                let session = try session(log)
                session.begin()
                session.invalidate()
                await log.happenings.wait(for: "over: 200")
                #expect(log.happenings.all.last == "over: 200" && log.happenings.all.count <= 2)
            }
        }
    }

    @Test func `while a session is active another one ends with 203`() async throws {
        try await withVirtualReaders { _ in
            let (first, second) = (SessionLog(), SessionLog())
            let active = try session(first)
            active.begin()
            await first.happenings.wait(for: "active")
            let busy = try session(second)
            busy.begin()
            #expect(await second.happenings.next() == "over: 203")
            active.invalidate()
            await first.happenings.wait(for: "over: 200")
        }
    }

    @Test func `a session that begins as another one ends needs no pause`() async throws {
        try await withVirtualReaders { _ in
            let chain = SessionChain(count: 20)
            chain.begin()
            #expect(await chain.happenings.next() == "20 sessions")
        }
    }

    @Test func `where nfcd goes, sessions end with 202, and commands fail with 103`() async throws {
        let log = SessionLog()
        let session = try session(log)
        try await withVirtualTag(.type4()) { _ in
            session.begin()
            await log.happenings.wait(for: "tags: 1")
        }
        let tag = try #require(log.tags.first)
        await log.happenings.wait(for: "over: 202")
        let error = await #expect(throws: NFCReaderError.self) { try await session.connect(to: tag) }
        #expect(error?.code == .readerTransceiveErrorSessionInvalidated)
        #expect(!tag.isAvailable && session.connectedTag == nil)
    }

    @Test func `handlers of commands that an end cuts short come before it, with 103, once each`() async throws {
        try await withVirtualTag(.type4()) { _ in
            let log = SessionLog()
            let queue = DispatchQueue(label: "test", attributes: .concurrent)
            let session = try session(log, queue: queue)
            session.begin()
            await log.happenings.wait(for: "tags: 1")
            guard case .iso7816(let card)? = log.tags.first else { return }
            let apdu = TagSessionTests.select(TagSessionTests.ndefApplication)
            for number in 0..<50 {
                card.sendCommand(apdu: apdu) { (_: Data, sw1: UInt8, _: UInt8, error: (any Error)?) in
                    dispatchPrecondition(condition: .onQueue(queue))
                    let code = (error as? NFCReaderError)?.code
                    #expect(sw1 == 0x90 || code == .readerTransceiveErrorSessionInvalidated)
                    log.happenings.note("\(number)")
                }
            }
            session.invalidate()
            await log.happenings.wait(for: "over: 200")
            #expect(log.happenings.all == ["active", "tags: 1"] + (0..<50).map { "\($0)" } + ["over: 200"])
        }
    }

    @Test func `tags from before a restart are 104, tags that left 100, tags of others 104`() async throws {
        try await withVirtualReaders { readers in
            let log = SessionLog()
            let session = try session(log)
            session.begin()
            await log.happenings.wait(for: "active")
            func code(_ tag: NFCTag) async -> Int? {
                await #expect(throws: NFCReaderError.self) { try await session.connect(to: tag) }?.errorCode
            }
            try readers[0].present(.ntag213())
            await log.happenings.wait(for: "tags: 1")
            let first = try #require(log.tags.first)
            try await session.connect(to: first)
            #expect(first.isAvailable)
            session.restartPolling()
            #expect(!first.isAvailable)
            await log.happenings.wait(for: "tags: 1")
            #expect(await code(first) == 104)
            let second = try #require(log.tags.first)
            try await session.connect(to: second)
            let gone = SessionLog()
            session.onTagRemoval { _ in gone.happenings.note("gone") }
            readers[0].remove()
            #expect(await gone.happenings.next() == "gone")
            #expect(!second.isAvailable && session.connectedTag == nil)
            #expect(await code(second) == 100)
            session.invalidate()
            await log.happenings.wait(for: "over: 200")
            #expect(await code(second) == 103)
        }
    }

    @Test func `after a detection there is no other until polling is restarted`() async throws {
        try await withVirtualReaders(2) { readers in
            let log = SessionLog()
            let session = try session(log)
            session.begin()
            try readers[0].present(.ntag213())
            await log.happenings.wait(for: "tags: 1")
            try readers[1].present(.slix())
            try await settle()
            session.restartPolling()
            await log.happenings.wait(for: "tags: 2")
            #expect(log.happenings.all == ["active", "tags: 1", "tags: 2"])
            session.invalidate()
        }
    }

    @Test func `a tag that comes just as polling is restarted can be used`() async throws {
        try await withVirtualReaders { readers in
            let log = SessionLog()
            let session = try session(log)
            session.begin()
            await log.happenings.wait(for: "active")
            for _ in 0..<8 {
                session.restartPolling()
                try readers[0].present(.ntag213(uri: "https://a.b"))
                await log.happenings.wait(for: "tags: 1")
                guard case .miFare(let tag)? = log.tags.first, let found = log.tags.first else { return }
                try await session.connect(to: found)
                #expect(try await tag.readNDEF().records.count == 1)
                readers[0].remove()
            }
            #expect(log.happenings.all == ["active"] + Array(repeating: "tags: 1", count: 8))
            session.invalidate()
            await log.happenings.wait(for: "over: 200")
        }
    }

    @Test func `a restart by another configuration holds once`() async throws {
        try await withVirtualReaders(2) { readers in
            let log = SessionLog()
            try readers[0].present(.ntag213())
            try readers[1].present(.slix())
            let session = try session(log)
            session.begin()
            await log.happenings.wait(for: "tags: 2")
            session.restartPolling(configuration: .init(pollingOption: .iso15693))
            await log.happenings.wait(for: "tags: 1")
            session.restartPolling()
            await log.happenings.wait(for: "tags: 2")
            session.invalidate()
        }
    }

    @Test func `a session ends when its time is over`() async throws {
        try await withVirtualReaders { _ in
            let log = SessionLog()
            let session = try session(log)
            session.timeLimit = 0.2
            session.begin()
            await log.happenings.wait(for: "over: 201")
            #expect(log.error?.localizedDescription == "Session timeout")
        }
    }

    @Test func `a session whose delegate is gone ends by itself, and is released`() async throws {
        try await withVirtualReaders { readers in
            weak var session: NFCTagReaderSession?
            var delegate: SessionLog? = SessionLog()
            try autoreleased {
                let mine = try self.session(try #require(delegate))
                mine.begin()
                session = mine
            }
            await delegate?.happenings.wait(for: "active")
            delegate = nil
            try readers[0].present(.ntag213())
            let next = SessionLog()
            let follower = try self.session(next)
            follower.waitsForTurn = true
            follower.begin()
            await next.happenings.wait(for: "tags: 1")
            try await wait { session == nil }
            #expect(session == nil)
            follower.invalidate()
        }
    }

    @Test func `a session that never begins is released with its last reference`() throws {
        weak var session: NFCTagReaderSession?
        let log = SessionLog()
        try autoreleased { session = try self.session(log) }
        #expect(session == nil)
    }

    @Test func `sessions use the readers they name, or wait for one`() async throws {
        try await withVirtualReaders(2) { readers in
            let log = SessionLog()
            let session = try session(log)
            session.readers = [readers[1].name]
            session.begin()
            await log.happenings.wait(for: "active")
            try readers[0].present(.slix())
            try readers[1].present(.ntag213())
            await log.happenings.wait(for: "tags: 1")
            if case .miFare? = log.tags.first {} else { Issue.record("the wrong reader") }
            session.invalidate()
            #expect(try await NFCReaderSession.availableReaders().map(\.identifier) == readers.map(\.name))
        }
        try await withVirtualReaders(0) { _ in
            let log = SessionLog()
            let waiting = try session(log)
            waiting.waitsForReader = true
            waiting.begin()
            try await settle()
            #expect(log.happenings.all.isEmpty)
            waiting.invalidate()
            await log.happenings.wait(for: "over: 200")
        }
    }

    @Test func `sessions for passes and payments end with 1 as they begin`() async throws {
        try await withVirtualReaders { _ in
            let (passes, payments) = (SessionLog(), SessionLog())
            NFCVASReaderSession(vasCommandConfigurations: [], delegate: passes, queue: nil).begin()
            NFCPaymentTagReaderSession(delegate: payments, queue: nil).begin()
            #expect(await passes.happenings.next() == "over: 1")
            #expect(await payments.happenings.next() == "over: 1")
        }
    }

    @Test func `reading is available if there is a reader`() async throws {
        try await withVirtualReaders { _ in
            #expect(NFCTagReaderSession.readingAvailable)
            // What a session needs that ends with 1 in any case is not available.
            #expect(!NFCVASReaderSession.readingAvailable)
            #expect(!NFCPaymentTagReaderSession.readingAvailable)
            #expect(!__NFCISO15693ReaderSession.readingAvailable)
        }
    }

    private func autoreleased(_ body: () throws -> Void) rethrows { try body() }
}

/// Sessions each of which begins as the one before ends.
private final class SessionChain: NSObject, NFCNDEFReaderSessionDelegate, @unchecked Sendable {
    let happenings = Happenings()
    private var left: Int
    private let count: Int

    init(count: Int) {
        (self.count, left) = (count, count)
    }

    func begin() {
        NFCNDEFReaderSession(delegate: self, queue: nil, invalidateAfterFirstRead: false).begin()
    }

    func readerSessionDidBecomeActive(_ session: NFCNDEFReaderSession) { session.invalidate() }
    func readerSession(_ session: NFCNDEFReaderSession, didDetectNDEFs messages: [NFCNDEFMessage]) {}

    func readerSession(_ session: NFCNDEFReaderSession, didInvalidateWithError error: any Error) {
        guard (error as? NFCReaderError)?.code == .readerSessionInvalidationErrorUserCanceled else {
            return happenings.note("\(error)")
        }
        left -= 1
        if left == 0 { happenings.note("\(count) sessions") } else { begin() }
    }
}
