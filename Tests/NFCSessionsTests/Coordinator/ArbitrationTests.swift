import NFCReaders
import NFCTags
import Testing
import TestSupport

@testable import NFCSessions

/// Who gets a reader.
@Suite(.timeLimit(.minutes(20))) struct `Arbitration between sessions` {
    static let queued = SessionRequest(whenBusy: .queue)

    @Test func `a second session receives the holder of the reader`() async throws {
        try await Desk.open { desk in
            try await desk.begin()
            #expect(await desk.client.receive() == ["active"])
            try await desk.begin(by: desk.other)
            let end = await desk.other.end()
            #expect(end?.code == .systemIsBusy)
            #expect(end?.detail.contains(desk.client.label) == true)
            #expect(desk.client.log() == ["active"])
        }
    }

    @Test func `sessions that queue get their turn in their order`() async throws {
        try await Desk.open { desk in
            let third = RecordingClient(3)
            let first = try await desk.begin()
            let second = try await desk.begin(Self.queued, by: desk.other)
            try await desk.begin(Self.queued, by: third)
            #expect(desk.other.log() == [])
            try await desk.coordinator.invalidate(first, errorMessage: nil, by: desk.client.id)
            #expect(await desk.other.receive() == ["active"])
            #expect(third.log() == [])
            try await desk.coordinator.invalidate(second, errorMessage: nil, by: desk.other.id)
            #expect(await third.receive() == ["active"])
        }
    }

    @Test func `a queue is not overtaken`() async throws {
        try await Desk.open([Fixtures.desk, Fixtures.door]) { desk in
            let third = RecordingClient(3)
            try await desk.begin(SessionRequest(readers: ["desk"]))
            try await desk.begin(Self.queued, by: desk.other)
            try await desk.begin(SessionRequest(readers: ["door"]), by: third)
            let end = await third.end()
            #expect(end?.code == .systemIsBusy)
            #expect(end?.detail.contains(desk.other.label) == true)
        }
    }

    @Test func `one that waits for a reader not yet there keeps its place when it comes`() async throws {
        try await Desk.open { desk in
            let third = RecordingClient(3)
            let holder = try await desk.begin()
            try await desk.begin(
                SessionRequest(readers: ["desk", "door"], whenBusy: .queue, waitForReader: true), by: desk.other)
            desk.driver.report(.detached(Fixtures.desk.id))
            #expect(await desk.client.receive(2) == ["active", "over 202"])
            try await desk.begin(SessionRequest(readers: ["desk"], whenBusy: .queue, waitForReader: true), by: third)
            desk.driver.report(.attached(Fixtures.desk))
            #expect(await desk.other.receive() == ["active"])
            #expect(third.log() == [])
            #expect(desk.client.log(holder) == ["active", "over 202"])
        }
    }

    @Test func `sessions on different readers are active together`() async throws {
        try await Desk.open([Fixtures.desk, Fixtures.door]) { desk in
            try await desk.begin(SessionRequest(readers: ["desk"]))
            try await desk.begin(SessionRequest(readers: ["The door reader"]), by: desk.other)
            #expect(await desk.client.receive() == ["active"])
            #expect(await desk.other.receive() == ["active"])
            desk.driver.tap(.url, on: Fixtures.door)
            #expect(await desk.other.receive() == ["tag-1 \(Fixtures.url)"])
            desk.driver.tap(.url)
            #expect(await desk.client.receive() == ["tag-1 \(Fixtures.url)"])
            #expect(await desk.coordinator.readers().map(\.isInUse) == [true, true])
        }
    }

    @Test func `the reader is free before its session receives the end`() async throws {
        try await Desk.open { desk in
            let first = try await desk.begin()
            desk.client.react { event in
                guard case .didInvalidate = event else { return }
                Task { try await desk.begin(by: desk.other) }
            }
            try await desk.coordinator.invalidate(first, errorMessage: nil, by: desk.client.id)
            #expect(await desk.client.receive(2) == ["active", "over 200"])
            #expect(await desk.other.receive() == ["active"])
        }
    }

    @Test func `a client that left frees its readers for the next`() async throws {
        try await Desk.open { desk in
            try await desk.begin()
            try await desk.begin(Self.queued, by: desk.other)
            await desk.coordinator.clientDisconnected(desk.client.id)
            #expect(await desk.client.receive(2) == ["active", "over 202"])
            #expect(await desk.other.receive() == ["active"])
        }
    }

    @Test func `a client that left never becomes active again`() async throws {
        try await Desk.open { desk in
            try await desk.begin()
            let queued = try await desk.begin(Self.queued)
            let unbegun = try await desk.coordinator.open(SessionRequest(), for: desk.client)
            await desk.coordinator.clientDisconnected(desk.client.id)
            #expect(desk.client.log(queued) == ["over 202"])
            #expect(desk.client.log(unbegun) == ["over 202"])
        }
    }

    @Test func `one that stops waiting is no longer in the way`() async throws {
        try await Desk.open { desk in
            let third = RecordingClient(3)
            let first = try await desk.begin()
            let second = try await desk.begin(Self.queued, by: desk.other)
            try await desk.begin(Self.queued, by: third)
            try await desk.coordinator.invalidate(second, errorMessage: nil, by: desk.other.id)
            try await desk.coordinator.invalidate(first, errorMessage: nil, by: desk.client.id)
            #expect(await third.receive() == ["active"])
            #expect(desk.other.log() == ["over 200"])
        }
    }

    @Test func `a client may have so many sessions and no more`() async throws {
        try await Desk.open(limits: SessionLimits(sessionsPerClient: 2)) { desk in
            let first = try await desk.coordinator.open(SessionRequest(), for: desk.client)
            _ = try await desk.coordinator.open(SessionRequest(), for: desk.client)
            await #expect(throws: SessionError.tooManySessions(limit: 2)) {
                try await desk.coordinator.open(SessionRequest(), for: desk.client)
            }
            _ = try await desk.coordinator.open(SessionRequest(), for: desk.other)
            try await desk.coordinator.invalidate(first, errorMessage: nil, by: desk.client.id)
            let next = try await desk.coordinator.open(SessionRequest(), for: desk.client)
            #expect(next != first)
        }
    }
}

/// How long sessions wait, and that everyone gets a turn.
@Suite(.timeLimit(.minutes(20))) struct `Waiting for one's turn` {
    static let patient = SessionRequest(whenBusy: .queue, queueTimeout: .seconds(5))

    @Test func `ends with 203 when the queue timeout elapses, and frees the place`() async throws {
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
            #expect(await third.receive() == ["active"])
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
            #expect(await desk.other.receive() == ["active"])
            await desk.clock.sleeping(for: .seconds(60))
            desk.clock.advance(by: .seconds(60))
            #expect(await desk.other.end()?.code == .sessionTimeout)
        }
    }

    @Test func `a technology that no reader of the session has ends it with 1, naming both`() async throws {
        let vicinity = ReaderDescription(
            id: ReaderID(rawValue: "gate"), name: "The gate", technologies: [.iso14443, .iso15693])
        try await Desk.open([Fixtures.desk, vicinity]) { desk in
            try await desk.begin(SessionRequest(kind: .tag, polling: [.iso18092]))
            let end = await desk.client.end()
            #expect(end?.code == .unsupportedFeature)
            #expect(
                end?.detail
                    == "no reader of the session supports iso18092; desk supports iso14443; gate supports iso14443, iso15693"
            )
            try await desk.begin(SessionRequest(kind: .tag, polling: [.iso18092, .iso15693]))
            #expect(await desk.client.receive() == ["active"])
            try await desk.begin(SessionRequest(polling: [.iso15693], readers: ["desk"]), by: desk.other)
            #expect(await desk.other.end()?.code == .unsupportedFeature)
        }
    }

    @Test func `a technology that comes with a reader is waited for`() async throws {
        try await Desk.open { desk in
            try await desk.begin(SessionRequest(polling: [.iso18092], waitForReader: true))
            #expect(desk.client.log() == [])
            desk.driver.report(
                .attached(
                    ReaderDescription(id: ReaderID(rawValue: "gate"), name: "The gate", technologies: [.iso18092])))
            #expect(await desk.client.receive() == ["active"])
        }
    }
}

/// Sessions that begin and end in any order, on readers that come and go.
@Suite(.timeLimit(.minutes(20))) struct `Any order of sessions and readers` {
    static let names = ["desk", "door", "gate"]

    /// The sessions as followed from outside.
    private struct Crowd {
        struct Member {
            let id: SessionID
            /// The readers it names; nil: it takes all.
            let wanted: Set<String>?
            /// The readers that it holds; nil where it holds all.
            var held: Set<String>? = []

            func claim(of plugged: Set<String>) -> Set<String> { plugged.intersection(wanted ?? plugged) }
        }

        var plugged = Set(names)
        var waiting: [Member] = []
        var active: [Member] = []

        var all: [Member] { active + waiting }

        /// Moves those whose turn has come, in their order; whoever is blocked blocks those behind, unless no reader is plugged in
        /// for it.
        mutating func promote() {
            for member in waiting where !member.claim(of: plugged).isEmpty && isFree(member) {
                active.append(
                    Member(
                        id: member.id, wanted: member.wanted, held: member.wanted.map { _ in member.claim(of: plugged) }
                    ))
                waiting.removeAll { $0.id == member.id }
            }
        }

        private func isFree(_ member: Member) -> Bool {
            let ahead = waiting.prefix { $0.id != member.id }.filter { !$0.claim(of: plugged).isEmpty }
                .map { $0.wanted.map { $0.intersection(plugged) } }
            return (active.map(\.held) + ahead).allSatisfy { claim in
                guard let claim, member.wanted != nil else { return false }
                return claim.isDisjoint(with: member.claim(of: plugged))
            }
        }

        mutating func remove(_ id: SessionID) {
            active.removeAll { $0.id == id }
            waiting.removeAll { $0.id == id }
        }
    }

    @Test(arguments: 1...60) func `no session starves or overtakes, and no two meet on a reader`(seed: UInt64)
        async throws
    {
        let (names, limits) = (Self.names, SessionLimits(sessionsPerClient: 100))
        try await Desk.open(names.map(Fixtures.reader), limits: limits) { desk in
            var random = SplitMix(seed: seed)
            var crowd = Crowd()
            var begun: [SessionID] = []
            for step in 0..<60 {
                switch random.next() % (step < 40 ? 6 : 2) {
                case 0, 1:
                    guard let gone = crowd.all.randomElement(using: &random) else { continue }
                    crowd.remove(gone.id)
                    try await desk.coordinator.invalidate(gone.id, errorMessage: nil, by: desk.client.id)
                case 2:
                    let name = names[Int(random.next() % 3)]
                    let reader = Fixtures.reader(name)
                    if crowd.plugged.remove(name) == nil { crowd.plugged.insert(name) }
                    desk.driver.report(crowd.plugged.contains(name) ? .attached(reader) : .detached(reader.id))
                    await desk.settle()
                default:
                    let mask = random.next() % 9
                    let readers = names.indices.filter { mask >> $0 & 1 == 1 }.map { names[$0] }
                    let wanted = readers.isEmpty ? nil : readers
                    let id = try await desk.begin(
                        SessionRequest(readers: wanted, whenBusy: .queue, waitForReader: true))
                    crowd.waiting.append(Crowd.Member(id: id, wanted: wanted.map { Set($0) }))
                    begun.append(id)
                }
                crowd.promote()
                let actual = begun.filter { desk.client.log($0) == ["active"] }
                #expect(Set(actual) == Set(crowd.active.map(\.id)), "seed \(seed), step \(step)")
            }
            for name in names { desk.driver.report(.attached(Fixtures.reader(name))) }
            await desk.settle()
            crowd.plugged = Set(names)
            crowd.promote()
            while let gone = crowd.active.first {
                crowd.remove(gone.id)
                try await desk.coordinator.invalidate(gone.id, errorMessage: nil, by: desk.client.id)
                crowd.promote()
            }
            #expect(crowd.waiting.isEmpty)
            #expect(begun.allSatisfy { desk.client.log($0).last == "over 200" })
        }
    }
}
