import SQLite
import Testing

@Suite struct DatabaseTests {
    private let folder: TestFolder
    private let database: Database

    init() throws {
        folder = try TestFolder()
        database = try Database(path: folder.file("test.db"), mode: .create)
        try database.run("CREATE TABLE item (id INTEGER PRIMARY KEY, value)")
    }

    @Test(arguments: [
        SQLiteValue.null, .integer(.min), .integer(.max), .real(0.5), .text(""), .text("Grüße"), .text("a\u{0}b"),
        .blob([]),
        .blob([0, 255]),
    ])
    func `a value comes back as it was stored`(value: SQLiteValue) throws {
        try database.run("INSERT INTO item (value) VALUES (?)", value)
        #expect(try database.query("SELECT value FROM item").map { $0[0] } == [value])
    }

    @Test func `a column of another type is nil, and so is one that does not exist`() throws {
        let row = try #require(try database.query("SELECT 1, 'a', NULL, x'00', 0.5").first)
        #expect(row.integer(0) == 1 && row.text(0) == nil)
        #expect(row.text(1) == "a" && row.blob(1) == nil)
        #expect(row.integer(2) == nil && row.blob(3) == [0] && row.real(4) == 0.5 && row.integer(5) == nil)
    }

    @Test func `an error has its codes, SQLite's words and the statement`() throws {
        try database.run("INSERT INTO item (id) VALUES (1)")
        let error = try #require(throws: SQLiteError.self) { try database.run("INSERT INTO item (id) VALUES (?)", 1) }
        #expect(error.code == .constraint && error.extendedCode == 1555)
        #expect(
            error.description
                == "UNIQUE constraint failed: item.id (SQLite code 1555): INSERT INTO item (id) VALUES (?)")
    }

    @Test func `a statement with too few values does not run with those of an earlier call`() throws {
        try database.run("INSERT INTO item (value) VALUES (?)", 1)
        #expect(throws: SQLiteError.self) { try database.run("INSERT INTO item (value) VALUES (?)") }
        #expect(try database.query("SELECT * FROM item").count == 1)
    }

    @Test func `a transaction that throws changes nothing and is over`() throws {
        let failure = SQLiteError(extendedCode: 1, statement: "")
        #expect(throws: failure) {
            try database.transaction { () throws(SQLiteError) in
                try database.run("INSERT INTO item (value) VALUES (1)")
                throw failure
            }
        }
        #expect(!database.isInTransaction)
        #expect(try database.query("SELECT * FROM item").isEmpty)
    }

    @Test func `a transaction that SQLite has rolled back itself throws the cause`() throws {
        try database.run("PRAGMA max_page_count = 2")
        let error = try #require(throws: SQLiteError.self) {
            try database.transaction { () throws(SQLiteError) in
                try database.run("INSERT INTO item (value) VALUES (zeroblob(100000))")
            }
        }
        #expect(error.code == .full && !database.isInTransaction)
        try database.run("INSERT INTO item (value) VALUES (1)")
    }

    @Test func `a loop that ends early does not keep its read transaction open`() throws {
        try database.run("PRAGMA journal_mode = WAL")
        for _ in 0..<3 { try database.run("INSERT INTO item (value) VALUES (1)") }
        let reader = try Database(path: folder.file("test.db"), mode: .readOnly)
        var count = 0
        try reader.forEach("SELECT * FROM item") { _ in
            count += 1
            return false
        }
        try database.run("INSERT INTO item (value) VALUES (2)")
        #expect(count == 1)
        #expect(try database.checkpoint(.truncate) == 0)
    }

    @Test func `a pragma acts each time it is run`() throws {
        for mode: Int64 in [1, 2, 1, 2] {
            try database.run("PRAGMA synchronous = \(mode)")
            #expect(try database.pragma("synchronous") == mode)
        }
    }

    @Test func `a vacuum gives back all pages it is asked for`() throws {
        let other = try Database(path: folder.file("other.db"), mode: .create)
        try other.pragma("auto_vacuum", 2)
        try other.run("CREATE TABLE item (value)")
        try other.run("INSERT INTO item VALUES (zeroblob(400000))")
        try other.run("DELETE FROM item")
        let free = try #require(try other.pragma("freelist_count"))
        try other.incrementalVacuum(pages: Int(free) - 1)
        #expect(try other.pragma("freelist_count") == 1)
    }

    @Test func `a file is not made where it is only opened`() {
        for mode in [Database.Mode.readOnly, .readWrite] {
            let error = #expect(throws: SQLiteError.self) { try Database(path: folder.file("none"), mode: mode) }
            #expect(error?.code == .cannotOpen)
        }
    }

    @Test func `checks report a healthy file as such`() throws {
        #expect(try database.quickCheck() == [] && database.integrityCheck() == [])
    }
}
