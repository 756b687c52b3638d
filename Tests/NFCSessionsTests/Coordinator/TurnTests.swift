import NFCReaders
import NFCTags
import TestSupport
import Testing

@testable import NFCSessions

/// How long sessions wait, and that everyone gets a turn.
@Suite(.timeLimit(.minutes(2))) struct `Waiting for one's turn` {
    static let patient = SessionRequest(whenBusy: .queue, queueTimeout: .seconds(5))

    @Test func `ends with 203 when it takes longer than the client wants, and frees the place`() async throws {
        try await Desk.open { desk in
            let first = try await desk.begin()
            let second = try await desk.begin(Self.patient, by: desk.other)
            let third = RecordingClient(3)
            try await desk.begin(SessionRequest(whenBusy: .queue), by: third)
            await desk.clock.sleeping(for: .seconds(5))
            desk.clock.advance(by: .seconds(5))
            #expect(await desk.other.end()?.code == .systemIsBusy)
            #expect(desk.other.log(second) == ["over 203"])
            try await desk.coordinator.invalidate(first, errorMessage: nil, by: desk.client.id)
            #expect(await third.hear() == ["active"])
        }
    }

    @Test func `ends with 1 when it was for a reader that does not come`() async throws {
        try await Desk.open([]) { desk in
            try await desk.begin(SessionRequest(waitForReader: true, queueTimeout: .seconds(2)))
            await desk.clock.sleeping(for: .seconds(2))
            desk.clock.advance(by: .seconds(2))
            let end = await desk.client.end()
            #expect(end?.code == .unsupportedFeature)
            #expect(end?.detail == "waited for too long; no reader is plugged in")
        }
    }

    @Test func `leaves the time of the session as it is`() async throws {
        try await Desk.open { desk in
            let first = try await desk.begin()
            try await desk.begin(Self.patient, by: desk.other)
            await desk.clock.sleeping(for: .seconds(5))
            desk.clock.advance(by: .seconds(4))
            try await desk.coordinator.invalidate(first, errorMessage: nil, by: desk.client.id)
            #expect(await desk.other.hear() == ["active"])
            await desk.clock.sleeping(for: .seconds(60))
            desk.clock.advance(by: .seconds(60))
            #expect(await desk.other.end()?.code == .sessionTimeout)
        }
    }

    @Test func `a technology that no reader of the session has ends it with 1, naming both`() async throws {
        let vicinity = ReaderDescription(
            id: ReaderID(rawValue: "gate"), name: "The gate", technologies: ["iso14443", "iso15693"])
        try await Desk.open([Fixtures.desk, vicinity]) { desk in
            try await desk.begin(SessionRequest(kind: .tag, polling: [.iso18092]))
            let end = await desk.client.end()
            #expect(end?.code == .unsupportedFeature)
            #expect(
                end?.detail
                    == "no reader of the session has iso18092; desk has iso14443; gate has iso14443, iso15693")
            try await desk.begin(SessionRequest(kind: .tag, polling: [.iso18092, .iso15693]))
            #expect(await desk.client.hear() == ["active"])
            try await desk.begin(SessionRequest(polling: [.iso15693], readers: ["desk"]), by: desk.other)
            #expect(await desk.other.end()?.code == .unsupportedFeature)
        }
    }

    @Test func `a technology that comes with a reader is waited for`() async throws {
        try await Desk.open { desk in
            try await desk.begin(SessionRequest(polling: [.iso18092], waitForReader: true))
            #expect(desk.client.log() == [])
            desk.driver.tell(
                .attached(
                    ReaderDescription(id: ReaderID(rawValue: "gate"), name: "The gate", technologies: ["iso18092"])))
            #expect(await desk.client.hear() == ["active"])
        }
    }

    // MARK: Any sequence

    /// Sessions that begin and end in any order on three readers; each is followed from outside.
    private struct Crowd {
        var waiting: [(id: SessionID, readers: Set<String>)] = []
        var active: [(id: SessionID, readers: Set<String>)] = []

        /// Moves those whose turn has come, in their order; whoever is blocked blocks those behind.
        mutating func promote() {
            var blocked: Set<String> = active.reduce(into: []) { $0.formUnion($1.readers) }
            for session in waiting {
                if blocked.isDisjoint(with: session.readers) { active.append(session) }
                blocked.formUnion(session.readers)
            }
            waiting.removeAll { one in active.contains { $0.id == one.id } }
        }
    }

    @Test(arguments: 1...40) func `nobody starves, nobody overtakes, no two meet on a reader`(seed: UInt64) async throws
    {
        let names = ["desk", "door", "gate"]
        try await Desk.open(names.map(Fixtures.reader), limits: SessionLimits(sessionsPerClient: 100)) { desk in
            var random = SplitMix(state: seed)
            var crowd = Crowd()
            var begun: [SessionID] = []
            for step in 0..<40 {
                let endsOne = step >= 25 || random.next() % 3 == 0
                let all = crowd.active + crowd.waiting
                if endsOne, let gone = all.isEmpty ? nil : all[Int(random.next() % UInt64(all.count))] {
                    crowd.active.removeAll { $0.id == gone.id }
                    crowd.waiting.removeAll { $0.id == gone.id }
                    try await desk.coordinator.invalidate(gone.id, errorMessage: nil, by: desk.client.id)
                } else if !endsOne {
                    let mask = 1 + random.next() % 7
                    let readers = names.enumerated().filter { mask >> UInt64($0.offset) & 1 == 1 }.map(\.element)
                    let id = try await desk.begin(SessionRequest(readers: readers, whenBusy: .queue))
                    crowd.waiting.append((id, Set(readers)))
                    begun.append(id)
                }
                crowd.promote()
                let actual = begun.filter { desk.client.log($0) == ["active"] }
                #expect(Set(actual) == Set(crowd.active.map(\.id)), "seed \(seed), step \(step)")
            }
            while let gone = crowd.active.first {
                crowd.active.removeFirst()
                try await desk.coordinator.invalidate(gone.id, errorMessage: nil, by: desk.client.id)
                crowd.promote()
            }
            #expect(crowd.waiting.isEmpty)
            #expect(begun.allSatisfy { desk.client.log($0).last == "over 200" })
        }
    }
}

/// A small generator of random numbers that gives the same ones for the same seed.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
