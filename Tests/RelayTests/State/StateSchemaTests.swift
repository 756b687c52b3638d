import FoundationEssentials
import SQLite
import Testing

@testable import nfcd_relay

@Suite struct StateSchemaTests {
    private let scratch: RelayScratch

    init() throws { scratch = try RelayScratch() }

    /// The files of a state file at one moment.
    private struct Files {
        var main: Data?
        var log: Data?
    }

    /// The state with some notes: open, with a log, and closed, without one.
    private func state() throws -> (open: Files, closed: Files) {
        let path = "\(scratch.path)/original.db"
        let open: Files
        do {
            let (database, _) = try StateSchema.open(path, isInOwnFolder: false)
            for key in 0..<4 {
                try database.run(
                    "INSERT INTO notes VALUES ('a', ?, ?)", .text("\(key)"), .text(String(repeating: "n", count: 9000)))
            }
            open = Files(main: content(path), log: content(path + "-wal"))
        }
        return (open, Files(main: content(path), log: nil))
    }

    private func content(_ path: String) -> Data? { try? Data(contentsOf: URL(filePath: path)) }

    /// Opens damaged files, in the relay's own folder and elsewhere.
    private func expectNoLoss(_ files: Files, lacksEnd: Bool = false, _ name: String) throws {
        for isInOwnFolder in [true, false] {
            let folder = try RelayScratch()
            let path = "\(folder.path)/relay.db"
            try files.main?.write(to: URL(filePath: path))
            try files.log?.write(to: URL(filePath: path + "-wal"))
            do {
                let (database, movedAside) = try StateSchema.open(path, isInOwnFolder: isInOwnFolder)
                let notes = try database.query("SELECT value FROM notes").compactMap { $0.text(0) }
                if let movedAside {
                    #expect(notes.isEmpty && content(movedAside) == files.main, "\(name)")
                } else {
                    let isEmptyElsewhere = !isInOwnFolder && files.main?.isEmpty != false && files.log == nil
                    #expect(notes.count == 4 || lacksEnd || isEmptyElsewhere, "\(name): \(notes.count)")
                    #expect(notes.allSatisfy { $0 == String(repeating: "n", count: 9000) }, "\(name)")
                }
                try database.run("INSERT INTO notes VALUES ('b', 'k', 'v')")
            } catch let error as StateFile.Failure {
                #expect(!isInOwnFolder, "\(name): \(error)")
                #expect(error.description.contains("section [state]"), "\(name): \(error)")
                #expect(content(path) == files.main && content(path + "-wal") == files.log, "\(name)")
            }
        }
    }

    @Test func `a state file that was cut off anywhere is moved aside, or has everything`() throws {
        let content = try #require(try state().closed.main)
        var cuts = Array(stride(from: 0, through: content.count, by: 4096))
        cuts += stride(from: 2048, to: content.count, by: 4096)
        cuts += [1, 71, 72, 99, 100, 512, 4095, content.count - 1]
        for cut in cuts { try expectNoLoss(Files(main: content.prefix(cut)), "\(cut) of \(content.count) bytes") }
    }

    @Test func `a state file whose first page or log is damaged is moved aside, or has what can be read`() throws {
        let files = try state().open
        let (main, log) = (try #require(files.main), try #require(files.log))
        let noise = Data((0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) })
        let middle = log.prefix(log.count / 2) + noise.prefix(64) + log.dropFirst(log.count / 2 + 64)
        for (page, main) in [
            ("whole", main), ("empty", Data()), ("noise", noise + main.dropFirst(4096)),
            ("zeros", Data(count: 4096) + main.dropFirst(4096)),
            ("a torn header", noise.prefix(512) + main.dropFirst(512)),
        ] {
            for (name, log) in [
                ("whole", log), ("missing", nil), ("noise", noise), ("half", log.prefix(log.count / 2)),
                ("torn", middle),
            ] {
                try expectNoLoss(Files(main: main, log: log), lacksEnd: name != "whole", "page: \(page), log: \(name)")
            }
        }
    }

    @Test func `a document outside the relay's state directory stays unchanged, and is refused`() throws {
        let path = "\(scratch.path)/letter"
        for text in ["x", "Dear Sir or Madam\n", String(repeating: "precious\n", count: 2000)] {
            try Data(text.utf8).write(to: URL(filePath: path))
            #expect {
                try StateSchema.open(path, isInOwnFolder: false)
            } throws: {
                "\($0)"
                    == "\(path) is not a state file of nfcd-relay; move it away, or set another path in section [state]"
            }
            #expect(content(path) == Data(text.utf8))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["letter"])
    }

    @Test(arguments: [true, false])
    func `the database of another program stays unchanged, and is refused`(isInOwnFolder: Bool) throws {
        for id in [0, 7] {
            let path = "\(scratch.path)/other-\(id).db"
            do {
                let other = try Database(path: path, mode: .create)
                try other.run("CREATE TABLE precious (text TEXT)")
                try other.pragma("application_id", Int64(id))
            }
            let before = content(path)
            #expect {
                try StateSchema.open(path, isInOwnFolder: isInOwnFolder)
            } throws: {
                "\($0)".contains("belongs to another program")
            }
            #expect(content(path) == before)
        }
    }

    @Test func `a damaged database of another program outside the state directory stays unchanged`() throws {
        let path = "\(scratch.path)/other.db"
        do {
            let other = try Database(path: path, mode: .create)
            try other.run("CREATE TABLE precious (text TEXT)")
        }
        var damaged = try #require(content(path))
        damaged.replaceSubrange(100..<4096, with: Data(repeating: 0x55, count: 3996))
        try damaged.write(to: URL(filePath: path))
        #expect {
            try StateSchema.open(path, isInOwnFolder: false)
        } throws: {
            "\($0)".contains("belongs to another program")
        }
        #expect(content(path) == damaged)
    }
}
