import FoundationEssentials
import NFCTypes
import SQLite
import SQLiteJournal
import TapJournal
import TestSupport
import Testing

@Suite struct DamageTests {
    /// A closed journal with taps of three readers.
    private func journal(taps: Int) async throws -> TestFolder {
        let test = try TestJournal()
        for reader in ["a", "b", "c"] { try await test.appendTogether(taps / 3, reader: reader) }
        await test.journal.close()
        return test.folder
    }

    /// Damages a file at random places.
    private func damage(_ content: Data, _ random: inout SplitMix) -> Data {
        var content = content
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return content.prefix(Int.random(in: 1..<content.count, using: &random))
        case 1:
            let start = Int.random(in: 0..<content.count / 512, using: &random) * 512
            content.replaceSubrange(start..<start + 512, with: Data(count: 512))
        case 2:
            let start = Int.random(in: 0..<content.count / 4096, using: &random) * 4096
            content.replaceSubrange(start..<start + 4096, with: Data(random.bytes(count: 4096)))
        default:
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                content[Int.random(in: 0..<content.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
        }
        return content
    }

    @Test func `a damaged journal is read completely, or moved aside and reported, or refused`() async throws {
        let count: Int64 = 300
        let original = try await journal(taps: Int(count))
        let content = try Data(contentsOf: URL(filePath: original.file("taps.db")))
        var outcomes: [String: Int] = [:]
        for seed: UInt64 in 0..<80 {
            var random = SplitMix(seed: seed)
            let folder = try TestFolder()
            try damage(content, &random).write(to: URL(filePath: folder.file("taps.db")))
            try Data("journal\n".utf8).write(to: URL(filePath: folder.file("taps.db.lock")))
            let test = try TestJournal(folder)
            let outcome = try await outcome(of: test, count: count)
            outcomes[outcome, default: 0] += 1
            #expect(outcome != "lost", "seed \(seed)")
            await test.journal.close()
        }
        #expect(outcomes["moved", default: 0] > 20 && outcomes["complete", default: 0] > 5, "\(outcomes)")
    }

    private func outcome(of test: TestJournal, count: Int64) async throws -> String {
        let stored = try? await test.append(1)
        let status = await test.journal.status()
        guard let stored, status.state == .ready else { return status.reason == nil ? "lost" : "refused" }
        let isReported = test.events.contains { if case .movedAside = $0 { true } else { false } }
        if status.movedAside > 0 { return isReported && stored.map(\.sequence) == [1] ? "moved" : "lost" }
        guard let taps = try? await test.allTaps() else {
            return await test.journal.status().movedAside > 0 ? "moved" : "lost"
        }
        var isComplete = taps.map(\.sequence) == Array(1...count + 1)
        for reader in ["a", "b", "c"] {
            let counters = (try? await test.allTaps(readers: [reader]).map(\.readerSequence)) ?? []
            isComplete = isComplete && counters.count == count / 3
        }
        // Rows that are left out are reported.
        let isLeftOut = test.events.contains { if case .leftOut = $0 { true } else { false } }
        return isComplete ? "complete" : isLeftOut ? "left out" : "lost"
    }

    @Test func `a damaged write-ahead log never makes the journal unreadable`() async throws {
        let first = try TestJournal()
        try await first.append(20)
        let files = try ["", "-wal"].map { try Data(contentsOf: URL(filePath: first.path + $0)) }
        for seed: UInt64 in 0..<40 {
            var random = SplitMix(seed: seed)
            let folder = try TestFolder()
            try files[0].write(to: URL(filePath: folder.file("taps.db")))
            try damage(files[1], &random).write(to: URL(filePath: folder.file("taps.db-wal")))
            let test = try TestJournal(folder)
            #expect(try await test.append(1).count == 1)
            let taps = try await test.allTaps()
            #expect(taps.map(\.sequence) == taps.indices.map { Int64($0 + 1) })
        }
    }

    @Test func `a journal that is moved aside goes with its companions, starts a new epoch, and two are kept`()
        async throws
    {
        let folder = try await journal(taps: 30)
        var epochs: Set<String> = []
        for _ in 0..<4 {
            let path = folder.file("taps.db")
            let content = try Data(contentsOf: URL(filePath: path))
            try (content.prefix(4096) + Data(repeating: 0x55, count: content.count - 4096)).write(
                to: URL(filePath: path))
            try Data([1, 2, 3]).write(to: URL(filePath: path + "-wal"))
            let test = try TestJournal(folder)
            try await test.append(20)
            let status = await test.journal.status()
            #expect(status.movedAside > 0 && status.state == .ready)
            epochs.insert(status.epoch)
            await test.journal.close()
        }
        let names = folder.names.filter { $0.hasPrefix("taps.db.corrupt-") }
        #expect(epochs.count == 4)
        #expect(names.filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.count == 2, "\(names)")
    }

    @Test func `damage of a large journal is found beside the taps`() async throws {
        let folder = try await journal(taps: 3000)
        let path = folder.file("taps.db")
        var content = try Data(contentsOf: URL(filePath: path))
        let middle = content.count / 8192 * 4096
        content.replaceSubrange(middle..<middle + 8192, with: Data(repeating: 0x55, count: 8192))
        try content.write(to: URL(filePath: path))
        let test = try TestJournal(folder) { $0.checkedAtOpening = 0 }
        #expect(await test.journal.status().movedAside == 0)
        let running = Task { await test.journal.run() }
        while await test.journal.status().movedAside == 0 { await Task.yield() }
        running.cancel()
        await running.value
        #expect(try await test.append(1).map(\.sequence) == [1])
    }

    // MARK: Loss of power

    /// The files of a journal at one moment.
    private struct Files {
        var main: Data?
        var log: Data?
        var hasMark = false

        /// Writes them to a new folder.
        func folder() throws -> TestFolder {
            let folder = try TestFolder()
            try main?.write(to: URL(filePath: folder.file("taps.db")))
            try log?.write(to: URL(filePath: folder.file("taps.db-wal")))
            try Data((hasMark ? "journal\n" : "").utf8).write(to: URL(filePath: folder.file("taps.db.lock")))
            return folder
        }
    }

    /// Opens damaged files, in nfcd's own folder and elsewhere.
    ///
    /// - Parameter lacksEnd: whether a confirmed tap may be missing at the end: a damaged end of a log is as a torn one.
    private func expectNoLoss(
        _ files: Files, of taps: [JournalTap], lacksEnd: Bool = false, _ name: String
    ) async throws {
        for isInOwnFolder in [true, false] {
            let folder = try files.folder()
            let test = try TestJournal(folder) { $0.isInOwnFolder = isInOwnFolder }
            let stored = try? await test.append(1)
            let isMoved = test.events.contains { if case .movedAside = $0 { true } else { false } }
            if let stored, isMoved {
                #expect(stored.map(\.sequence) == [1], "\(name)")
                #expect(folder.names.contains { $0.contains("corrupt-") }, "\(name)")
            } else if let stored {
                let found = try await test.allTaps()
                #expect(found.last == stored.last, "\(name)")
                let known = found.dropLast()
                #expect(lacksEnd ? taps.starts(with: known) : Array(known) == taps, "\(name): \(found.count)")
            } else {
                // Elsewhere, the file stays unchanged.
                #expect(!isInOwnFolder, "\(name)")
                #expect(try Data(contentsOf: URL(filePath: folder.file("taps.db"))) == files.main ?? Data(), "\(name)")
                #expect((try? Data(contentsOf: URL(filePath: folder.file("taps.db-wal")))) == files.log, "\(name)")
            }
            await test.journal.close()
        }
    }

    @Test func `a journal that was cut off anywhere is moved aside, or has every tap`() async throws {
        let first = try TestJournal()
        // A tap of this size has a page for the end of its message.
        let taps = try await first.append(3, message: 9000)
        await first.journal.close()
        let content = try Data(contentsOf: URL(filePath: first.path))
        var cuts = Array(stride(from: 0, through: content.count, by: 4096))
        cuts += stride(from: 2048, to: content.count, by: 4096)
        cuts += [1, 50, 71, 72, 99, 100, 101, 511, 512, 4095, 4097, content.count - 1]
        for cut in cuts {
            let files = Files(main: content.prefix(cut), hasMark: cut == 0)
            try await expectNoLoss(files, of: taps, "\(cut) of \(content.count) bytes")
        }
    }

    @Test func `a journal whose first page or log is damaged is moved aside, or has every tap that can be read`()
        async throws
    {
        let first = try TestJournal()
        let taps = try await first.append(6, message: 3000)
        let (main, log) = (
            try Data(contentsOf: URL(filePath: first.path)), try Data(contentsOf: URL(filePath: first.path + "-wal"))
        )
        await first.journal.close()
        var random = SplitMix(seed: 1)
        let noise = Data(random.bytes(count: 4096))
        var logs: [(String, Data?)] = [
            ("whole", log), ("missing", nil), ("empty", Data()), ("noise", noise), ("half", log.prefix(log.count / 2)),
        ]
        for place in [24, 100, log.count / 2] {
            var damaged = log
            damaged.replaceSubrange(place..<place + 16, with: noise.prefix(16))
            logs.append(("noise at \(place)", damaged))
        }
        let pages: [(String, Data?)] = [
            ("whole", main), ("missing", nil), ("empty", Data()), ("noise", noise + main.dropFirst(4096)),
            ("zeros", Data(count: 4096) + main.dropFirst(4096)), ("noise in all of it", noise),
            ("a torn header", noise.prefix(512) + main.dropFirst(512)),
        ]
        for (page, main) in pages {
            for (name, log) in logs {
                let files = Files(main: main, log: log, hasMark: main?.isEmpty != false)
                // A file that is gone with its log was deleted by a person.
                let isDeleted = main == nil && log?.isEmpty != false
                try await expectNoLoss(
                    files, of: taps, lacksEnd: isDeleted || (name != "whole" && page != "empty"),
                    "page: \(page), log: \(name)")
            }
        }
    }

    @Test func `a damaged database of another program stays where it is`() async throws {
        for index in 0..<3 {
            let folder = try TestFolder()
            let path = folder.file("taps.db")
            let other = try Database(path: path, mode: .create)
            if index > 0 { try other.run("PRAGMA application_id = \(index)") }
            try other.run("CREATE TABLE precious (text TEXT)")
            for _ in 0..<50 {
                try other.run("INSERT INTO precious VALUES (?)", .text(String(repeating: "p", count: 900)))
            }
            var content = try Data(contentsOf: URL(filePath: path))
            content.replaceSubrange(100..<4096, with: Data(repeating: 0x55, count: 3996))
            try content.write(to: URL(filePath: path))
            let test = try TestJournal(folder)
            let error = await #expect(throws: JournalError.self) { try await test.append(1) }
            #expect(error?.description.contains("the database of another program") == true, "\(error as Any)")
            #expect(try Data(contentsOf: URL(filePath: path)) == content)
            #expect(!folder.names.contains { $0.contains("corrupt") })
        }
    }
}
