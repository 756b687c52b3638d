import NFCTypes
import SQLiteJournal
import TapJournal
import Testing

@Suite struct ConsumerTests {
    @Test func `a new consumer starts at the newest tap, unless it says what it has`() async throws {
        let test = try TestJournal()
        try await test.append(5)
        #expect(try await test.acknowledge("new", nil).acknowledged == 5)
        let from = try await test.acknowledge("from", 2)
        #expect(from.acknowledged == 2 && from.backlog == 3 && from.oldest == test.time.now)
        try await test.append(1)
        #expect(try await test.acknowledge("new", nil).acknowledged == 5)
        let status = await test.journal.status()
        #expect(status.consumers.map(\.name) == ["from", "new"])
        #expect(status.consumers.map(\.backlog) == [4, 1])
    }

    @Test func `a consumer is known to a new process`() async throws {
        let first = try TestJournal()
        try await first.append(5)
        let consumer = try await first.acknowledge("relay", 3, owner: 4_000_000_000)
        await first.journal.close()
        let second = try TestJournal(first.folder)
        #expect(await second.journal.status().consumers == [consumer])
    }

    @Test func `a consumer can go back, but not beyond the newest tap`() async throws {
        let test = try TestJournal()
        try await test.append(5)
        try await test.acknowledge("relay", 4)
        #expect(try await test.acknowledge("relay", 1).backlog == 4)
        await #expect(throws: JournalError.unknownSequence(6, newest: 5)) { try await test.acknowledge("relay", 6) }
    }

    @Test func `names belong to users, and a consumer of another user is changed only where that is allowed`()
        async throws
    {
        let test = try TestJournal()
        try await test.append(3)
        try await test.acknowledge("till", 3, owner: 1)
        // Neither can take a name before the other.
        #expect(try await test.acknowledge("till", 1, owner: 2).acknowledged == 1)
        #expect(try await test.acknowledge("till", nil, owner: 1).acknowledged == 3)
        #expect(await test.journal.status().consumers.map(\.owner) == [1, 2])
        await #expect(throws: JournalError.foreignConsumer("till")) {
            try await test.journal.removeConsumer("till", owner: 3, mayTakeOver: false)
        }
        let taken = try await test.journal.acknowledge("till", owner: 3, through: 0, mayTakeOver: true)
        #expect(taken.owner == 3)
        #expect(await test.journal.status().consumers.map(\.owner) == [2, 3])
        #expect(try await test.journal.removeConsumer("till", owner: 2, mayTakeOver: false))
        #expect(try await test.journal.removeConsumer("till", owner: 0, mayTakeOver: true))
        #expect(try await !test.journal.removeConsumer("till", owner: 0, mayTakeOver: true))
        await test.journal.close()
        let again = try TestJournal(test.folder)
        #expect(await again.journal.status().consumers.isEmpty)
    }

    @Test func `a user has at most 16 consumers, and a quarter of all is for services`() async throws {
        let test = try TestJournal()
        for index in 0..<16 { try await test.acknowledge("consumer \(index)", 0) }
        await #expect(throws: JournalError.tooManyConsumersOfUser(1000, limit: 16)) {
            try await test.acknowledge("one more", 0)
        }
        try await test.acknowledge("consumer 0", 0)
        #expect(try await test.journal.removeConsumer("consumer 1", owner: 1000, mayTakeOver: false))
        try await test.acknowledge("one more", 0)
        for owner: UInt32 in 2...3 { for index in 0..<16 { try await test.acknowledge("\(index)", 0, owner: owner) } }
        await #expect(throws: JournalError.tooManyConsumers(limit: 48)) {
            try await test.acknowledge("late", 0, owner: 4)
        }
        for index in 0..<16 { try await test.acknowledge("nfcd-relay \(index)", 0, owner: 0) }
        await #expect(throws: JournalError.tooManyConsumers(limit: 64)) {
            try await test.acknowledge("17", 0, owner: 0)
        }
    }

    @Test(arguments: ["nfcd-", "nfcd-relay", "nfcd-relay/till"])
    func `names of services are reserved`(name: String) async throws {
        let test = try TestJournal { $0.services = [0, 998] }
        await #expect(throws: JournalError.reservedConsumer(name)) { try await test.acknowledge(name, 0) }
        try await test.acknowledge(name, 0, owner: 998)
    }

    /// The owner of a consumer that acknowledges nothing, how many taps come while the journal holds 100, and how many are refused.
    @Test(arguments: [(1000, 250, 0), (0, 250, 150), (1000, 100, 0), (0, 100, 0)] as [(UInt32, Int, Int)])
    func `a consumer that is not read keeps at most its half of the journal from others`(
        owner: UInt32, count: Int, refused: Int
    ) async throws {
        let test = try TestJournal { $0.tapLimit = 100 }
        try await test.acknowledge("idle", 0, owner: owner)
        try await test.acknowledge("busy", 0, owner: 7)
        var failures = 0
        for _ in 0..<count {
            do {
                let tap = try await test.append(1)
                try await test.acknowledge("busy", tap[0].sequence, owner: 7)
            } catch { failures += 1 }
        }
        #expect(failures == refused)
        let consumers = await test.journal.status().consumers
        #expect(consumers.first { $0.name == "busy" }?.lost == 0)
        let idle = try #require(consumers.first { $0.name == "idle" })
        #expect(idle.lost == (owner == 0 ? 0 : max(0, count - 100)))
        // What it has left is at least its half, in order and without gaps.
        let left = try await test.allTaps().map(\.sequence)
        #expect(left.count == 100 && left == Array(left[0]...left[0] + 99))
        let running = Task { await test.journal.run() }
        while test.time.takeSleeps() == 0 { await Task.yield() }
        running.cancel()
        await running.value
        #expect(test.events.contains { if case .heldUp(["idle of uid \(owner)"]) = $0 { true } else { false } })
    }

    @Test func `a consumer that lacks less than half of the journal loses nothing to others`() async throws {
        let test = try TestJournal { $0.tapLimit = 100 }
        try await test.acknowledge("slow", 0, owner: 1000)
        try await test.acknowledge("nfcd-relay", 0, owner: 0)
        for number in 1...100 {
            try await test.append(1)
            if number > 40 { try await test.acknowledge("slow", Int64(number - 40), owner: 1000) }
        }
        await #expect(throws: JournalError.self) { try await test.append(1) }
        #expect(await test.journal.status().consumers.map(\.lost) == [0, 0])
    }
}
