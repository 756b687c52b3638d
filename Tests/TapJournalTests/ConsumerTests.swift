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

    @Test func `a consumer of another user is changed only where that is allowed`() async throws {
        let test = try TestJournal()
        try await test.acknowledge("relay", 0, owner: 1)
        await #expect(throws: JournalError.foreignConsumer("relay")) {
            try await test.acknowledge("relay", 0, owner: 2)
        }
        await #expect(throws: JournalError.foreignConsumer("relay")) {
            try await test.journal.removeConsumer("relay", owner: 2, mayTakeOver: false)
        }
        let taken = try await test.journal.acknowledge("relay", owner: 2, through: 0, mayTakeOver: true)
        #expect(taken.owner == 2)
        #expect(try await test.journal.removeConsumer("relay", owner: 0, mayTakeOver: true))
        #expect(try await !test.journal.removeConsumer("relay", owner: 0, mayTakeOver: true))
    }

    @Test func `there are at most as many consumers as set`() async throws {
        let test = try TestJournal()
        for index in 0..<64 { try await test.acknowledge("consumer \(index)", 0) }
        await #expect(throws: JournalError.tooManyConsumers(limit: 64)) { try await test.acknowledge("one more", 0) }
        try await test.acknowledge("consumer 0", 0)
        #expect(try await test.journal.removeConsumer("consumer 1", owner: 1000, mayTakeOver: false))
        try await test.acknowledge("one more", 0)
    }
}
