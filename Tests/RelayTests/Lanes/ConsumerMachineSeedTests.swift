import NFCProtocol
import Testing

@testable import nfcd_relay

/// The machine with a receiver that fails and a relay that is killed, in virtual time.
@Suite struct ConsumerMachineSeedTests {
    private func world(_ seed: UInt64, _ change: (inout LaneWorld.Plan) -> Void = { _ in }) -> LaneWorld {
        var plan = LaneWorld.Plan()
        plan.limits.start = .oldest
        change(&plan)
        var world = LaneWorld(seed: seed, plan)
        world.run()
        return world
    }

    /// Whether the first arrivals of each reader are in their order.
    private func isInOrder(_ received: [RecordedTap]) -> Bool {
        var newest: [String: Int64] = [:]
        var seen: Set<Int64> = []
        for tap in received where seen.insert(tap.sequence).inserted {
            if tap.readerSequence < newest[tap.reader] ?? 0 { return false }
            newest[tap.reader] = tap.readerSequence
        }
        return true
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `every tap arrives once and in order where nothing fails`(seed: UInt64) {
        let world = world(seed)
        #expect(world.received.count == world.taps.count)
        #expect(Set(world.received.map(\.id)) == Set(world.taps.map(\.id)))
        #expect(isInOrder(world.received))
        #expect(!world.hadTwoInFlight)
        #expect(world.announced.isEmpty)
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `outages and kills lose nothing and keep the order`(seed: UInt64) {
        let world = world(seed) {
            $0.hasOutages = true
            $0.kills = 20
            $0.readers = 3
        }
        #expect(Set(world.received.map(\.id)) == Set(world.taps.map(\.id)))
        #expect(isInOrder(world.received))
        #expect(!world.hadTwoInFlight)
        #expect(world.announced.isEmpty)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `poison is parked and everything else arrives`(seed: UInt64) {
        let world = world(seed) {
            $0.kills = 5
            $0.poisonEvery = 17
        }
        let poison = Set(world.taps.map(\.sequence).filter { $0 % 17 == 0 })
        #expect(Set(world.parked.keys) == poison)
        #expect(Set(world.received.map(\.sequence)) == Set(world.taps.map(\.sequence)).subtracting(poison))
        #expect(isInOrder(world.received))
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `a stuck reader does not delay another`(seed: UInt64) {
        var plan = LaneWorld.Plan()
        plan.limits.start = .oldest
        plan.stuckReader = "reader-0"
        var world = LaneWorld(seed: seed, plan)
        world.run(until: .seconds(100))
        for tap in world.taps where tap.reader != "reader-0" {
            let delay = (world.receivedAt[tap.sequence] ?? .seconds(1_000)) - (world.arrivedAt[tap.sequence] ?? .zero)
            #expect(delay < .seconds(1))
        }
    }

    @Test func `the state is saved at most once a second, or after 100 taps`() {
        let world = world(1)
        // 200 taps in 20 seconds.
        #expect(world.saves <= 25)
        #expect(world.saves >= 15)
    }
}
