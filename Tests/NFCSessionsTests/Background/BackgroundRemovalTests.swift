import NFCReaders
import NFCTags
import Testing

@testable import NFCSessions

/// The removals that follow taps, one for each tap that was received.
@Suite(.timeLimit(.minutes(20))) struct `Removals in the background` {
    let watcher = Watcher(7)
    let other = Watcher(8)

    @Test func `a removal follows each tap, only where it was asked for`() async throws {
        try await Desk.open { desk in
            try await desk.subscribe(watcher, removals: true)
            try await desk.subscribe(other)
            for _ in 0..<2 {
                desk.driver.tap(.url)
                #expect(await watcher.receive() == ["background-1 desk read"])
                desk.lift()
                #expect(await watcher.receive() == ["background-1 desk removed"])
            }
            await desk.settle()
            #expect(watcher.log.count == 4)
            #expect(other.log == ["background-2 desk read", "background-2 desk read"])
        }
    }

    @Test(arguments: [
        ReaderEvent.tagLeft(Fixtures.desk.id), .tagMute(Fixtures.desk.id), .detached(Fixtures.desk.id),
        .failed(Fixtures.desk.id, reason: "it hangs"), .serviceStarting, .serviceUnavailable(reason: "it ended"),
    ])
    func `a tag is removed once, whatever happens to its reader`(event: ReaderEvent) async throws {
        try await Desk.open([Fixtures.desk, Fixtures.door]) { desk in
            try await desk.subscribe(watcher, removals: true)
            desk.driver.tap(.url)
            #expect(await watcher.receive() == ["background-1 desk read"])
            for event in [event, event, .tagLeft(Fixtures.desk.id), .detached(Fixtures.desk.id)] {
                desk.driver.report(event)
            }
            await desk.settle()
            #expect(watcher.log == ["background-1 desk read", "background-1 desk removed"])
        }
    }

    @Test(arguments: [
        ReaderEvent.tagLeft(Fixtures.door.id), .detached(Fixtures.door.id),
        .failed(Fixtures.door.id, reason: "it hangs"), .blocked(Fixtures.desk.id, reason: "another program"),
        .recovered(Fixtures.desk.id), .described(Fixtures.desk), .serviceAvailable,
    ])
    func `an event that leaves the tag in the field removes nothing`(event: ReaderEvent) async throws {
        try await Desk.open([Fixtures.desk, Fixtures.door]) { desk in
            try await desk.subscribe(watcher, removals: true)
            desk.driver.tap(.url)
            #expect(await watcher.receive() == ["background-1 desk read"])
            desk.driver.report(event)
            await desk.settle()
            #expect(watcher.log.count == 1)
        }
    }

    @Test(arguments: [
        ReaderEvent.tagLeft(Fixtures.desk.id), .detached(Fixtures.desk.id),
        .failed(Fixtures.desk.id, reason: "it hangs"),
    ])
    func `a tag that was lost before it was read is removed right after its tap`(event: ReaderEvent) async throws {
        try await Desk.open { desk in
            let gate = desk.driver.holdConnections()
            try await desk.subscribe(watcher, removals: true)
            desk.driver.tap(.url)
            await gate.reached()
            desk.driver.report(event)
            await desk.settle()
            #expect(watcher.log == [])
            gate.open()
            #expect(await watcher.receive(2) == ["background-1 desk read", "background-1 desk removed"])
        }
    }

    @Test func `what a session took over is not removed for a subscription`() async throws {
        try await Desk.open { desk in
            let gate = desk.driver.holdConnections()
            try await desk.subscribe(watcher, removals: true)
            desk.driver.tap(.url)
            await gate.reached()
            try await desk.begin()
            gate.open()
            #expect(await desk.client.receive(2) == ["active", "tag-1 \(Fixtures.url)"])
            desk.lift()
            #expect(await desk.client.receive() == ["tag-1 left"])
            #expect(watcher.log == [])
        }
    }

    @Test func `a tap that was received is followed by its removal during a session too`() async throws {
        try await Desk.open { desk in
            try await desk.subscribe(watcher, removals: true)
            desk.driver.tap(.url)
            #expect(await watcher.receive() == ["background-1 desk read"])
            try await desk.begin()
            #expect(await desk.client.receive(2) == ["active", "tag-1 \(Fixtures.url)"])
            desk.lift()
            #expect(await watcher.receive() == ["background-1 desk removed"])
            // The next tag is the session's alone.
            desk.driver.tap(.url)
            desk.lift()
            await desk.settle()
            #expect(watcher.log.count == 2)
        }
    }

    // As a value: one arrival, in every order.

    private static let arrival = Fixtures.arrival(Fixtures.desk, 1)
    private static let tap = BackgroundTap(
        reader: Fixtures.desk, identity: Fixtures.identity, reading: Fixtures.read)

    private enum Step { case announce, read, leave, fail, forbid, permit, unsubscribe, forget }

    @Test(arguments: [
        ([Step.announce, .read, .leave], ["read", "removed"]),
        ([.announce, .leave, .read], ["read", "removed"]),
        ([.announce, .fail, .read], ["read", "removed"]),
        ([.announce, .read, .fail, .leave], ["read", "removed"]),
        ([.announce, .leave, .read, .leave, .fail], ["read", "removed"]),
        // Before the client knows the name.
        ([.read, .leave, .announce], ["read", "removed"]),
        ([.leave, .read, .announce], ["read", "removed"]),
        ([.read, .announce, .leave], ["read", "removed"]),
        ([.read, .leave], []),
        // Rights that change.
        ([.announce, .forbid, .read, .permit, .leave], []),
        ([.announce, .forbid, .leave, .read, .permit, .leave], []),
        ([.read, .leave, .forbid, .announce, .permit], []),
        ([.read, .forbid, .announce, .permit, .leave], []),
        // The end of the subscription.
        ([.announce, .read, .unsubscribe, .leave], ["read"]),
        ([.announce, .read, .forget, .leave], ["read"]),
        ([.announce, .unsubscribe, .leave, .read], []),
        ([.read, .leave, .unsubscribe, .announce], []),
    ])
    private func `a removal belongs to a tap that was received`(steps: [Step], words: [String]) throws {
        var desk = BackgroundDesk()
        let id = try desk.subscribe(BackgroundFilter(), removals: true, for: watcher)
        _ = desk.tagArrived(Self.arrival, on: Fixtures.desk)
        for step in steps {
            switch step {
            case .announce: desk.announce(id)
            case .read: desk.finish(Self.arrival, Self.tap)
            case .leave, .fail: desk.tagLeft(Fixtures.desk.id)
            case .forbid: watcher.isPermitted = false
            case .permit: watcher.isPermitted = true
            case .unsubscribe: try desk.unsubscribe(id, by: watcher.id)
            case .forget: desk.forget(watcher.id)
            }
        }
        #expect(watcher.log == words.map { "background-1 desk \($0)" })
    }

    @Test func `a tap that a filter leaves out is not removed`() throws {
        var desk = BackgroundDesk()
        var filter = BackgroundFilter()
        filter.identifier = [0x04, 0x01]
        desk.announce(try desk.subscribe(filter, removals: true, for: watcher))
        _ = desk.tagArrived(Self.arrival, on: Fixtures.desk)
        desk.finish(Self.arrival, Self.tap)
        desk.tagLeft(Fixtures.desk.id)
        #expect(watcher.log == [])
    }

    @Test func `one that subscribes while the tag is there receives no removal`() throws {
        var desk = BackgroundDesk()
        desk.announce(try desk.subscribe(BackgroundFilter(), removals: true, for: other))
        _ = desk.tagArrived(Self.arrival, on: Fixtures.desk)
        desk.finish(Self.arrival, Self.tap)
        desk.announce(try desk.subscribe(BackgroundFilter(), removals: true, for: watcher))
        desk.tagLeft(Fixtures.desk.id)
        #expect(watcher.log == [])
        #expect(other.log == ["background-1 desk read", "background-1 desk removed"])
    }
}
