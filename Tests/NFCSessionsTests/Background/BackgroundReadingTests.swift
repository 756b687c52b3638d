import Dispatch
import NFCReaders
import NFCTags
import TestSupport
import Testing

@testable import NFCSessions

/// The subscriptions that receive a tap, in every order of tap, session and subscription.
@Suite(.timeLimit(.minutes(20))) struct `Background reading` {
    let watcher = Watcher(7)
    let other = Watcher(8)

    @Test func `without a subscriber connects to no tag`() async throws {
        try await Desk.open { desk in
            desk.driver.tap(.url)
            await desk.settle()
            #expect(desk.driver.mostConnections == 0)
        }
    }

    @Test func `for another reader connects to no tag`() async throws {
        try await Desk.open { desk in
            var filter = BackgroundFilter()
            filter.reader = "door"
            try await desk.subscribe(watcher, filter)
            desk.driver.tap(.url)
            await desk.settle()
            #expect(desk.driver.mostConnections == 0)
        }
    }

    @Test func `reads a tap once for all subscribers, and sends it to each whose filter matches`() async throws {
        try await Desk.open { desk in
            var text = BackgroundFilter()
            text.kind = "text"
            try await desk.subscribe(watcher)
            try await desk.subscribe(other, text)
            try await desk.subscribe(other)
            desk.driver.tap(.url)
            #expect(await watcher.receive() == ["background-1 desk read"])
            #expect(await other.receive() == ["background-3 desk read"])
            await desk.driver.allClosed()
            #expect(desk.driver.connections == 1)
            #expect(watcher.log.count == 1 && other.log.count == 1)
        }
    }

    @Test(arguments: [(FakeCard.empty, 403), (.unformatted, 1), (.torn, 102), (.url.refusing(.tagLost), 100)])
    func `reports why there is no message`(card: FakeCard, code: Int) async throws {
        try await Desk.open { desk in
            try await desk.subscribe(watcher)
            desk.driver.tap(card)
            #expect(await watcher.receive() == ["background-1 desk failed \(code)"])
        }
    }

    @Test func `reports every arrival, and no tag twice that stays in the field`() async throws {
        try await Desk.open { desk in
            try await desk.subscribe(watcher)
            for _ in 0..<3 {
                desk.driver.tap(.url)
                #expect(await watcher.receive() == ["background-1 desk read"])
                for _ in 0..<3 { await desk.settle() }
                desk.lift()
            }
            await desk.settle()
            #expect(watcher.log.count == 3)
        }
    }

    @Test func `a new subscriber receives only later taps`() async throws {
        try await Desk.open { desk in
            try await desk.subscribe(watcher)
            desk.driver.tap(.url)
            #expect(await watcher.receive() == ["background-1 desk read"])
            try await desk.subscribe(other)
            await desk.settle()
            #expect(other.log == [])
            desk.lift()
            desk.driver.tap(.url)
            #expect(await other.receive() == ["background-2 desk read"])
        }
    }

    @Test func `one that subscribes while a tap is read does not receive it`() async throws {
        try await Desk.open { desk in
            let gate = desk.driver.holdConnections()
            try await desk.subscribe(watcher)
            desk.driver.tap(.url)
            await gate.reached()
            try await desk.subscribe(other)
            gate.open()
            #expect(await watcher.receive() == ["background-1 desk read"])
            #expect(other.log == [])
        }
    }

    @Test func `one that unsubscribes or disconnects while a tap is read does not receive it`() async throws {
        try await Desk.open { desk in
            let gate = desk.driver.holdConnections()
            let id = try await desk.subscribe(watcher)
            try await desk.subscribe(other)
            let third = Watcher(9)
            try await desk.subscribe(third)
            desk.driver.tap(.url)
            await gate.reached()
            try await desk.coordinator.unsubscribe(id, by: watcher.id)
            await desk.coordinator.clientDisconnected(other.id)
            gate.open()
            #expect(await third.receive() == ["background-3 desk read"])
            #expect(watcher.log == [] && other.log == [])
        }
    }

    @Test func `a tag that no subscription wants any more is not read further`() async throws {
        try await Desk.open { desk in
            let gate = desk.driver.holdConnections()
            let id = try await desk.subscribe(watcher)
            desk.driver.tap(.url)
            await gate.reached()
            try await desk.coordinator.unsubscribe(id, by: watcher.id)
            try await desk.subscribe(other)
            gate.open()
            await desk.driver.allClosed()
            #expect(desk.exchanges == 0 && watcher.log == [] && other.log == [])
        }
    }

    enum Leaving: CaseIterable, Sendable { case unsubscribe, forget, takeOver, endReadings }

    @Test(arguments: Leaving.allCases, [true, false])
    func `a reading ends with the last that wants it`(leaving: Leaving, wantsEveryTap: Bool) throws {
        var desk = BackgroundDesk(wantsEveryTap: wantsEveryTap)
        let first = try desk.subscribe(BackgroundFilter(), for: watcher)
        let second = try desk.subscribe(BackgroundFilter(), for: other)
        let arrived = desk.tagArrived(Fixtures.arrival(Fixtures.desk, 1), on: Fixtures.desk)
        let interest = try #require(arrived)
        _ = try desk.subscribe(BackgroundFilter(), for: Watcher(9))
        try desk.unsubscribe(first, by: watcher.id)
        #expect(!interest.isOver)
        switch leaving {
        case .unsubscribe: try desk.unsubscribe(second, by: other.id)
        case .forget: desk.forget(other.id)
        case .takeOver: desk.takeOver(.some([Fixtures.desk.id]))
        case .endReadings: desk.endReadings()
        }
        let leaves = leaving == .unsubscribe || leaving == .forget
        #expect(interest.isOver == !(leaves && wantsEveryTap))
    }

    @Test func `a tap that comes before the name of the subscription waits for it`() async throws {
        try await Desk.open { desk in
            let id = try await desk.coordinator.subscribe(BackgroundFilter(), for: watcher)
            try await desk.subscribe(other)
            desk.driver.tap(.url)
            #expect(await other.receive() == ["background-2 desk read"])
            #expect(watcher.log == [])
            await desk.coordinator.announce(id)
            #expect(watcher.log == ["background-1 desk read"])
        }
    }

    @Test func `while a session is active a tap belongs to it alone, even if the tag stays in the field afterwards`()
        async throws
    {
        try await Desk.open { desk in
            try await desk.subscribe(watcher)
            let session = try await desk.begin()
            desk.driver.tap(.url)
            #expect(await desk.client.receive(2) == ["active", "tag-1 \(Fixtures.url)"])
            try await desk.coordinator.invalidate(session, errorMessage: nil, by: desk.client.id)
            await desk.settle()
            await desk.driver.allClosed()
            #expect(watcher.log == [])
            desk.lift()
            desk.driver.tap(.url)
            #expect(await watcher.receive() == ["background-1 desk read"])
        }
    }

    @Test func `a tap that was reported before a session is detected again by the session`() async throws {
        try await Desk.open { desk in
            try await desk.subscribe(watcher)
            desk.driver.tap(.url)
            #expect(await watcher.receive() == ["background-1 desk read"])
            try await desk.begin()
            #expect(await desk.client.receive(2) == ["active", "tag-1 \(Fixtures.url)"])
            #expect(watcher.log.count == 1)
        }
    }

    @Test func `a session that begins takes over the tap that is being read`() async throws {
        try await Desk.open { desk in
            let gate = desk.driver.holdConnections()
            try await desk.subscribe(watcher)
            desk.driver.tap(.url)
            await gate.reached()
            let session = try await desk.begin()
            #expect(await desk.client.receive() == ["active"])
            gate.open()
            #expect(await desk.client.receive() == ["tag-1 \(Fixtures.url)"])
            await desk.driver.allClosed()
            #expect(watcher.log == [])
            #expect(desk.driver.mostConnections == 1 && desk.driver.connections == 2)

            // What the background had not sent yet was not sent any more: two readings take twice as many exchanges.
            let exchanges = desk.exchanges
            desk.clock.advance(by: DetectionPace.interval)
            try await desk.coordinator.restartPolling(session, by: desk.client.id)
            #expect(await desk.client.receive() == ["tag-2 \(Fixtures.url)"])
            #expect(exchanges > 0 && desk.exchanges == 2 * exchanges)
        }
    }

    @Test func `what a session took over is not given back by its end`() async throws {
        try await Desk.open { desk in
            let gate = desk.driver.holdConnections()
            try await desk.subscribe(watcher)
            desk.driver.tap(.url)
            await gate.reached()
            let session = try await desk.begin()
            try await desk.coordinator.invalidate(session, errorMessage: nil, by: desk.client.id)
            gate.open()
            await desk.driver.allClosed()
            await desk.settle()
            #expect(desk.client.log() == ["active", "over 200"])
            #expect(watcher.log == [])
        }
    }

    @Test func `a session on another reader takes over nothing`() async throws {
        try await Desk.open([Fixtures.desk, Fixtures.door]) { desk in
            try await desk.subscribe(watcher)
            try await desk.begin(SessionRequest(readers: ["door"]))
            desk.driver.tap(.url)
            #expect(await watcher.receive() == ["background-1 desk read"])
            #expect(desk.client.log() == ["active"])
        }
    }

    @Test func `a session that waits takes over nothing until its turn`() async throws {
        try await Desk.open([Fixtures.desk, Fixtures.door]) { desk in
            try await desk.subscribe(watcher)
            let holder = try await desk.begin(SessionRequest(readers: ["door"]))
            try await desk.begin(SessionRequest(whenBusy: .queue), by: desk.other)
            desk.driver.tap(.url)
            #expect(await watcher.receive() == ["background-1 desk read"])
            try await desk.coordinator.invalidate(holder, errorMessage: nil, by: desk.client.id)
            #expect(await desk.other.receive(2) == ["active", "tag-1 \(Fixtures.url)"])
            #expect(watcher.log.count == 1)
        }
    }

    @Test func `a reader and its tag that come at once are a waiting session's`() async throws {
        try await Desk.open([]) { desk in
            try await desk.subscribe(watcher)
            try await desk.begin(SessionRequest(waitForReader: true))
            desk.driver.present(.url)
            #expect(await desk.client.receive(2) == ["active", "tag-1 \(Fixtures.url)"])
            await desk.driver.allClosed()
            #expect(watcher.log == [])
        }
    }

    @Test func `a tag that left before it was read is reported as lost, and the next one is read`() async throws {
        try await Desk.open { desk in
            let gate = desk.driver.holdConnections()
            try await desk.subscribe(watcher)
            desk.driver.tap(.url)
            await gate.reached()
            desk.lift()
            desk.driver.tap(.url)
            desk.lift()
            desk.driver.tap(.empty)
            await desk.settle()
            // Only the first had been connected to.
            gate.open()
            #expect(
                await watcher.receive(3) == [
                    "background-1 desk read", "background-1 desk failed 100", "background-1 desk failed 403",
                ])
            #expect(desk.driver.connections == 2)
        }
    }

    @Test func `a tap on a reader that was unplugged is not reported for the next reader`() async throws {
        try await Desk.open([Fixtures.desk, Fixtures.door]) { desk in
            let gate = desk.driver.holdConnections()
            try await desk.subscribe(watcher)
            desk.driver.tap(.url)
            await gate.reached()
            desk.driver.report(.detached(Fixtures.desk.id))
            desk.driver.tap(.url, on: Fixtures.door)
            await desk.settle()
            gate.open()
            let words = await watcher.receive(2)
            #expect(words.contains("background-1 door read"))
        }
    }

    @Test func `a client may have 64 subscriptions, and a name is its own`() async throws {
        try await Desk.open { desk in
            for _ in 0..<64 { try await desk.subscribe(watcher) }
            await #expect(throws: BackgroundError.tooManySubscriptions(limit: 64)) { try await desk.subscribe(watcher) }
            let mine = try await desk.subscribe(other)
            await #expect(throws: BackgroundError.unknown(mine)) {
                try await desk.coordinator.unsubscribe(mine, by: watcher.id)
            }
            await desk.coordinator.clientDisconnected(watcher.id)
            try await desk.subscribe(watcher)
        }
    }
}

/// One tap for many subscriptions.
@Suite(.timeLimit(.minutes(20))) struct `Many background subscriptions` {
    @Test func `the coordinator serves others while a tap is prepared for its recipients`() async throws {
        try await Desk.open { desk in
            let (isPreparing, preparing) = AsyncStream<Void>.makeStream()
            let mayEnd = DispatchSemaphore(value: 0)
            let watchers = (1...20).map { Watcher($0) }
            for watcher in watchers {
                watcher.onPrepare {
                    preparing.yield()
                    mayEnd.wait()
                    mayEnd.signal()
                }
                try await desk.subscribe(watcher)
            }
            desk.driver.tap(.url)
            for await _ in isPreparing { break }
            #expect(await desk.coordinator.summaries().isEmpty)
            #expect(watchers.allSatisfy { $0.log.isEmpty })
            mayEnd.signal()
            for watcher in watchers { #expect(await watcher.receive().count == 1) }
            preparing.finish()
            var prepared = 1
            for await _ in isPreparing { prepared += 1 }
            #expect(prepared == 1, "prepared once for 20 recipients")
        }
    }

    /// The clients of a user, and how many subscriptions each of them wants.
    @Test(arguments: [(256, 1), (5, 64), (250, 16)])
    func `the clients of a user have at most 256 subscriptions together`(clients: Int, each: Int) throws {
        var desk = BackgroundDesk()
        var (made, refused) = (0, 0)
        for client in 1...clients {
            for _ in 0..<each {
                do {
                    _ = try desk.subscribe(BackgroundFilter(), for: Watcher(UInt64(client), account: 54_002))
                    made += 1
                } catch {
                    refused += 1
                    #expect(error == .tooManySubscriptionsOfUser(54_002, limit: 256))
                }
            }
        }
        #expect(made == 256 && refused == clients * each - 256)
        let other = Watcher(10_000, account: 54_001)
        _ = try desk.subscribe(BackgroundFilter(), for: other)
        desk.forget(ClientID(rawValue: 1))
        _ = try desk.subscribe(BackgroundFilter(), for: Watcher(1, account: 54_002))
    }
}
