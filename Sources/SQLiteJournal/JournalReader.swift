import Dispatch
import SQLite
import TapJournal
import Threading

/// Reads pages of taps, on a separate thread and connection: a list never delays a commit.
///
/// Each page is a separate transaction, which ends before the page is returned: an open one would keep the write-ahead
/// log from starting again.
actor JournalReader {
    private let executor = ThreadExecutor()
    private let path: String
    private let vfs: String?
    private var database: Database?
    /// Rows that are not taps, and were reported.
    private var damagedRows: Set<Int64> = []
    private let onDamage: @Sendable ([Int64]) -> Void

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private static let limit = 1000

    /// - Parameter onDamage: is called, once for each, with the sequence numbers of rows that are not taps and are left out of lists.
    init(path: String, vfs: String?, onDamage: @escaping @Sendable ([Int64]) -> Void) {
        (self.path, self.vfs, self.onDamage) = (path, vfs, onDamage)
    }

    /// Closes the connection, and waits until that is done. For the thread that writes, before it closes or renames the file.
    nonisolated func disconnect() {
        let isDone = DispatchSemaphore(value: 0)
        executor.run {
            self.assumeIsolated { ($0.database, $0.damagedRows) = (nil, []) }
            isDone.signal()
        }
        isDone.wait()
    }

    /// The taps that a query matches. Damaged rows are left out, and reported.
    func page(_ query: TapQuery) throws(SQLiteError) -> TapPage {
        var damaged: [Int64] = []
        let page = try read { (database) throws(SQLiteError) in
            let journal = try database.query("SELECT epoch, unchecked_through FROM journal").first
            let limit = max(1, min(query.limit, Self.limit))
            var (position, bytes) = (query, 0)
            var page = TapPage(epoch: journal?.text(0) ?? "", taps: [], hasMore: true)
            while page.hasMore, page.taps.count < limit {
                let room = limit - page.taps.count
                let sequences = try self.sequences(position, limit: room + 1, database)
                page.hasMore = sequences.count > room
                for sequence in sequences.prefix(room) {
                    position.after = sequence
                    guard let row = try database.query(TapRow.select, .integer(sequence)).first,
                        let tap = TapRow.tap(row, uncheckedThrough: journal?.integer(1) ?? 0)
                    else {
                        damaged.append(sequence)
                        continue
                    }
                    bytes += Int(TapRow.size(tap.record))
                    if bytes > query.byteLimit, !page.taps.isEmpty {
                        page.hasMore = true
                        return page
                    }
                    page.taps.append(tap)
                }
            }
            return page
        }
        report(damaged)
        return page
    }

    private func report(_ damaged: [Int64]) {
        let new = damaged.filter { damagedRows.insert($0).inserted }
        if !new.isEmpty { onDamage(new) }
    }

    /// When the taps of these sequence numbers, or the next ones, were read: milliseconds since 1970.
    func times(of sequences: [Int64]) throws(SQLiteError) -> [Int64?] {
        try read { (database) throws(SQLiteError) in
            var times: [Int64?] = []
            for sequence in sequences {
                let sql = "SELECT time FROM tap WHERE sequence >= ? ORDER BY sequence LIMIT 1"
                let time = try database.query(sql, .integer(sequence)).first?.integer(0)
                times.append(time.flatMap { TapRow.times.contains($0) ? $0 : nil })
            }
            return times
        }
    }

    /// What is wrong with the file; nil where nothing is.
    func damage() throws(SQLiteError) -> String? {
        try read { (database) throws(SQLiteError) in try JournalOpening.damage(in: database) }
    }

    /// The sequence numbers that match, in order, each reader's found by its index.
    private func sequences(_ query: TapQuery, limit: Int, _ database: Database) throws(SQLiteError) -> [Int64] {
        let (order, isAfter) = query.isNewestFirst ? ("DESC", "<") : ("ASC", ">")
        let bound = query.isNewestFirst && query.after == 0 ? Int64.max : query.after
        let values: [SQLiteValue] = [.integer(bound), .integer(Int64(limit))]
        guard let readers = query.readers else {
            let sql = "SELECT sequence FROM tap WHERE sequence \(isAfter) ? ORDER BY sequence \(order) LIMIT ?"
            return try database.query(sql, values: values).compactMap { $0.integer(0) }
        }
        let sql = """
            SELECT sequence FROM tap WHERE reader = (SELECT number FROM reader WHERE id = ?) AND sequence \(isAfter) ?
            ORDER BY sequence \(order) LIMIT ?
            """
        var sequences: [Int64] = []
        for reader in Set(readers) {
            sequences += try database.query(sql, values: [.text(reader)] + values).compactMap { $0.integer(0) }
        }
        sequences.sort(by: query.isNewestFirst ? { $0 > $1 } : { $0 < $1 })
        return Array(sequences.prefix(limit))
    }

    /// Runs a function in a transaction, so that it sees one state. After an error the next call opens the file again.
    private func read<Value>(_ body: (Database) throws(SQLiteError) -> Value) throws(SQLiteError) -> Value {
        do {
            let database = try connect()
            try database.run("BEGIN")
            let value = try body(database)
            try database.run("COMMIT")
            return value
        } catch {
            database = nil
            throw error
        }
    }

    private func connect() throws(SQLiteError) -> Database {
        if let database { return database }
        let opened = try Database(path: path, mode: .readOnly, vfs: vfs, busyTimeout: .seconds(1))
        try opened.pragma("cache_size", -256)
        try opened.run("PRAGMA trusted_schema = OFF")
        database = opened
        return opened
    }
}
