import NFCReaders
import NFCTypes
import TestSupport
import Testing

@testable import NFCSessions

/// Sessions that end as soon as another client wants their reader.
@Suite(.timeLimit(.minutes(20))) struct `Sessions that yield` {
    static let yielding = SessionRequest(kind: .tag, yields: true)

    @Test(arguments: [BusyPolicy.fail, .queue])
    func `end with 203 before another client's session becomes active`(policy: BusyPolicy) async throws {
        try await Desk.open { desk in
            try await desk.begin(Self.yielding)
            #expect(await desk.client.receive() == ["active"])
            try await desk.begin(SessionRequest(whenBusy: policy), by: desk.other)
            let end = await desk.client.end()
            #expect(end?.code == .systemIsBusy)
            #expect(end?.detail.contains(desk.other.label) == true)
            #expect(await desk.other.receive() == ["active"])
        }
    }

    @Test func `take no reader from each other`() async throws {
        try await Desk.open { desk in
            try await desk.begin(Self.yielding)
            try await desk.begin(Self.yielding, by: desk.other)
            #expect(await desk.other.end()?.code == .systemIsBusy)
            #expect(desk.client.log() == ["active"])
        }
    }

    @Test func `take no reader from an ordinary session, and none from the same client`() async throws {
        try await Desk.open { desk in
            try await desk.begin(Self.yielding)
            try await desk.begin()
            #expect(await desk.client.receive(2) == ["active", "over 203"])
        }
        try await Desk.open { desk in
            try await desk.begin()
            try await desk.begin(Self.yielding, by: desk.other)
            #expect(await desk.other.end()?.code == .systemIsBusy)
            #expect(desk.client.log() == ["active"])
        }
    }

    @Test func `keep the reader while they do not yield, and give it up when they do again`() async throws {
        try await Desk.open { desk in
            let session = try await desk.begin(Self.yielding)
            #expect(await desk.client.receive() == ["active"])
            try await desk.coordinator.setYielding(false, of: session, by: desk.client.id)
            try await desk.begin(SessionRequest(whenBusy: .queue), by: desk.other)
            #expect(desk.other.log() == [])
            try await desk.coordinator.setYielding(true, of: session, by: desk.client.id)
            #expect(await desk.client.receive() == ["over 203"])
            #expect(await desk.other.receive() == ["active"])
        }
    }

    @Test func `let an ordinary session behind them in the queue overtake`() async throws {
        try await Desk.open { desk in
            let third = RecordingClient(3)
            let first = try await desk.begin()
            try await desk.begin(SessionRequest(kind: .tag, whenBusy: .queue, yields: true), by: desk.other)
            try await desk.begin(SessionRequest(whenBusy: .queue), by: third)
            try await desk.coordinator.invalidate(first, errorMessage: nil, by: desk.client.id)
            #expect(await desk.other.receive(2) == ["active", "over 203"])
            #expect(await third.receive() == ["active"])
        }
    }

    @Test func `stay where the other session cannot become active for another reason`() async throws {
        try await Desk.open([Fixtures.desk, Fixtures.door]) { desk in
            let third = RecordingClient(3)
            try await desk.begin(SessionRequest(readers: ["door"]), by: third)
            try await desk.begin(SessionRequest(kind: .tag, readers: ["desk"], yields: true))
            try await desk.begin(by: desk.other)
            #expect(await desk.other.end()?.code == .systemIsBusy)
            #expect(desk.client.log() == ["active"])
        }
    }

    @Test func `find a security key that lies there since its background tap, which has no message`() async throws {
        let application = hex("A0000006472F0001")
        try await Desk.open { desk in
            let watcher = Watcher(7)
            try await desk.subscribe(watcher)
            desk.driver.tap(.card(application: application))
            #expect(await watcher.receive() == ["background-1 desk failed 1"])
            try await desk.begin(SessionRequest(kind: .tag, selectIdentifiers: [application], yields: true))
            #expect(await desk.client.receive(2) == ["active", "tag-1 found"])
        }
    }

    @Test func `are notified of a card without their application`() async throws {
        try await Desk.open { desk in
            desk.driver.tap(.card(application: hex("D276000124")))
            try await desk.begin(
                SessionRequest(kind: .tag, selectIdentifiers: [hex("A0000006472F0001")], yields: true))
            #expect(await desk.client.receive(2) == ["active", "desk ignored"])
        }
    }

    @Test(arguments: [true, false]) func `are notified of a tag that they do not look for`(yields: Bool) {
        var machine = SessionMachine(request: SessionRequest(kind: .tag, yields: yields))
        _ = machine.begin(.clear)
        _ = machine.tagsArrived([Fixtures.arrival(Fixtures.desk, 1)])
        let actions = machine.tagIgnored(Fixtures.arrival(Fixtures.desk, 1), polling: 0)
        #expect(actions == (yields ? [.notify(.tagIgnored(Fixtures.desk.id))] : []))
    }

    @Test func `notices are sent to those who monitor, and vanish with their client`() async throws {
        try await Desk.open { desk in
            let watcher = Watcher(7)
            let first = try await desk.coordinator.showNotice("early", by: desk.client)
            await desk.coordinator.addListener(watcher)
            _ = try await desk.coordinator.showNotice("a card, please", by: desk.other)
            await desk.coordinator.hideNotice(first, by: desk.other.id)
            await desk.coordinator.hideNotice(first, by: desk.client.id)
            await desk.coordinator.clientDisconnected(desk.other.id)
            #expect(
                await watcher.receive(4) == [
                    "notice-1 of uid 1 shown: early", "notice-2 of uid 2 shown: a card, please", "notice-1 hidden",
                    "notice-2 hidden",
                ])
            for _ in 0..<8 { _ = try await desk.coordinator.showNotice("one of eight", by: desk.client) }
            await #expect(throws: NoticeError.tooMany(limit: 8)) {
                try await desk.coordinator.showNotice("too many", by: desk.client)
            }
        }
    }
}
