import FoundationEssentials
import NFCTypes
import SQLiteJournal
import TapJournal
import Testing

@Suite struct RetentionTests {
    private static let day = Duration.seconds(86_400)

    /// The sequence numbers after maintenance, which `run` starts with.
    private func maintained(_ test: TestJournal) async throws -> [Int64] {
        let running = Task { await test.journal.run() }
        while test.time.takeSleeps() == 0 { await Task.yield() }
        running.cancel()
        await running.value
        return try await test.allTaps().map(\.sequence)
    }

    @Test func `taps that every consumer has are kept for the replay period`() async throws {
        let test = try TestJournal()
        try await test.append(10)
        try await test.acknowledge("fast", 10)
        try await test.acknowledge("slow", 6)
        test.time.advance(by: Self.day * 6)
        #expect(try await maintained(test) == Array(1...10))
        test.time.advance(by: Self.day * 2)
        #expect(try await maintained(test) == Array(7...10))
        let status = await test.journal.status()
        #expect(status.dropped == 0 && status.oldest == 7 && status.taps == 4)
    }

    @Test func `taps without a consumer, or not delivered, are kept until they are too old`() async throws {
        let test = try TestJournal()
        try await test.append(3)
        test.time.advance(by: Self.day * 20)
        try await test.append(2)
        #expect(try await maintained(test) == Array(1...5))
        test.time.advance(by: Self.day * 11)
        #expect(try await maintained(test) == [4, 5])
        #expect(await test.journal.status().dropped == 0)
        try await test.acknowledge("slow", 3)
        test.time.advance(by: Self.day * 31)
        #expect(try await maintained(test) == [])
        let status = await test.journal.status()
        #expect(status.dropped == 2 && status.consumers.map(\.lost) == [2] && status.consumers.map(\.backlog) == [0])
        #expect(test.events.last == .dropped(4...5, consumers: ["slow": 2]))
    }

    @Test func `a clock that is not synchronised deletes nothing, and neither does the time of a tap read by one`()
        async throws
    {
        let test = try TestJournal()
        try await test.append(2, clock: .unsynchronised)
        try await test.append(2)
        test.time.advance(by: Self.day * 31)
        try await test.append(1, clock: .unsynchronised)
        test.time.set(isSynchronised: false)
        #expect(try await maintained(test) == Array(1...5))
        test.time.set(isSynchronised: true)
        #expect(try await maintained(test) == [5])
        test.time.advance(by: Self.day * 31)
        #expect(try await maintained(test) == [5])
    }

    @Test func `a full journal refuses, and takes taps again after an acknowledgement`() async throws {
        let test = try TestJournal { $0.tapLimit = 10 }
        try await test.acknowledge("relay", 0, owner: 0)
        try await test.append(10)
        let error = await #expect(throws: JournalError.self) { try await test.append(1) }
        #expect(error?.description.contains("limit of 10 taps") == true)
        #expect(await test.journal.status().state == .full)
        #expect(test.journal.metrics.refused == 1)
        #expect(test.events.count { if case .full = $0 { true } else { false } } == 1)
        try await test.acknowledge("relay", 4, owner: 0)
        #expect(try await test.append(1).map(\.sequence) == [11])
        #expect(try await test.allTaps().first?.sequence == 5)
        #expect(await test.journal.status().state == .ready)
    }

    @Test func `a journal without consumers refuses too: nothing shows that its taps were delivered`() async throws {
        let test = try TestJournal { $0.tapLimit = 3 }
        try await test.append(3)
        await #expect(throws: JournalError.self) { try await test.append(1) }
    }

    @Test func `a journal that may drop deletes the oldest, and counts them for those who lack them`() async throws {
        let test = try TestJournal { ($0.tapLimit, $0.whenFull) = (10, .dropOldest) }
        try await test.acknowledge("slow", 0)
        try await test.append(10)
        try await test.acknowledge("fast", 10)
        try await test.acknowledge("slow", 2)
        try await test.append(5)
        // Taps 1 and 2 went first, because both have them.
        #expect(try await test.allTaps().map(\.sequence) == Array(6...15))
        let status = await test.journal.status()
        #expect(status.state == .ready && status.dropped == 3)
        #expect(status.consumers.map(\.lost) == [0, 3])
        _ = try await maintained(test)
        let losses = test.events.compactMap { if case .dropped(let range, _) = $0 { range } else { nil } }
        #expect(losses.first?.lowerBound == 3 && losses.last?.upperBound == 5)
        #expect(test.journal.metrics.dropped == 3)
    }

    @Test func `the size of the files stays within the limit of bytes`() async throws {
        let test = try TestJournal { ($0.byteLimit, $0.whenFull) = (1 << 20, .dropOldest) }
        try await test.appendTogether(3000, message: 900)
        let status = await test.journal.status()
        #expect(status.bytes <= 1 << 20 && status.bytes > 900_000)
        #expect(status.taps > 700 && status.taps < 1100 && status.newest == 3000)
        let size = try FileManager.default.attributesOfItem(atPath: test.path)[.size] as? Int
        #expect(try #require(size) < 5 << 19)
    }

    @Test func `pruning spares what a consumer lacks, unless it is asked for`() async throws {
        let test = try TestJournal()
        try await test.appendTogether(1200)
        try await test.acknowledge("relay", 700)
        #expect(try await test.journal.prune(through: 1000, includingUndelivered: false) == 700)
        #expect(try await test.journal.prune(through: 1000, includingUndelivered: false) == 0)
        #expect(try await test.journal.prune(through: 1000, includingUndelivered: true) == 300)
        let status = await test.journal.status()
        #expect(status.taps == 200 && status.oldest == 1001 && status.dropped == 300)
        #expect(status.consumers.map(\.lost) == [300] && status.consumers.map(\.backlog) == [200])
    }

    @Test func `lists that are read all the time do not let the write-ahead log grow`() async throws {
        let test = try TestJournal()
        try await test.appendTogether(3000)
        let lists = Task {
            while !Task.isCancelled { _ = try await test.allTaps() }
        }
        for _ in 0..<40 { try await test.appendTogether(50) }
        lists.cancel()
        let size = try FileManager.default.attributesOfItem(atPath: test.path + "-wal")[.size] as? Int
        #expect(try #require(size) < 12 << 20)
        _ = try? await lists.value
    }
}
