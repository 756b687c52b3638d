import CSQLite
import NFCTypes
import SQLite
import SQLiteJournal
import TapJournal
import TestSupport
import Testing

@Suite struct DurabilityTests {
    @Test func `every tap that was stored survives a loss of power`() async throws {
        let folder = try TestFolder()
        let disk = FaultyDisk(folder)
        let test = try TestJournal(folder, vfs: FaultyDisk.name)
        try await test.acknowledge("relay", 0)
        var stored: [JournalTap] = []
        for round in 0..<40 {
            stored += try await test.append(1, reader: "r\(round % 3)")
            // An acknowledgement is not synced; it must not weaken the next commit.
            if round % 5 == 0 { try await test.acknowledge("relay", Int64(round)) }
            guard round % 4 == 3 else { continue }
            let after = try TestJournal(try disk.cutPower())
            #expect(try await after.allTaps() == stored)
            #expect(after.events.count { if case .movedAside = $0 { true } else { false } } == 0)
        }
    }

    @Test func `the disk of these tests loses what is not synced`() throws {
        let folder = try TestFolder()
        let disk = FaultyDisk(folder)
        let database = try Database(path: folder.file("taps.db"), mode: .create, vfs: FaultyDisk.name)
        try database.run("PRAGMA journal_mode = WAL")
        try database.run("PRAGMA synchronous = NORMAL")
        try database.run("CREATE TABLE item (value)")
        try database.checkpoint(.truncate)
        for _ in 0..<50 { try database.run("INSERT INTO item VALUES (1)") }
        let after = try disk.cutPower()
        let copy = try Database(path: after.file("taps.db"), mode: .readWrite)
        #expect(try copy.query("SELECT * FROM item").isEmpty)
    }

    // The operation from which on the disk refuses, and how: SQLITE_FULL, IOERR_WRITE, IOERR_FSYNC.
    @Test(arguments: 0..<45, [13, 778, 1034] as [Int32])
    func `a disk that refuses from some write on loses no tap that was stored, and is used again when it works`(
        count: Int, code: Int32
    ) async throws {
        let folder = try TestFolder()
        let disk = FaultyDisk(folder)
        disk.fail(after: count, code)
        let test = try TestJournal(folder, vfs: FaultyDisk.name)
        var stored: [JournalTap] = []
        var failed: Set<TapID> = []
        for _ in 0..<20 {
            let tap = test.tap()
            do throws(JournalError) { stored.append(try await test.journal.append(tap)) } catch {
                failed.insert(tap.id)
            }
        }
        #expect(!failed.isEmpty)
        let status = await test.journal.status()
        #expect(status.state == (code == SQLITE_FULL ? .full : .failed), "\(status)")
        try await expect(stored, failed, in: try TestJournal(try disk.cutPower()))

        disk.heal()
        test.time.advance(by: .seconds(60))
        stored += try await test.append(3)
        #expect(await test.journal.status().state == .ready)
        try await expect(stored, failed, in: test)
        try await expect(stored, failed, in: try TestJournal(try disk.cutPower()))
        await test.journal.close()
        try await expect(stored, failed, in: try TestJournal(folder))
    }

    /// Checks that the stored taps are there, in order; of those that failed, some may be.
    private func expect(_ stored: [JournalTap], _ failed: Set<TapID>, in test: TestJournal) async throws {
        let taps = stored.isEmpty ? (try? await test.allTaps()) ?? [] : try await test.allTaps()
        #expect(taps.filter { !failed.contains($0.record.id) }.map(\.record.id) == stored.map(\.record.id))
        #expect(taps.map(\.readerSequence) == taps.indices.map { Int64($0 + 1) })
        #expect(!test.events.contains { if case .movedAside = $0 { true } else { false } })
    }
}
