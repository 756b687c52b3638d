import SQLite

/// Corrects numbers that nfcd cannot have stored, before anything is computed from them. A row with such a number is moved to the
/// table `set_aside`, where it can be read with sqlite3.
struct JournalRepair {
    /// The greatest sequence number: a JSON number is exact up to here (RFC 8259, 6).
    static let greatest: Int64 = 1 << 53
    /// The most rows that are kept in `set_aside`.
    private static let mostRows: Int64 = 1_000

    private let database: Database
    private var findings: [String] = []

    /// Corrects what is wrong.
    ///
    /// - Returns: what was corrected, in words.
    static func run(_ database: Database) throws(SQLiteError) -> [String] {
        var repair = JournalRepair(database)
        try repair.run()
        return repair.findings
    }

    private init(_ database: Database) {
        self.database = database
    }

    private mutating func run() throws(SQLiteError) {
        try setAside("sequence <= 0 OR sequence > \(Self.greatest)", "a sequence number that no tap can have")
        try correct("reader", "newest", to: "0", "a reader counted an impossible number of taps")
        try correct("consumer", "acknowledged", to: "0", "a consumer had an impossible place")
        try correct("consumer", "lost", to: "0", "a consumer lost an impossible number of taps")
        try correct("journal", "dropped", to: "0", "an impossible number of taps was dropped")
        try correct("journal", "generation", to: "1", "an impossible number of times the counters were lost")
        try correct("journal", "counters", to: "0", "an impossible number of counters was stored")
        try correct(
            "consumer", "owner", to: "\(UInt32.max)", most: Int64(UInt32.max), "a consumer had an impossible owner")
        try correctSequence()
    }

    /// Moves taps out of the journal.
    private mutating func setAside(_ condition: String, _ reason: String) throws(SQLiteError) {
        let count = try database.query("SELECT count(*) FROM tap WHERE \(condition)").first?.integer(0) ?? 0
        guard count > 0 else { return }
        try database.run("INSERT INTO set_aside SELECT * FROM tap WHERE \(condition)")
        try database.run("DELETE FROM tap WHERE \(condition)")
        let newest = "SELECT rowid FROM set_aside ORDER BY rowid DESC LIMIT \(Self.mostRows)"
        try database.run("DELETE FROM set_aside WHERE rowid NOT IN (\(newest))")
        findings.append("\(count) taps had \(reason)")
    }

    /// Replaces numbers that are negative or too great.
    private mutating func correct(
        _ table: String, _ column: String, to value: String, most: Int64 = greatest, _ reason: String
    ) throws(SQLiteError) {
        try database.run(
            "UPDATE OR REPLACE \(table) SET \(column) = \(value) WHERE \(column) < 0 OR \(column) > \(most)")
        if database.changes > 0 { findings.append(reason) }
    }

    /// The last sequence number given. It is lost where it cannot be right; then it is that of the newest tap, or where no tap is
    /// left, the greatest that a consumer has.
    private mutating func correctSequence() throws(SQLiteError) {
        let given = try database.query("SELECT seq FROM sqlite_sequence WHERE name = 'tap'").map { $0.integer(0) }
        let newest = try database.query("SELECT max(sequence) FROM tap").first?.integer(0)
        let isPossible = given.allSatisfy { $0.map { (newest ?? 0)...Self.greatest ~= $0 } ?? false }
        guard given.count > 1 || !isPossible else { return }
        let known = try database.query("SELECT max(acknowledged) FROM consumer").first?.integer(0) ?? 0
        try database.run("DELETE FROM sqlite_sequence WHERE name = 'tap'")
        let values: [SQLiteValue] = ["tap", .integer(newest ?? known)]
        try database.run("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", values: values)
        findings.append("the last sequence number was impossible")
    }
}

/// Changes the tables of an older nfcd.
enum JournalMigration {
    static func run(_ database: Database) throws(SQLiteError) {
        let version = try database.pragma("user_version") ?? 0
        guard (1..<JournalOpening.version).contains(version) else { return }
        try database.transaction { () throws(SQLiteError) in
            if version == 1 { try addChecksums(to: database) }
            if version == 2 { try database.run("ALTER TABLE set_aside ADD COLUMN proof ANY") }
            try addProofs(to: database)
            try database.pragma("user_version", JournalOpening.version)
        }
    }

    /// Changes tables of version 1, which have no checksums. Their taps are kept, and are delivered unchecked.
    private static func addChecksums(to database: Database) throws(SQLiteError) {
        try database.run("ALTER TABLE tap ADD COLUMN checksum INTEGER")
        try database.run("ALTER TABLE journal ADD COLUMN unchecked_through INTEGER NOT NULL DEFAULT 0")
        try database.run("UPDATE journal SET unchecked_through = coalesce((SELECT max(sequence) FROM tap), 0)")
        try database.run(TapRow.setAsideTable)
        // Names belong to users.
        try database.run("ALTER TABLE consumer RENAME TO first_consumer")
        try database.run(TapRow.consumerTable)
        try database.run("INSERT INTO consumer SELECT name, owner, acknowledged, lost FROM first_consumer")
        try database.run("DROP TABLE first_consumer")
    }

    /// Changes tables of version 2, which have no proofs and no counters.
    private static func addProofs(to database: Database) throws(SQLiteError) {
        try database.run("ALTER TABLE tap ADD COLUMN proof TEXT")
        try database.run("ALTER TABLE journal ADD COLUMN generation INTEGER NOT NULL DEFAULT 0")
        try database.run("ALTER TABLE journal ADD COLUMN counters INTEGER NOT NULL DEFAULT 0")
        try database.run(CounterTable.schema)
    }
}
