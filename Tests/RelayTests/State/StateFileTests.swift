import FoundationEssentials
import Glibc
import Logging
import NFCProtocol
import SQLite
import Testing

@testable import nfcd_relay

@Suite struct StateFileTests {
    private let scratch: RelayScratch
    private var path: String { "\(scratch.path)/state/relay.db" }
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    init() throws { scratch = try RelayScratch() }

    private func open(boot: String = "boot-1") throws -> StateFile {
        try StateFile(path: path, isInOwnFolder: true, boot: Boot(id: boot), logger: logger)
    }

    private var consumer: SavedConsumer {
        var saved = SavedConsumer(epoch: "e", base: 3, lostEpochs: ["c", "d"], pause: .receiverGone("why"))
        saved.lanes = [
            SavedLane(
                reader: "reader-0", position: LanePosition(sequence: 9, readerSequence: 4), attempts: 2, refusals: 1,
                replayThrough: 7,
                milestones: [
                    LaneMilestone(position: LanePosition(sequence: 5, readerSequence: 2), time: .seconds(10)),
                    LaneMilestone(position: LanePosition(sequence: 9, readerSequence: 4), time: .seconds(20)),
                ]), SavedLane(reader: "reader-1", position: LanePosition(sequence: 3)),
        ]
        return saved
    }

    @Test(arguments: [nil, .byPerson, .receiverGone("410"), .receiverGone("")] as [Pause?])
    func `who paused a consumer is known after a restart`(pause: Pause?) async throws {
        try await open().save(SavedConsumer(epoch: "e", base: 0, pause: pause), of: "a")
        let saved = try #require(try await open().consumer("a", now: .zero)).pause
        if case .receiverGone = pause { #expect(saved != nil && saved != .byPerson) } else { #expect(saved == pause) }
    }

    /// Values that no relay writes, for each column that is calculated with.
    private static let damage: [String] = {
        let integers = [
            "consumers": ["base"], "lanes": ["sequence", "reader_sequence", "attempts", "refusals", "replay_through"],
            "milestones": ["sequence", "reader_sequence"], "scan": ["sequence"],
            "readers": ["sequence", "reader_sequence"], "parked": ["sequence", "attempts"],
        ]
        let values = ["9223372036854775807", "-9223372036854775808", "-1", "'x'", "x'00'", "1e300"]
        return integers.sorted { $0.key < $1.key }.flatMap { table, columns in
            columns.flatMap { column in values.map { "UPDATE OR REPLACE \(table) SET \(column) = \($0)" } }
        } + ["9e999", "-9e999", "1e300", "-1", "'x'"].map { "UPDATE milestones SET seconds = \($0)" }
    }()

    @Test(arguments: damage)
    func `values that make no sense are not calculated with`(statement: String) async throws {
        do {
            let file = try open()
            try await file.save(consumer, of: "a")
            var scan = JournalScan(epoch: "e", through: 9)
            scan.note(KnownTap(reader: "reader-0", sequence: 9, readerSequence: 4))
            try await file.save(scan)
            let parked = ParkedTap(TapFactory.tap(7), time: "t", attempts: 1, reason: "r", isRetried: true)
            try await file.park(parked, of: "a")
        }
        do {
            try Database(path: path, mode: .create, busyTimeout: .seconds(1)).run(statement)
        } catch {
            // The table is strict about its types.
        }
        let file = try open()
        let limit: Int64 = 1 << 53
        let saved = try #require(try await file.consumer("a", now: .seconds(30)))
        #expect((0...limit).contains(saved.base))
        for lane in saved.lanes {
            #expect((0...limit).contains(lane.position.sequence) && (0...limit).contains(lane.replayThrough))
            #expect((0...Int(limit)).contains(lane.attempts) && (0...Int(limit)).contains(lane.refusals))
            #expect((0...limit).contains(lane.position.readerSequence ?? 0))
            for milestone in lane.milestones { #expect((.zero ... .seconds(30)).contains(milestone.time)) }
        }
        #expect((0...limit).contains(try await file.scan()?.through ?? -1))
        #expect(try await file.parkedList(of: "a").allSatisfy { (0...Int(limit)).contains($0.attempts) })
        _ = try await file.nextRetried(of: "a")
    }

    @Test func `a consumer is read as it was saved`() async throws {
        do {
            let file = try open()
            try await file.save(consumer, of: "a")
            #expect(try await file.consumer("b", now: .zero) == nil)
        }
        #expect(try await open().consumer("a", now: .seconds(30)) == consumer)
    }

    @Test func `only what is left of the replay window is kept`() async throws {
        let file = try open()
        try await file.save(consumer, of: "a")
        var later = consumer
        later.lanes[0].milestones.removeFirst()
        try await file.save(later, of: "a")
        #expect(try await file.consumer("a", now: .seconds(30)) == later)
    }

    @Test func `times of an earlier boot count as now`() async throws {
        do { try await open().save(consumer, of: "a") }
        let saved = try await open(boot: "boot-2").consumer("a", now: .seconds(3))
        #expect(saved?.lanes[0].milestones.map(\.time) == [.seconds(3), .seconds(3)])
    }

    @Test func `the journal's readers are read as they were saved`() async throws {
        var scan = JournalScan(epoch: "e", through: 4)
        scan.note(KnownTap(reader: "a", sequence: 3, readerSequence: 2))
        scan.note(KnownTap(reader: "b", sequence: 4, readerSequence: 1))
        scan.note(KnownTap(reader: "a", sequence: 1, readerSequence: 1))
        do { try await open().save(scan) }
        #expect(try await open().scan() == scan)
    }

    @Test func `parked taps are listed, retried and discarded`() async throws {
        let file = try open()
        for sequence in 1...3 {
            let tap = TapFactory.tap(Int64(sequence))
            try await file.park(ParkedTap(tap, time: "t", attempts: 5, reason: "no"), of: "a")
        }
        #expect(try await file.parkedList(of: "a").map(\.sequence) == [1, 2, 3])
        #expect(try await file.parkedCount(of: "b") == 0)
        #expect(try await file.nextRetried(of: "a")?.tap.sequence == nil)
        let second = TapFactory.tap(2)
        #expect(try await file.retry(second.id, of: "a") == 1)
        let next = try #require(try await file.nextRetried(of: "a"))
        #expect(next.tap.id == second.id)
        try await file.record(.refused("still no"), of: next, consumer: "a")
        #expect(try await file.nextRetried(of: "a")?.tap.sequence == nil)
        #expect(try await file.parkedList(of: "a")[1].reason == "still no")
        #expect(try await file.parkedList(of: "a")[1].attempts == 6)
        #expect(try await file.discard(nil, of: "a") == 3)
    }

    @Test func `a damaged file is moved aside and reported`() async throws {
        do { try await open().save(consumer, of: "a") }
        try Data(repeating: 0x55, count: 8192).write(to: URL(filePath: path))
        let file = try open()
        let aside = try #require(file.movedAside)
        #expect(FileManager.default.fileExists(atPath: aside))
        #expect(try await file.consumer("a", now: .zero) == nil)
        try await file.save(consumer, of: "a")
    }

    @Test func `a second relay and a foreign file are refused`() throws {
        let file = try open()
        #expect { try open() } throws: { "\($0)".contains("another nfcd-relay uses it") }
        withExtendedLifetime(file) {}
    }

    @Test func `the file is for its user alone`() throws {
        let file = try open()
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        withExtendedLifetime(file) {}
    }
}
