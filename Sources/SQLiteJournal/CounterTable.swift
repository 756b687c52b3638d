import NFCTypes
import SQLite
import TapJournal

/// The highest counters of proven messages, in the database of the journal: one is stored in the commit of its tap.
///
/// A journal that was lost or restored from a copy has forgotten counters, so that recorded messages look new. Its generation is then
/// raised: a line counts as current again once a counter of this generation was stored.
struct CounterTable {
    static let schema = """
        CREATE TABLE counter (
          line BLOB PRIMARY KEY, highest INTEGER NOT NULL, generation INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """
    /// About how many bytes a line takes.
    static let lineSize: Int64 = 64
    /// The counter has 24 bits (NT4H2421Gx, §9.3.1).
    private static let greatest: Int64 = 0xFF_FFFF

    private let database: Database
    private let generation: Int64
    /// How many counters were stored since the journal was made; a copy that is restored has fewer than were noted.
    private(set) var stored: Int64

    /// Reads what belongs to the journal as a whole.
    init(_ database: Database) throws(SQLiteError) {
        self.database = database
        let row = try database.query("SELECT generation, counters FROM journal").first
        generation = row?.integer(0) ?? 0
        stored = row?.integer(1) ?? 0
    }

    /// Raises the generation: counters were lost.
    static func noteLoss(in database: Database) throws(SQLiteError) {
        try database.run("UPDATE journal SET generation = generation + 1")
    }

    /// Compares the counter of a proof with its line, and stores it if it is higher.
    mutating func settle(_ proof: TapProof, _ claim: CounterClaim) throws(SQLiteError) -> TapProof {
        guard proof.isCounted else { return proof }
        let line = try line(claim.line)
        let settled = proof.settled(claim, against: line, wereCountersLost: generation > 0)
        guard settled.status != .replayed else { return settled }
        try database.run(
            """
            INSERT INTO counter (line, highest, generation) VALUES (?, ?, ?)
            ON CONFLICT (line) DO UPDATE SET highest = excluded.highest, generation = excluded.generation
            """, .blob(claim.line), .integer(claim.value), .integer(generation))
        try database.run("UPDATE journal SET counters = counters + 1")
        stored += 1
        return settled
    }

    /// A damaged number counts as the greatest: the tag is refused, instead of a copy accepted.
    private func line(_ line: [UInt8]) throws(SQLiteError) -> StoredCounter? {
        let sql = "SELECT highest, generation FROM counter WHERE line = ?"
        guard let row = try database.query(sql, .blob(line)).first else { return nil }
        let highest = row.integer(0).flatMap { (0...Self.greatest).contains($0) ? $0 : nil } ?? Self.greatest
        return StoredCounter(highest: highest, isCurrent: row.integer(1) == generation)
    }
}
