import FoundationEssentials
import NFCTypes
import SQLite
import SQLiteJournal
import TapJournal
import TestSupport
import Testing

/// Rows that nfcd cannot have stored: each is left out or corrected, and reported; the journal works on.
@Suite struct DamagedRowTests {
    /// A closed journal of six taps, and what was stored.
    private func journal() async throws -> (TestFolder, [JournalTap]) {
        let test = try TestJournal()
        var taps = try await test.append(3, reader: "a")
        taps += try await test.append(3, reader: "b")
        try await test.acknowledge("relay", 2)
        await test.journal.close()
        return (test.folder, taps)
    }

    private func change(_ folder: TestFolder, _ statements: [String]) throws {
        let database = try Database(path: folder.file("taps.db"), mode: .readWrite)
        for statement in statements { try database.run(statement) }
    }

    private func isReported(_ test: TestJournal) -> Bool {
        test.events.contains { event in
            switch event {
            case .leftOut, .repaired, .movedAside: true
            default: false
            }
        }
    }

    /// What is done to the file, and the taps that are still delivered.
    @Test(
        arguments: [
            ("UPDATE sqlite_sequence SET seq = 9223372036854775807", [1, 2, 3, 4, 5, 6]),
            ("UPDATE sqlite_sequence SET seq = -1", [1, 2, 3, 4, 5, 6]),
            ("UPDATE sqlite_sequence SET seq = 3", [1, 2, 3, 4, 5, 6]),
            ("UPDATE sqlite_sequence SET seq = 'six'", [1, 2, 3, 4, 5, 6]),
            ("UPDATE sqlite_sequence SET seq = 1e300", [1, 2, 3, 4, 5, 6]),
            ("DELETE FROM sqlite_sequence", nil),
            ("INSERT INTO sqlite_sequence VALUES ('tap', 6)", [1, 2, 3, 4, 5, 6]),
            ("UPDATE tap SET sequence = -9223372036854775808 WHERE sequence = 1", [2, 3, 4, 5, 6]),
            ("UPDATE tap SET sequence = -3 WHERE sequence = 3", [1, 2, 4, 5, 6]),
            ("UPDATE tap SET sequence = 9223372036854775807 WHERE sequence = 6", [1, 2, 3, 4, 5]),
            ("UPDATE tap SET sequence = -sequence", []),
            ("UPDATE tap SET type = 'martian' WHERE sequence = 2", [1, 3, 4, 5, 6]),
            ("UPDATE tap SET type = 'martian'", []),
            ("UPDATE tap SET identifier_form = '' WHERE sequence IN (1, 6)", [2, 3, 4, 5]),
            ("UPDATE tap SET status = 'maybe' WHERE sequence = 4", [1, 2, 3, 5, 6]),
            ("UPDATE tap SET id = x'00' WHERE sequence = 4", [1, 2, 3, 5, 6]),
            ("UPDATE tap SET time = 9223372036854775807 WHERE sequence = 5", [1, 2, 3, 4, 6]),
            ("UPDATE tap SET time = -9223372036854775808 WHERE sequence = 5", [1, 2, 3, 4, 6]),
            ("UPDATE tap SET time = 1 WHERE sequence = 5", [1, 2, 3, 4, 6]),
            ("UPDATE tap SET since_boot = 9223372036854775807 WHERE sequence = 5", [1, 2, 3, 4, 6]),
            ("UPDATE tap SET capacity = -9223372036854775808 WHERE sequence = 5", [1, 2, 3, 4, 6]),
            ("UPDATE tap SET failure = 9223372036854775807 WHERE sequence = 5", [1, 2, 3, 4, 6]),
            ("UPDATE tap SET reader_sequence = 9223372036854775807 WHERE sequence = 5", [1, 2, 3, 4, 6]),
            ("UPDATE tap SET reader = 77 WHERE sequence = 5", [1, 2, 3, 4, 6]),
            ("UPDATE tap SET message = NULL WHERE sequence = 5", [1, 2, 3, 4, 6]),
            ("UPDATE tap SET session = 'session-1' WHERE sequence = 5", [1, 2, 3, 4, 6]),
            ("UPDATE tap SET checksum = NULL WHERE sequence = 5", [1, 2, 3, 4, 6]),
            ("UPDATE tap SET checksum = checksum + 1 WHERE sequence = 5", [1, 2, 3, 4, 6]),
            ("UPDATE reader SET id = 'c' WHERE id = 'a'", [4, 5, 6]),
            ("UPDATE reader SET newest = 9223372036854775807", [1, 2, 3, 4, 5, 6]),
            ("UPDATE reader SET newest = -9223372036854775808", [1, 2, 3, 4, 5, 6]),
            ("UPDATE consumer SET acknowledged = 9223372036854775807", [1, 2, 3, 4, 5, 6]),
            ("UPDATE consumer SET acknowledged = -9223372036854775808", [1, 2, 3, 4, 5, 6]),
            ("UPDATE consumer SET lost = 9223372036854775807", [1, 2, 3, 4, 5, 6]),
            ("UPDATE journal SET dropped = 9223372036854775807", [1, 2, 3, 4, 5, 6]),
        ] as [(String, [Int64]?)])
    func `a damaged row is left out and reported, and every other tap is delivered`(
        statement: String, left: [Int64]?
    ) async throws {
        let (folder, taps) = try await journal()
        try change(folder, [statement])
        let test = try TestJournal(folder)
        let stored = try await test.append(1, reader: "a")
        let status = await test.journal.status()
        #expect(status.state == .ready && status.reason == nil)
        if let left {
            #expect(status.movedAside == 0)
            let found = try await test.allTaps()
            #expect(found == taps.filter { left.contains($0.sequence) } + stored)
            let newestFirst = try await test.journal.taps(TapQuery(limit: 1000, isNewestFirst: true)).taps
            #expect(newestFirst == found.reversed())
            var paged: [JournalTap] = []
            while let page = try? await test.journal.taps(TapQuery(after: paged.last?.sequence ?? 0, limit: 1)) {
                paged += page.taps
                guard page.hasMore, page.taps.count == 1 else { break }
            }
            #expect(paged == found)
        }
        #expect(isReported(test), "\(test.events)")
        // And every change works.
        try await test.acknowledge("relay", stored[0].sequence)
        try await test.acknowledge("new", nil)
        await test.journal.close()
        let again = try TestJournal(folder)
        let next = try await again.append(1, reader: "a")
        #expect(next[0].sequence == stored[0].sequence + 1)
        #expect(try await again.journal.prune(through: next[0].sequence, includingUndelivered: true) > 0)
        await again.journal.close()
    }

    @Test func `an empty journal whose sequence numbers are used up continues`() async throws {
        for statement in [
            "UPDATE sqlite_sequence SET seq = 9223372036854775807", "UPDATE sqlite_sequence SET seq = -5",
            "UPDATE sqlite_sequence SET seq = 9007199254740993",
        ] {
            let (folder, _) = try await journal()
            try change(folder, ["DELETE FROM tap", statement])
            let test = try TestJournal(folder)
            #expect(try await test.append(2).map(\.sequence) == [3, 4], "after what the consumer has")
            #expect(isReported(test))
            await test.journal.close()
        }
    }

    @Test func `no byte of the file that changes is delivered as a tap`() async throws {
        let (folder, taps) = try await journal()
        let content = try Data(contentsOf: URL(filePath: folder.file("taps.db")))
        // The bytes of a stored tap are where its message and its reader's name are.
        let places = [Data(repeating: 0xD1, count: 40), Data("Reader a".utf8), Data("NTAG215".utf8)]
            .compactMap { content.firstRange(of: $0) }
        #expect(places.count == 3)
        var random = SplitMix(seed: 13)
        var leftOut = 0
        for round in 0..<60 {
            let place = places[round % 3]
            let offset = Int.random(in: place.lowerBound - 30..<place.upperBound + 20, using: &random)
            var changed = content
            changed[offset] ^= UInt8.random(in: 1...255, using: &random)
            let copy = try TestFolder()
            try changed.write(to: URL(filePath: copy.file("taps.db")))
            try Data("journal\n".utf8).write(to: URL(filePath: copy.file("taps.db.lock")))
            let test = try TestJournal(copy)
            let stored = try await test.append(1, reader: "new")
            let found = try await test.allTaps().filter { $0 != stored[0] }
            #expect(found.allSatisfy { taps.contains($0) }, "offset \(offset)")
            if found.count < taps.count {
                #expect(isReported(test), "offset \(offset)")
                leftOut += 1
            }
            await test.journal.close()
        }
        #expect(leftOut > 30)
    }

    @Test func `a damaged time does not make the journal delete the taps before it`() async throws {
        let (folder, _) = try await journal()
        try change(folder, ["UPDATE tap SET time = 1 WHERE sequence = 5"])
        let test = try TestJournal(folder)
        try await test.append(1)
        let running = Task { await test.journal.run() }
        while test.time.takeSleeps() == 0 { await Task.yield() }
        running.cancel()
        await running.value
        #expect(try await test.allTaps().map(\.sequence) == [1, 2, 3, 4, 6, 7])
    }

    /// The tables of version 1.
    private static let firstVersion = [
        "PRAGMA auto_vacuum = INCREMENTAL", "PRAGMA journal_mode = WAL",
        "CREATE TABLE journal (epoch TEXT NOT NULL, dropped INTEGER NOT NULL DEFAULT 0) STRICT",
        "CREATE TABLE reader (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, newest INTEGER NOT NULL) STRICT",
        """
        CREATE TABLE tap (sequence INTEGER PRIMARY KEY AUTOINCREMENT, reader INTEGER NOT NULL, reader_sequence INTEGER NOT NULL,
          id BLOB NOT NULL, time INTEGER NOT NULL, since_boot INTEGER NOT NULL, boot TEXT NOT NULL,
          is_synchronised INTEGER NOT NULL, reader_name TEXT NOT NULL, type TEXT NOT NULL, technology TEXT,
          identifier BLOB NOT NULL, identifier_form TEXT NOT NULL, message BLOB, status TEXT, capacity INTEGER,
          failure INTEGER, failure_detail TEXT, session TEXT) STRICT
        """,
        "CREATE INDEX tap_reader ON tap (reader)",
        """
        CREATE TABLE consumer (name TEXT PRIMARY KEY, owner INTEGER NOT NULL, acknowledged INTEGER NOT NULL,
          lost INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID
        """,
        "INSERT INTO journal (epoch) VALUES ('5f0c1c80-0000-4000-8000-000000000001')",
        "INSERT INTO reader (id, newest) VALUES ('a', 3)",
        "INSERT INTO consumer VALUES ('relay', 1000, 1, 0)",
        "PRAGMA application_id = 1313227594", "PRAGMA user_version = 1",
    ]

    @Test func `a journal of the version before keeps its taps and its consumers`() async throws {
        let folder = try TestFolder()
        let database = try Database(path: folder.file("taps.db"), mode: .create)
        for statement in Self.firstVersion { try database.run(statement) }
        for number in 1...3 {
            try database.run(
                """
                INSERT INTO tap (reader, reader_sequence, id, time, since_boot, boot, is_synchronised, reader_name, type, identifier,
                  identifier_form) VALUES (1, ?, randomblob(16), 1790000000000, 5, 'boot', 1, 'Reader a', 'miFare', x'04A1', 'plain')
                """, .integer(Int64(number)))
        }
        let test = try TestJournal(folder)
        let stored = try await test.append(1, reader: "a")
        #expect(stored[0].sequence == 4 && stored[0].readerSequence == 4)
        #expect(try await test.allTaps().map(\.readerSequence) == [1, 2, 3, 4])
        let status = await test.journal.status()
        #expect(status.epoch == "5f0c1c80-0000-4000-8000-000000000001" && status.movedAside == 0)
        #expect(status.consumers.map(\.acknowledged) == [1])
        await test.journal.close()
        // A row that came later needs its checksum.
        try change(folder, ["UPDATE tap SET checksum = NULL", "UPDATE tap SET type = 'martian' WHERE sequence = 2"])
        let again = try TestJournal(folder)
        #expect(try await again.allTaps().map(\.sequence) == [1, 3])
        #expect(again.events.contains(.leftOut([2, 4])))
        await again.journal.close()
    }
}
