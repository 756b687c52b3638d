import NFCProtocol
import Testing

@testable import nfcd_relay

/// A consumer of some readers alone, such as the one beside a printer.
@Suite struct `A consumer with its own readers` {
    private typealias Machine = ConsumerMachine

    private func machine(_ readers: Set<String>?, _ change: (inout Machine.Limits) -> Void = { _ in }) -> Machine {
        var limits = Machine.Limits()
        (limits.start, limits.lane.eligibility.readers) = (.oldest, readers)
        change(&limits)
        var machine = Machine(nil, parked: 0, limits: limits, now: .zero) { 1 }
        _ = machine.journalOpened(TapFactory.epoch, newest: 0, now: .zero)
        return machine
    }

    /// The journal has these taps of a reader, and the machine fetches them.
    private func read(_ taps: [RecordedTap], _ machine: inout Machine) -> [Machine.Action] {
        guard let last = taps.last else { return [] }
        _ = machine.journalHas([KnownTap(last)], through: last.sequence, now: .zero)
        let page = TapsList.Result(epoch: TapFactory.epoch, taps: taps, hasMore: false)
        return machine.fetched(page, reader: last.reader, now: .zero)
    }

    @Test(
        arguments: [
            (nil, [1, 2, 3]), (["left"], [1, 3]), (["Reader left"], [1, 3]), (["right"], [2]),
            (["left", "right"], [1, 2, 3]), (["LEFT"], []), (["lef"], []), (["nowhere"], []),
        ] as [(Set<String>?, [Int64])])
    func `gets the taps of those by id or name, and acknowledges and counts the others`(
        readers: Set<String>?, delivered: [Int64]
    ) {
        var machine = machine(readers)
        let left = [TapFactory.tap(1, reader: "left", 1), TapFactory.tap(3, reader: "left", 2)]
        var got = read(left, &machine).deliveries + read([TapFactory.tap(2, reader: "right", 1)], &machine).deliveries
        for reader in ["left", "right", "left"] where machine.backlog > 0 {
            got += machine.delivered(reader, .delivered(""), now: .zero).deliveries
        }
        #expect(got.sorted() == delivered)
        #expect(machine.acknowledged == 3 && machine.backlog == 0)
        #expect(machine.counts.ofOtherReaders == 3 - delivered.count && machine.counts.delivered == delivered.count)
    }

    @Test func `acknowledges the others also while it is paused, held, or waits for its receiver`() {
        for state in ["paused", "held", "waiting"] {
            var machine = machine(["left"])
            switch state {
            case "paused": _ = machine.pause(true, now: .zero)
            case "held": _ = machine.held("no", now: .zero)
            default:
                _ = read([TapFactory.tap(1, reader: "left", 1)], &machine)
                _ = machine.delivered("left", .retry("down"), now: .zero)
            }
            #expect(read([TapFactory.tap(2, reader: "right", 1)], &machine).deliveries.isEmpty)
            #expect(machine.counts.ofOtherReaders == 1 && machine.backlog == (state == "waiting" ? 1 : 0), "\(state)")
        }
    }

    @Test func `is notified of taps that are lost on its readers alone`() {
        for (reader, isAnnounced) in [("left", true), ("right", false)] {
            var machine = machine(["left"])
            _ = read([TapFactory.tap(1, reader: reader, 1)], &machine)
            if isAnnounced { _ = machine.delivered(reader, .delivered(""), now: .zero) }
            let actions = read([TapFactory.tap(5, reader: reader, 5)], &machine)
            let lost = actions.filter { if case .announce = $0 { true } else { false } }
            #expect(lost.count == (isAnnounced ? 1 : 0) && actions.deliveries.isEmpty, "\(reader)")
            #expect(machine.acknowledged == (isAnnounced ? 1 : 5))
        }
    }

    @Test func `counts a tap once, by its reader first`() {
        var machine = machine(["left"]) { $0.lane.eligibility.requiresProof = true }
        #expect(read([TapFactory.tap(1, reader: "right", 1)], &machine).deliveries.isEmpty)
        #expect(read([TapFactory.tap(2, reader: "left", 1)], &machine).deliveries.isEmpty)
        #expect(machine.counts.ofOtherReaders == 1 && machine.counts.passedOver == 1)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `gets every tap of those and none of others through outages and kills`(seed: UInt64) {
        var plan = LaneWorld.Plan()
        (plan.limits.start, plan.hasOutages, plan.kills, plan.readers) = (.oldest, true, 10, 3)
        plan.limits.lane.eligibility.readers = ["reader-1"]
        var world = LaneWorld(seed: seed, plan)
        world.run()
        let own = world.taps.filter { $0.reader == "reader-1" }.map(\.sequence)
        #expect(Set(world.received.map(\.sequence)) == Set(own) && world.backlog == 0 && world.announced.isEmpty)
    }
}

/// A receiver that can use no tap of the journal.
@Suite struct `A consumer whose receiver cannot use the journal` {
    private typealias Machine = ConsumerMachine

    private func machine() -> Machine {
        var limits = Machine.Limits()
        limits.start = .oldest
        return Machine(nil, parked: 0, limits: limits, now: .zero) { 1 }
    }

    private func alarms(_ actions: [Machine.Action]) -> [String] {
        actions.compactMap { if case .alarm(let reason) = $0 { reason } else { nil } }
    }

    @Test func `is held from the first contact on, and reports that once`() {
        var machine = machine()
        #expect(alarms(machine.journalIs(unusable: "hashed", now: .zero)) == ["hashed"])
        #expect(alarms(machine.journalIs(unusable: "hashed", now: .seconds(1))).isEmpty)
        #expect(machine.hold == "hashed" && machine.lastError?.reason == "hashed")
        #expect(alarms(machine.journalIs(unusable: "omitted", now: .seconds(2))) == ["omitted"])
    }

    @Test func `gets nothing, whatever else happens, until the journal is another`() {
        var machine = machine()
        _ = machine.journalIs(unusable: "hashed", now: .zero)
        _ = machine.journalOpened(TapFactory.epoch, newest: 0, now: .zero)
        _ = machine.journalHas([KnownTap(TapFactory.tap(1))], through: 1, now: .zero)
        let page = TapsList.Result(epoch: TapFactory.epoch, taps: [TapFactory.tap(1)], hasMore: false)
        #expect(machine.fetched(page, reader: "reader-0", now: .zero).deliveries.isEmpty)
        #expect(machine.pause(false, now: .seconds(1)).deliveries.isEmpty)
        #expect(machine.connected(now: .seconds(2)).deliveries.isEmpty)
        #expect(machine.tick(now: .seconds(1_000)).deliveries.isEmpty)
        #expect(machine.backlog == 1 && machine.acknowledged == 0)
        #expect(machine.journalIs(unusable: nil, now: .seconds(1_001)).deliveries == [1])
        #expect(machine.hold == nil)
    }

    @Test func `leaves a hold of the receiver as it is when the journal is usable`() {
        var machine = machine()
        _ = machine.held("401", now: .zero)
        _ = machine.journalIs(unusable: "hashed", now: .zero)
        _ = machine.journalIs(unusable: nil, now: .zero)
        #expect(machine.hold == "401")
    }
}
