import NFCReaders
import NFCTags
import Testing

@testable import NFCSessions

/// All sequences of taps, sessions and subscriptions up to a depth, on one reader.
@Suite struct `The background's rule` {
    enum Step: CaseIterable {
        case arrive, leave, read, sessionBegins, sessionEnds, subscribe, unsubscribe
    }

    /// The desk, and beside it what has to come of each step.
    struct World {
        var desk = BackgroundDesk()
        var isHeld = false
        var subscribed: Set<SubscriptionID> = []
        var arrivals = 0
        /// The arrivals whose reading has not ended, and who was subscribed then; nil: a session took the tap over.
        var reading: [Int: Set<SubscriptionID>?] = [:]
        var isPresent = false
        /// The arrival that is in the field; nil: none.
        var inField: Int?
        /// The arrivals whose removal each subscription has to receive.
        var toRemove: [Int: Set<SubscriptionID>] = [:]
        /// What each subscription must have received by now.
        var expected: [SubscriptionID: [String]] = [:]

        /// A subscription has to receive something, while it exists.
        mutating func expect(_ word: String, for ids: Set<SubscriptionID>) {
            for id in ids where subscribed.contains(id) { expected[id, default: []].append(word) }
        }
    }

    static let depth = 6

    @Test func `holds in all sequences`() throws {
        var explored = 0
        func explore(_ path: [Step]) throws {
            explored += 1
            try Self.check(path)
            guard path.count < Self.depth else { return }
            for step in Step.allCases { try explore(path + [step]) }
        }
        try explore([])
        print("background: \(explored) sequences explored")
        #expect(
            explored
                == (0...Self.depth).reduce(0) { sum, length in
                    sum + (0..<length).reduce(1) { product, _ in product * Step.allCases.count }
                })
    }

    static func check(_ path: [Step]) throws {
        let watcher = Watcher(1)
        var world = World()
        for step in path { try take(step, &world, watcher) }
        var received: [SubscriptionID: [String]] = [:]
        for line in watcher.log {
            let words = line.split(separator: " ").map(String.init)
            guard let name = words.first, let what = words.last else { continue }
            received[SubscriptionID(rawValue: name), default: []].append(what)
        }
        if received != world.expected { Issue.record("\(path): received \(received), not \(world.expected)") }
    }

    static func take(_ step: Step, _ world: inout World, _ watcher: Watcher) throws {
        switch step {
        case .arrive: arrive(&world)
        case .leave:
            world.desk.tagLeft(Fixtures.desk.id)
            world.isPresent = false
            world.inField = nil
            for ids in world.toRemove.values { world.expect("removed", for: ids) }
            world.toRemove = [:]
        case .read: read(&world)
        case .sessionBegins:
            world.isHeld = true
            world.desk.takeOver(.all)
            for number in world.reading.keys { world.reading[number] = .some(nil) }
        case .sessionEnds: world.isHeld = false
        case .subscribe:
            let id = try world.desk.subscribe(BackgroundFilter(), removals: true, for: watcher)
            world.desk.announce(id)
            world.subscribed.insert(id)
        case .unsubscribe:
            guard let id = world.subscribed.min(by: { $0.rawValue < $1.rawValue }) else { return }
            try world.desk.unsubscribe(id, by: watcher.id)
            world.subscribed.remove(id)
        }
    }

    /// A tag comes; as in the coordinator, a reader that a session holds does not concern the background.
    static func arrive(_ world: inout World) {
        guard !world.isPresent else { return }
        world.isPresent = true
        world.arrivals += 1
        world.inField = world.arrivals
        guard !world.isHeld else { return }
        let arrival = Fixtures.arrival(Fixtures.desk, UInt64(world.arrivals))
        let isWanted = world.desk.tagArrived(arrival, on: Fixtures.desk) != nil
        if isWanted != !world.subscribed.isEmpty { Issue.record("reading was \(isWanted ? "" : "not ")wanted") }
        if isWanted { world.reading[world.arrivals] = world.subscribed }
    }

    /// The oldest reading ends, with a tap.
    static func read(_ world: inout World) {
        guard let number = world.reading.keys.min(), let listeners = world.reading.removeValue(forKey: number) else {
            return
        }
        let arrival = Fixtures.arrival(Fixtures.desk, UInt64(number))
        let tap = BackgroundTap(reader: Fixtures.desk, identity: Fixtures.identity, reading: Fixtures.read)
        let isOurs = world.desk.finish(arrival, tap)
        if isOurs != (listeners != nil) { Issue.record("the tap was \(isOurs ? "" : "not ")the background's") }
        if let listeners {
            world.expect("read", for: listeners)
            if world.inField == number {
                world.toRemove[number] = listeners
            } else {
                world.expect("removed", for: listeners)
            }
        }
        if world.desk.finish(arrival, tap) { Issue.record("a tap was finished twice") }
    }
}
