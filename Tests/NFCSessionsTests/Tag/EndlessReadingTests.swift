import NFCReaders
import NFCTags
import Synchronization
import TestSupport
import Testing

@testable import NFCSessions

/// A tag that makes its reading last, such as one that answers a byte at a time.
@Suite(.timeLimit(.minutes(20))) struct `A reading that does not end` {
    @Test(arguments: [SessionKind.ndef, .tag]) func `ends with its session`(kind: SessionKind) throws {
        var sessions = SessionRegistry()
        let id = try sessions.open(SessionRequest(kind: kind), for: RecordingClient(1), limit: 1, at: .zero)
        _ = sessions.pass({ $0.begin(.clear) }, to: id)
        let arrival = Fixtures.arrival(Fixtures.desk, 1)
        let interest = sessions.want(arrival, polling: 0, by: id, at: .zero)?.interest
        #expect(interest?.isOver == false)
        _ = sessions.pass({ $0.invalidate(Invalidation(.userCanceled)) }, to: id)
        #expect(interest?.isOver == true)
        // A reading that begins now is not wanted at all.
        let later = sessions.want(arrival, polling: 0, by: id, at: .zero)
        #expect(later?.interest.isOver == true)
    }

    @Test func `sends nothing more once its command is stopped`() async throws {
        let clock = TestClock()
        let connection = CommandConnection(FakeConnection(.url) {}, clock: Stopwatch(clock))
        try await connection.begin(within: nil)
        connection.stop(after: .seconds(60))
        clock.advance(by: .seconds(59))
        #expect(try await connection.transmit(hex("FFB0000410")).count == 18)
        connection.stop(after: .seconds(1))
        clock.advance(by: .seconds(1))
        await #expect(throws: CardChannelError.tagLost) { try await connection.transmit(hex("FFB0000410")) }
        await #expect(throws: CardChannelError.tagLost) { try await connection.reconnect() }
        // A later stop allows no more than an earlier one.
        connection.stop(after: .seconds(60))
        await #expect(throws: CardChannelError.tagLost) { try await connection.transmit(hex("FFB0000410")) }
    }

    @Test func `fails with the end of its session, not with a tag that left`() async throws {
        let clock = TestClock()
        let contact = TagContact(
            identity: Fixtures.identity, connection: FakeConnection(.url) {}, profile: .generic)
        let tag = HeldTag(contact, on: Fixtures.desk, clock: Stopwatch(clock))
        let failure = await #expect(throws: CommandFailure.self) {
            try await tag.takePlace().run { commands throws(TagError) in
                tag.stop()
                clock.advance(by: .seconds(1))
                _ = try await commands.readNDEF()
            }
        }
        guard case .failed(let error)? = failure else { return #expect(Bool(false), "the command was dropped") }
        #expect(error.code == .sessionInvalidated && error.detail.contains("its session has ended"))
    }

    @Test func `ends after 30 s in the background, and the next tap is read`() async throws {
        try await Desk.open { desk in
            let watcher = Watcher(7)
            try await desk.subscribe(watcher)
            desk.driver.tap(.long { _ in desk.clock.advance(by: .seconds(4.9)) })
            #expect(await watcher.receive() == ["background-1 desk failed 102"])
            await desk.driver.allClosed()
            desk.lift()
            desk.driver.tap(.url)
            #expect(await watcher.receive() == ["background-1 desk read"])
        }
    }

    @Test func `ends within an exchange when a session wants the reader`() async throws {
        try await Desk.open { desk in
            let (watcher, exchanges) = (Watcher(7), Note(0))
            try await desk.subscribe(watcher)
            desk.driver.tap(
                .long { number in
                    exchanges.change { $0 += 1 }
                    if number == 3 { _ = try? await desk.begin(SessionRequest(kind: .tag, detection: .tags)) }
                })
            #expect(await desk.client.receive(2) == ["active", "tag-1 found"])
            #expect(watcher.log == [])
            // Three of the background, and the identifier of the tag for the session.
            #expect(exchanges.value == 4)
        }
    }

    @Test func `of the applications of a card ends with its session`() async throws {
        try await Desk.open { desk in
            let exchanges = Note(0)
            let session = Note<SessionID?>(nil)
            var card = FakeCard.card(application: hex("A000000001"))
            card.onExchange = { number in
                exchanges.change { $0 += 1 }
                guard number == 5, let id = session.value else { return }
                try? await desk.coordinator.invalidate(id, errorMessage: nil, by: desk.client.id)
            }
            let names = (0..<64).map { [0xA0, 0, 0, 1, UInt8($0)] }
            let id = try await desk.begin(SessionRequest(kind: .tag, detection: .tags, selectIdentifiers: names))
            session.change { $0 = id }
            desk.driver.tap(card)
            #expect(await desk.client.receive(2) == ["active", "over 200"])
            await desk.driver.allClosed()
            #expect(exchanges.value == 5)
        }
    }

    /// The tag is released when polling is restarted, and its command runs until the session ends.
    @Test func `of a tag that its session has released ends with the session`() async throws {
        try await Desk.open { desk in
            let session = try await desk.begin(SessionRequest(kind: .tag, detection: .tags))
            let exchanges = Note(0)
            desk.driver.tap(
                .long { number in
                    exchanges.change { $0 += 1 }
                    if number == 3 { try? await desk.coordinator.restartPolling(session, by: desk.client.id) }
                    guard number == 4 else { return }
                    try? await desk.coordinator.invalidate(session, errorMessage: nil, by: desk.client.id)
                    desk.clock.advance(by: .seconds(1))
                })
            #expect(await desk.client.receive(2) == ["active", "tag-1 found"])
            try await desk.coordinator.connect(TagID(rawValue: "tag-1"), of: session, by: desk.client.id)
            let held = try await desk.coordinator.connectedTag(
                TagID(rawValue: "tag-1"), of: session, by: desk.client.id)
            await #expect(throws: CommandFailure.self) {
                try await held.takePlace().run { tag throws(TagError) in try await tag.readNDEF() }
            }
            await desk.driver.allClosed()
            #expect(exchanges.value == 4)
        }
    }
}

extension FakeCard {
    /// One that takes more than ten exchanges to read.
    fileprivate static func long(_ onExchange: @escaping @Sendable (Int) async -> Void) -> FakeCard {
        let message = hex("D50079") + [UInt8](repeating: 0x5A, count: 0x79)
        var card = FakeCard(area: [0x03, UInt8(message.count)] + message + [0xFE])
        card.onExchange = onExchange
        return card
    }
}

/// A value that a card changes while a test runs.
private final class Note<Value: Sendable>: Sendable {
    private let current: Mutex<Value>

    init(_ value: Value) { current = Mutex(value) }

    var value: Value { current.withLock { $0 } }
    func change(_ change: (inout sending Value) -> Void) { current.withLock { change(&$0) } }
}
