import Testing

@testable import NFCReaders

/// Every order of what may happen to two calls and to a reader with a trouble.
@Suite struct `The health of a reader` {
    enum Event: CaseIterable {
        case missed, decided, returned, began, over
    }

    enum Decision: CaseIterable {
        case blocked, failed, timeIsOver
    }

    struct World {
        var health = ReaderHealth()
        var log: [ReaderHealth.Condition] = []
        /// What has happened to each call, and to the reader.
        var calls: [Set<Event>] = [[], []]
        var reader: Set<Event> = []
        let decisions: [Decision]

        /// Carries out an event; false where it cannot come now.
        mutating func happens(_ event: Event, _ call: Int) -> Bool {
            let number = ReaderHealth.Call(call)
            switch event {
            case .began:
                guard call == 0, reader.insert(.began).inserted else { return false }
                log += health.began(.silence)
            case .over:
                guard call == 0, reader.contains(.began), reader.insert(.over).inserted else { return false }
                log += health.troubleIsOver()
            case .missed, .returned:
                guard calls[call].insert(event).inserted else { return false }
                if event == .missed { health.missed(number) } else { log += health.returned(number) }
            case .decided:
                guard calls[call].contains(.missed), calls[call].insert(.decided).inserted else { return false }
                switch decisions[call] {
                case .blocked: log += health.blocked(number, "held")
                case .failed: log += health.failed(number, "hangs")
                case .timeIsOver: log += health.timeIsOver(number, "hangs")
                }
            }
            return true
        }

        var hasTrouble: Bool { reader == [.began] }
        var isOver: Bool { reader.count == 2 && calls.allSatisfy { $0.count == 3 } }
    }

    func explore(_ world: World) -> Int {
        var ends = world.isOver ? 1 : 0
        for event in Event.allCases {
            for call in 0...1 {
                var next = world
                guard next.happens(event, call) else { continue }
                let last = next.log.last ?? .works
                if next.health.stuck == 0 { #expect((last != .works) == next.hasTrouble) }
                if next.hasTrouble { #expect(last != .works) }
                #expect(!zip(next.log, next.log.dropFirst()).contains { $0 == .works && $1 == .works })
                ends += explore(next)
            }
        }
        return ends
    }

    @Test(arguments: Decision.allCases, [Decision.failed, .timeIsOver])
    func `ends with a reader that works, and never hides a trouble`(first: Decision, second: Decision) {
        #expect(explore(World(decisions: [first, second])) == 5040)
    }
}
