import CSQLite

/// A connection to a database file. One thread uses it at a time: it is not Sendable, and SQLite does not lock it.
///
/// Statements are prepared once and reset after each use, so that none keeps its read transaction open.
package final class Database {
    /// How a file is opened.
    package enum Mode: Sendable {
        /// For reading and writing; a file that does not exist is made.
        case create
        /// For reading and writing a file that exists.
        case readWrite
        /// For reading a file that exists.
        case readOnly

        var flags: Int32 {
            switch self {
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .readWrite: SQLITE_OPEN_READWRITE
            case .readOnly: SQLITE_OPEN_READONLY
            }
        }
    }

    /// The version of the SQLite library, for example "3.40.1".
    package static var libraryVersion: String { String(cString: sqlite3_libversion()) }

    private let connection: OpaquePointer
    /// Prepared statements that no call uses now, by their text.
    private var statements: [String: OpaquePointer] = [:]
    private static let statementLimit = 64

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: its path, as it is (not a URI).
    ///   - vfs: the name of a registered file system of SQLite; nil for the default one.
    ///   - busyTimeout: how long a statement waits for the lock of another connection.
    package init(
        path: String, mode: Mode, vfs: String? = nil, busyTimeout: Duration = .seconds(5)
    ) throws(SQLiteError) {
        var opened: OpaquePointer?
        let flags = mode.flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let result = sqlite3_open_v2(path, &opened, flags, vfs)
        guard result == SQLITE_OK, let opened else {
            let message = opened.map { String(cString: sqlite3_errmsg($0)) }
            sqlite3_close_v2(opened)
            throw SQLiteError(
                extendedCode: result == SQLITE_OK ? SQLITE_NOMEM : result, message: message, statement: path)
        }
        connection = opened
        let milliseconds = busyTimeout / .milliseconds(1)
        sqlite3_busy_timeout(opened, Int32(clamping: Int64(min(milliseconds, Double(Int32.max)))))
    }

    deinit {
        finalizeStatements()
        sqlite3_close_v2(connection)
    }

    /// How many rows the last INSERT, UPDATE or DELETE changed.
    package var changes: Int { Int(sqlite3_changes64(connection)) }

    /// The row id that the last INSERT made.
    package var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(connection) }

    /// Whether a transaction is open. An error can end it (lang_transaction.html).
    package var isInTransaction: Bool { sqlite3_get_autocommit(connection) == 0 }

    /// Runs a statement to its end, and ignores its rows.
    package func run(_ sql: String, _ values: SQLiteValue...) throws(SQLiteError) {
        try forEach(sql, values) { _ in true }
    }

    /// Runs a statement that gets its parameters as an array.
    package func run(_ sql: String, values: [SQLiteValue]) throws(SQLiteError) {
        try forEach(sql, values) { _ in true }
    }

    /// All rows of a statement.
    package func query(_ sql: String, _ values: SQLiteValue...) throws(SQLiteError) -> [SQLiteRow] {
        try query(sql, values: values)
    }

    /// All rows of a statement that gets its parameters as an array.
    package func query(_ sql: String, values: [SQLiteValue]) throws(SQLiteError) -> [SQLiteRow] {
        var rows: [SQLiteRow] = []
        try forEach(sql, values) { row in
            rows.append(row)
            return true
        }
        return rows
    }

    /// Calls a function with one row after another, until it returns false.
    ///
    /// - Parameter values: the parameters of the statement, all of them.
    package func forEach(
        _ sql: String, _ values: [SQLiteValue] = [], _ body: (SQLiteRow) -> Bool
    ) throws(SQLiteError) {
        let statement = try takeStatement(sql)
        defer { putBack(statement, sql) }
        try bind(values, to: statement, sql)
        while true {
            let result = sqlite3_step(statement)
            switch result {
            case SQLITE_ROW: if !body(SQLiteRow(of: statement)) { return }
            case SQLITE_DONE: return
            default: throw error(result, sql)
            }
        }
    }

    /// Runs a function in a transaction that can write from its start (BEGIN IMMEDIATE), and rolls it back where it throws.
    package func transaction<Value>(_ body: () throws(SQLiteError) -> Value) throws(SQLiteError) -> Value {
        try run("BEGIN IMMEDIATE")
        do {
            let value = try body()
            try run("COMMIT")
            return value
        } catch {
            // Where rolling back fails too, SQLite rolls back when the file is next used. The first error is the cause.
            if isInTransaction { try? run("ROLLBACK") }
            throw error
        }
    }

    private func bind(_ values: [SQLiteValue], to statement: OpaquePointer, _ sql: String) throws(SQLiteError) {
        let expected = Int(sqlite3_bind_parameter_count(statement))
        guard expected == values.count else {
            let message = "\(values.count) values for \(expected) parameters"
            throw SQLiteError(extendedCode: SQLITE_RANGE, message: message, statement: sql)
        }
        for (index, value) in values.enumerated() {
            let result = value.bind(to: statement, at: Int32(index + 1))
            guard result == SQLITE_OK else { throw error(result, sql) }
        }
    }

    private func takeStatement(_ sql: String) throws(SQLiteError) -> OpaquePointer {
        if let statement = statements.removeValue(forKey: sql) { return statement }
        var prepared: OpaquePointer?
        let result = sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard result == SQLITE_OK else { throw error(result, sql) }
        guard let prepared else {
            throw SQLiteError(extendedCode: SQLITE_MISUSE, message: "no statement", statement: sql)
        }
        return prepared
    }

    /// Resets a statement and keeps it; not where a call within a row's function prepared the same text, and not a pragma,
    /// which may act when it is prepared instead of when it is run (pragma.html).
    private func putBack(_ statement: OpaquePointer, _ sql: String) {
        guard !sql.hasPrefix("PRAGMA") else {
            sqlite3_finalize(statement)
            return
        }
        sqlite3_reset(statement)
        sqlite3_clear_bindings(statement)
        if statements.count >= Self.statementLimit { finalizeStatements() }
        if let other = statements.updateValue(statement, forKey: sql) { sqlite3_finalize(other) }
    }

    private func finalizeStatements() {
        for statement in statements.values { sqlite3_finalize(statement) }
        statements = [:]
    }

    private func error(_ result: Int32, _ sql: String) -> SQLiteError {
        SQLiteError(extendedCode: result, message: String(cString: sqlite3_errmsg(connection)), statement: sql)
    }
}

// MARK: Maintenance

extension Database {
    /// The integer that a pragma answers with; nil where it has no answer. With a value, sets it first.
    @discardableResult
    package func pragma(_ name: String, _ value: Int64? = nil) throws(SQLiteError) -> Int64? {
        try query(value.map { "PRAGMA \(name) = \($0)" } ?? "PRAGMA \(name)").first?.integer(0)
    }

    /// What is wrong with the file: structure and values of its tables, not whether the indexes match. Empty where nothing is.
    ///
    /// It reads the whole file, and stops at the first problems.
    package func quickCheck() throws(SQLiteError) -> [String] {
        try problems("PRAGMA quick_check(3)")
    }

    /// What is wrong with the file, also whether the indexes match their tables. It takes longer than `quickCheck`.
    package func integrityCheck() throws(SQLiteError) -> [String] {
        try problems("PRAGMA integrity_check(3)")
    }

    private func problems(_ sql: String) throws(SQLiteError) -> [String] {
        try query(sql).compactMap { $0.text(0) }.filter { $0 != "ok" }
    }

    /// How a checkpoint ends.
    package enum Checkpoint: Sendable {
        /// Copies what no reader needs, and does not wait (PASSIVE).
        case passive
        /// Copies everything, waiting for readers, and empties the WAL file (TRUNCATE).
        case truncate
    }

    /// Copies the write-ahead log into the database file.
    ///
    /// - Returns: how many pages of the log are not copied, because a reader needs the state before them.
    @discardableResult
    package func checkpoint(_ checkpoint: Checkpoint) throws(SQLiteError) -> Int {
        var (log, copied) = (Int32(0), Int32(0))
        let mode = checkpoint == .passive ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_TRUNCATE
        let result = sqlite3_wal_checkpoint_v2(connection, nil, mode, &log, &copied)
        guard result == SQLITE_OK || result & 0xFF == SQLITE_BUSY else { throw error(result, "wal_checkpoint") }
        return Int(max(0, log - copied))
    }

    /// Gives free pages at the end of the file back to the file system.
    ///
    /// - Parameter pages: how many at most.
    package func incrementalVacuum(pages: Int) throws(SQLiteError) {
        // Each step frees one page: `run` steps to the end.
        try run("PRAGMA incremental_vacuum(\(pages))")
    }
}
