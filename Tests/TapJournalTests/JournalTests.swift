import FoundationEssentials
import Glibc
import NFCTypes
import SQLite
import SQLiteJournal
import TapJournal
import Testing

@Suite struct JournalTests {
    @Test func `a tap comes back as it was stored, also from a new process`() async throws {
        let first = try TestJournal()
        var tap = first.tap("r1")
        tap.failure = TapFailure(.init(rawValue: 102), "the tag left the field")
        tap.session = "s1"
        let stored = try await first.journal.append(tap)
        #expect(stored == JournalTap(sequence: 1, readerSequence: 1, record: tap))
        #expect(try await first.allTaps() == [stored])
        await first.journal.close()
        let second = try TestJournal(first.folder)
        #expect(try await second.allTaps() == [stored])
        #expect(await second.journal.status().epoch == first.events.compactMap(\.epoch).first)
    }

    @Test func `sequence numbers and the counters of readers have no gaps and continue after all taps were deleted`()
        async throws
    {
        let first = try TestJournal()
        for reader in ["a", "b", "a", "c", "b", "a"] { try await first.append(1, reader: reader) }
        #expect(try await first.allTaps().map(\.sequence) == Array(1...6))
        #expect(try await first.allTaps(readers: ["a"]).map(\.readerSequence) == [1, 2, 3])
        #expect(try await first.journal.prune(through: 6, includingUndelivered: false) == 6)
        let status = await first.journal.status()
        #expect(status.taps == 0 && status.oldest == 0 && status.newest == 6)
        await first.journal.close()
        let second = try TestJournal(first.folder)
        let taps = try await second.append(1, reader: "b") + second.append(1, reader: "a")
        #expect(taps.map(\.sequence) == [7, 8] && taps.map(\.readerSequence) == [3, 4])
    }

    @Test func `pages follow each other, forwards and backwards, by reader and by size`() async throws {
        let test = try TestJournal()
        for index in 0..<20 { try await test.append(1, reader: index % 4 == 0 ? "a" : "b") }
        func page(_ query: TapQuery) async throws -> ([Int64], Bool) {
            let page = try await test.journal.taps(query)
            return (page.taps.map(\.sequence), page.hasMore)
        }
        #expect(try await page(TapQuery(limit: 3)) == ([1, 2, 3], true))
        #expect(try await page(TapQuery(after: 17, limit: 3)) == ([18, 19, 20], false))
        #expect(try await page(TapQuery(after: 20)) == ([], false))
        #expect(try await page(TapQuery(after: 1, readers: ["a"], limit: 2)) == ([5, 9], true))
        #expect(
            try await page(TapQuery(after: 15, readers: ["b", "a", "b", "none"])) == ([16, 17, 18, 19, 20], false))
        #expect(try await page(TapQuery(readers: [])) == ([], false))
        #expect(try await page(TapQuery(limit: 2, isNewestFirst: true)) == ([20, 19], true))
        #expect(try await page(TapQuery(after: 3, limit: 2, isNewestFirst: true)) == ([2, 1], false))
        #expect(try await page(TapQuery(after: 4, limit: 10, byteLimit: 1)) == ([5], true))
    }

    @Test func `a list is not longer than a thousand taps`() async throws {
        let test = try TestJournal()
        try await test.appendTogether(1005)
        let page = try await test.journal.taps(TapQuery(limit: .max, byteLimit: .max))
        #expect(page.taps.count == 1000 && page.hasMore)
    }

    @Test func `taps that wait are committed together`() async throws {
        let test = try TestJournal()
        try await test.appendTogether(500)
        #expect(try await test.allTaps().map(\.readerSequence) == Array(1...500))
        let metrics = test.journal.metrics
        #expect(metrics.stored == 500 && metrics.refused == 0)
        #expect(metrics.commitTimes.reduce(0, +) < 500)
    }

    @Test func `the file is set up as it has to be`() async throws {
        let test = try TestJournal()
        try await test.append(1)
        await test.journal.close()
        let database = try Database(path: test.path, mode: .readWrite)
        #expect(try database.pragma("application_id") == 0x4E46_434A)
        #expect(try database.pragma("user_version") == 3)
        #expect(try database.pragma("auto_vacuum") == 2)
        #expect(try database.query("PRAGMA journal_mode").first?.text(0) == "wal")
        let tables = try database.query(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
        for table in tables { #expect(table.text(1)?.contains("STRICT") == true, "\(table)") }
        #expect(tables.count == 6)
    }

    @Test func `the files are readable only by their user, and the folder is made`() async throws {
        let folder = try TestFolder()
        let test = try TestJournal(folder) { $0.path = folder.file("new/deeper/taps.db") }
        try await test.append(1)
        let files = ["", "-wal", "-shm", ".lock", ".reserve"].map { folder.file("new/deeper/taps.db") + $0 }
        for (path, mode) in files.map({ ($0, 0o600) }) + [
            (folder.file("new"), 0o700), (folder.file("new/deeper"), 0o700),
        ] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == mode, "\(path)")
        }
    }

    @Test func `a second journal on the same file is refused while the first is open`() async throws {
        let first = try TestJournal()
        try await first.append(1)
        let second = try TestJournal(first.folder)
        let error = await #expect(throws: JournalError.self) { try await second.append(1) }
        #expect(error?.description.contains("another nfcd uses \(first.path)") == true)
        await first.journal.close()
        second.time.advance(by: .seconds(60))
        #expect(try await second.append(1).map(\.sequence) == [2])
    }

    @Test func `a file of another program or of a newer nfcd stays unchanged`() async throws {
        for statement in ["PRAGMA application_id = 7", "PRAGMA user_version = 4", "PRAGMA application_id = 0"] {
            let first = try TestJournal()
            try await first.append(1)
            await first.journal.close()
            try Database(path: first.path, mode: .readWrite).run(statement)
            let second = try TestJournal(first.folder)
            let error = await #expect(throws: JournalError.self) { try await second.append(1) }
            #expect(
                error?.description.contains(statement.contains("version") ? "newer nfcd" : "another program") == true)
            #expect(!first.folder.names.contains { $0.contains("corrupt") })
        }
    }

    /// What a power cut can leave of the first pages, and what is not a journal at all.
    static let damages: [(name: String, bytes: [UInt8])] = [
        ("zeros", [UInt8](repeating: 0, count: 4096)), ("zeros in all of it", [UInt8](repeating: 0, count: 65_536)),
        ("noise", (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }), ("a byte", [0x53]),
        ("half a header", Array("SQLite format 3\0".utf8)), ("text", Array("precious\n".utf8)),
        ("a header and zeros", Array("SQLite format 3\0".utf8) + [UInt8](repeating: 0, count: 4080)),
    ]

    @Test(arguments: damages.indices)
    func `what is not a database in nfcd's own folder is moved aside, and taps are stored again`(index: Int)
        async throws
    {
        let bytes = Self.damages[index].bytes
        let folder = try TestFolder()
        try Data(bytes).write(to: URL(filePath: folder.file("taps.db")))
        let test = try TestJournal(folder) { $0.isInOwnFolder = true }
        #expect(try await test.append(2).map(\.sequence) == [1, 2], "\(Self.damages[index].name)")
        let aside = try #require(
            folder.names.first { $0.contains("corrupt") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") })
        #expect(try Data(contentsOf: URL(filePath: folder.file(aside))) == Data(bytes))
        #expect(test.events.contains { if case .movedAside = $0 { true } else { false } })
    }

    @Test(arguments: [0, 1, 2, 5])
    func `a journal whose first page is lost is moved aside in nfcd's own folder`(index: Int) async throws {
        let first = try TestJournal { $0.isInOwnFolder = true }
        try await first.append(3)
        await first.journal.close()
        // The note of the lock file is lost as well.
        try Data().write(to: URL(filePath: first.path + ".lock"))
        let page = Self.damages[index].bytes.prefix(4096)
        var content = try Data(contentsOf: URL(filePath: first.path))
        content.replaceSubrange(0..<page.count, with: page)
        try content.write(to: URL(filePath: first.path))
        let second = try TestJournal(first.folder) { $0.isInOwnFolder = true }
        #expect(try await second.append(1).map(\.sequence) == [1])
        #expect(first.folder.names.contains { $0.contains("corrupt") })
    }

    @Test(arguments: [true, false])
    func `a first page that was torn in a checkpoint is recovered from the log, and no tap is lost`(
        isInOwnFolder: Bool
    ) async throws {
        let first = try TestJournal { $0.isInOwnFolder = isInOwnFolder }
        // The file grows, so the log has its first page.
        try await first.append(30, message: 3000)
        // What a power cut leaves: the files as they are now, without the end of the journal, and zeros in the first page.
        let folder = try TestFolder()
        for name in ["taps.db", "taps.db-wal", "taps.db.lock"] {
            let content = try Data(contentsOf: URL(filePath: first.folder.file(name)))
            try content.write(to: URL(filePath: folder.file(name)))
        }
        await first.journal.close()
        var content = try Data(contentsOf: URL(filePath: folder.file("taps.db")))
        content.replaceSubrange(0..<4096, with: [UInt8](repeating: 0, count: 4096))
        try content.write(to: URL(filePath: folder.file("taps.db")))
        let second = try TestJournal(folder) { $0.isInOwnFolder = isInOwnFolder }
        #expect(try await second.append(1).map(\.sequence) == [31])
        #expect(!folder.names.contains { $0.contains("corrupt") }, "\(folder.names)")
    }

    @Test func `a log that does not belong to a damaged file is moved aside with it`() async throws {
        let folder = try TestFolder()
        try Data(repeating: 0, count: 8192).write(to: URL(filePath: folder.file("taps.db")))
        try Data(repeating: 7, count: 5000).write(to: URL(filePath: folder.file("taps.db-wal")))
        let test = try TestJournal(folder) { $0.isInOwnFolder = true }
        #expect(try await test.append(1).map(\.sequence) == [1])
        #expect(folder.names.contains { $0.contains("corrupt") })
    }

    @Test func `the database of another program in nfcd's own folder stays unchanged, and is refused`() async throws {
        let folder = try TestFolder()
        try Database(path: folder.file("taps.db"), mode: .create).run("CREATE TABLE precious (text TEXT)")
        let test = try TestJournal(folder) { $0.isInOwnFolder = true }
        let error = await #expect(throws: JournalError.self) { try await test.append(1) }
        #expect(error?.description.contains("another program") == true)
        #expect(!folder.names.contains { $0.contains("corrupt") })
    }

    /// Files that are not nfcd's: a text, and databases with and without the name of their program, with and without a log.
    private static let foreign = ["text", "database", "named database", "database with a log", "link to a database"]

    @Test(arguments: foreign, [0o644, 0o666, 0o640] as [mode_t])
    func `a foreign file keeps its content and its permissions`(kind: String, mode: mode_t) async throws {
        let folder = try TestFolder()
        let (path, file) = (folder.file("taps.db"), folder.file(kind.hasPrefix("link") ? "other.db" : "taps.db"))
        var other: Database?
        if kind == "text" {
            try Data("precious\n".utf8).write(to: URL(filePath: file))
        } else {
            other = try Database(path: file, mode: .create)
            if kind.contains("log") { try other?.run("PRAGMA journal_mode = WAL") }
            try other?.run("CREATE TABLE precious (text TEXT)")
            if kind.contains("named") { try other?.run("PRAGMA application_id = 7") }
            // The program ends; its log stays where it crashed.
            if !kind.contains("log") { other = nil }
        }
        if path != file { try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: file) }
        chmod(file, mode)
        let (content, names) = (try Data(contentsOf: URL(filePath: file)), folder.names)
        let test = try TestJournal(folder)
        await #expect(throws: JournalError.self) { try await test.append(1) }
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == mode)
        #expect(try Data(contentsOf: URL(filePath: file)) == content)
        #expect(folder.names.filter { !$0.hasSuffix(".lock") } == names)
        withExtendedLifetime(other) {}
    }

    @Test func `a journal that others can read becomes private once it is known to be one`() async throws {
        let first = try TestJournal()
        try await first.append(1)
        await first.journal.close()
        chmod(first.path, 0o644)
        let second = try TestJournal(first.folder)
        try await second.append(2)
        var status = stat()
        #expect(stat(first.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test(arguments: ["taps.db", "taps.db.lock"])
    func `no file is made or written through a link`(name: String) async throws {
        let folder = try TestFolder()
        try Data().write(to: URL(filePath: folder.file("empty")))
        let target = name.hasSuffix(".lock") ? "empty" : "nothing"
        try FileManager.default.createSymbolicLink(atPath: folder.file(name), withDestinationPath: folder.file(target))
        let test = try TestJournal(folder)
        await #expect(throws: JournalError.self) { try await test.append(1) }
        #expect(!folder.names.contains("nothing"))
        #expect(try Data(contentsOf: URL(filePath: folder.file("empty"))).isEmpty)
    }

    @Test func `a text file is not taken for a damaged journal`() async throws {
        let folder = try TestFolder()
        try Data("precious\n".utf8).write(to: URL(filePath: folder.file("taps.db")))
        let test = try TestJournal(folder)
        let error = await #expect(throws: JournalError.self) { try await test.append(1) }
        #expect(error?.description.contains("is not a journal") == true)
        #expect(try Data(contentsOf: URL(filePath: folder.file("taps.db"))) == Data("precious\n".utf8))
    }

    @Test func `a journal that another program has locked says so, and continues afterwards`() async throws {
        let folder = try TestFolder()
        let test = try TestJournal(folder)
        try await test.append(1)
        let blocker = try Database(path: test.path, mode: .readWrite)
        try blocker.run("BEGIN IMMEDIATE")
        let error = await #expect(throws: JournalError.self) { try await test.append(1) }
        #expect(error?.description.contains("locked") == true)
        try blocker.run("ROLLBACK")
        test.time.advance(by: .seconds(60))
        #expect(try await test.append(1).map(\.sequence) == [2])
    }

    @Test func `a tap that is not stored in time is reported, and one that still waits is not stored later`()
        async throws
    {
        let test = try TestJournal()
        try await test.append(1)
        let blocker = try Database(path: test.path, mode: .readWrite)
        try blocker.run("BEGIN IMMEDIATE")
        test.time.set(isLate: true)
        let error = await #expect(throws: JournalError.self) { try await test.append(1) }
        // SQLite itself waits for the lock for a second at most: on a busy machine it can be first.
        #expect(error == .timedOut(.seconds(2)) || error?.description.contains("locked") == true)
        #expect(test.journal.metrics.refused >= 1)
        test.time.set(isLate: false)
        try blocker.run("ROLLBACK")
        test.time.advance(by: .seconds(60))
        let stored = try await test.append(1)
        // The first of the late ones may have been on its way to the disk.
        #expect(try #require(stored.first).sequence <= 3)
        #expect(test.events.contains { if case .opened = $0 { true } else { false } })
    }
}

extension JournalEvent {
    var epoch: String? { if case .opened(_, let epoch, _) = self { epoch } else { nil } }
}
