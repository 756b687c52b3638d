import SQLite
import TapJournal

/// Why the journal cannot continue with its file.
enum JournalFault: Error, Hashable {
    /// The file is damaged.
    case damaged(String)
    /// The disk is full.
    case full(String)
    /// It is another file, of a newer nfcd, or in use: it stays unchanged.
    case refused(String)
    /// Reading or writing failed.
    case failed(String)

    init(_ error: SQLiteError, path: String) {
        switch error.code {
        case .corrupt, .notADatabase: self = .damaged(error.description)
        case .full: self = .full("there is no space left for \(path): free space on its disk")
        case .readOnly: self = .failed("\(path) is read-only (\(error)): make its file system writable")
        case .busy: self = .failed("another program has locked \(path) (\(error)): end it")
        default: self = .failed("\(path) cannot be used (\(error)): check the disk")
        }
    }

    init(_ failure: FileFailure) {
        self = .failed("\(failure): check the path, its permissions and the disk")
    }
}

/// Opens the file of a journal; a new one gets its tables.
struct JournalOpening {
    /// "NFCJ", at offset 68 of the file.
    static let applicationID: Int32 = 0x4E46_434A
    /// The version of the tables.
    static let version: Int64 = 3

    let folder: JournalFolder
    let settings: SQLiteJournal.Settings
    let vfs: String?
    /// Whether there was a journal at this path before, and it was not moved aside since.
    let wasJournal: Bool
    /// What was noted of the last journal at this path; nil if there was none.
    let mark: JournalMark?

    /// Opens the file for writing.
    ///
    /// - Returns: the connection, whether the content was checked, which takes too long in a large file, and what was repaired.
    func open() throws(JournalFault) -> (database: Database, isChecked: Bool, repairs: [String]) {
        let isOurs = try checkKind()
        let size = folder.file.size ?? 0
        let (database, isNew): (Database, Bool)
        do throws(JournalFault) {
            (database, isNew) = try openDatabase()
        } catch {
            guard case .damaged(let reason) = error, !isOurs else { throw error }
            throw .refused("\(path) is damaged, and not known to be a journal (\(reason)): \(Self.advice)")
        }
        folder.protect()
        // `auto_vacuum` before WAL, where it would have no effect (pragma.html).
        if isNew { try wrap { () throws(SQLiteError) in try database.run("PRAGMA auto_vacuum = INCREMENTAL") } }
        guard try wrap({ () throws(SQLiteError) in try configure(database) }) else {
            throw .refused("the file system of \(path) does not support the write-ahead log: use a local disk")
        }
        if isNew { try wrap { () throws(SQLiteError) in try makeTables(in: database) } }
        var repairs = try wrap { () throws(SQLiteError) in
            try JournalMigration.run(database)
            return try database.transaction { () throws(SQLiteError) in try JournalRepair.run(database) }
        }
        if !isNew, let mark, let copy = try wrap({ () throws(SQLiteError) -> String? in try noteCopy(database, mark) })
        {
            repairs.append(copy)
        }
        let isChecked = size <= settings.checkedAtOpening
        if isChecked, let damage = try wrap({ () throws(SQLiteError) -> String? in try Self.damage(in: database) }) {
            throw .damaged(damage)
        }
        return (database, isChecked, repairs)
    }

    /// Opens the database, and refuses that of another program.
    private func openDatabase() throws(JournalFault) -> (Database, isNew: Bool) {
        let database = try wrap { () throws(SQLiteError) in
            try Database(path: path, mode: .readWrite, vfs: vfs, busyTimeout: min(settings.commitLimit, .seconds(1)))
        }
        let isNew = try wrap { () throws(SQLiteError) -> Bool in try self.isNew(database) }
        if !isNew, let refusal = try wrap({ () throws(SQLiteError) -> String? in try refusal(database) }) {
            throw .refused(refusal)
        }
        return (database, isNew)
    }

    private var path: String { folder.file.path }
    private static let advice = "move it away, or set another path"

    /// An error of the schema is damage too: the statements are right, so the tables are not.
    private func wrap<Value>(_ body: () throws(SQLiteError) -> Value) throws(JournalFault) -> Value {
        do {
            return try body()
        } catch {
            if error.code == .error { throw .damaged(error.description) }
            throw JournalFault(error, path: path)
        }
    }

    /// Makes the file where it is missing.
    ///
    /// - Returns: whether it may be moved aside where SQLite finds it damaged.
    private func checkKind() throws(JournalFault) -> Bool {
        let kind: DatabaseFile.Kind
        do throws(FileFailure) {
            kind = try folder.file.kind(
                applicationID: Self.applicationID, isInOwnFolder: settings.isInOwnFolder, wasDatabase: wasJournal)
            if kind == .new { try folder.makeFile() }
        } catch {
            throw JournalFault(error)
        }
        switch kind {
        case .new: return true
        case .database(let isOurs): return isOurs
        case .damaged: throw .damaged("its first bytes or its size are not those of a database")
        case .foreign: throw .refused("\(path) is not a journal: \(Self.advice)")
        case .foreignDatabase: throw .refused("\(path) is the database of another program: set another path")
        }
    }

    private func isNew(_ database: Database) throws(SQLiteError) -> Bool {
        let tables = try database.query("SELECT count(*) FROM sqlite_schema").first?.integer(0)
        return try database.pragma("application_id") == 0 && tables == 0
    }

    private func refusal(_ database: Database) throws(SQLiteError) -> String? {
        guard try database.pragma("application_id") == Int64(Self.applicationID) else {
            return "\(path) is the database of another program: set another path"
        }
        let version = try database.pragma("user_version") ?? 0
        guard version > Self.version else { return nil }
        return
            "\(path) was made by a newer nfcd (version \(version), this one knows \(Self.version)): update nfcd"
    }

    /// Notes that counters were lost if this is an older copy of the journal.
    private func noteCopy(_ database: Database, _ mark: JournalMark) throws(SQLiteError) -> String? {
        let row = try database.query("SELECT epoch, counters FROM journal").first
        guard mark.isAhead(of: row?.text(0) ?? "", counters: row?.integer(1) ?? 0) else { return nil }
        try CounterTable.noteLoss(in: database)
        return "the journal is an older copy: counters of proven tags were lost"
    }

    private func makeTables(in database: Database) throws(SQLiteError) {
        try database.transaction { () throws(SQLiteError) in
            for statement in TapRow.schema { try database.run(statement) }
            try database.run("INSERT INTO journal (epoch) VALUES (?)", .text(Self.epoch()))
            if mark != nil { try CounterTable.noteLoss(in: database) }
            try database.pragma("application_id", Int64(Self.applicationID))
            try database.pragma("user_version", Self.version)
        }
        // So that the file itself says what it is.
        try database.checkpoint(.truncate)
    }

    /// What holds for a connection, and is not stored in the file. A damaged file must not make SQLite do anything else.
    ///
    /// - Returns: false where the write-ahead log cannot be used.
    private func configure(_ database: Database) throws(SQLiteError) -> Bool {
        guard try database.query("PRAGMA journal_mode = WAL").first?.text(0) == "wal" else { return false }
        try database.run("PRAGMA synchronous = FULL")
        try database.run("PRAGMA secure_delete = ON")
        try database.run("PRAGMA trusted_schema = OFF")
        try database.run("PRAGMA cell_size_check = ON")
        try database.run("PRAGMA temp_store = MEMORY")
        try database.pragma("cache_size", -256)
        try database.pragma("mmap_size", 0)
        try database.pragma("journal_size_limit", 1 << 20)
        // Checkpoints are made between the commits; this is for when there is no time between them.
        try database.pragma("wal_autocheckpoint", 1000)
        let pageSize = try database.pragma("page_size") ?? 4096
        // The limit of bytes is kept by deleting and refusing. This one holds where that went wrong.
        try database.pragma("max_page_count", settings.byteLimit / pageSize + 256)
        return true
    }

    /// What is wrong with the content: of tables and indexes, and whether taps are missing. Nil where nothing is.
    static func damage(in database: Database) throws(SQLiteError) -> String? {
        if let problem = try database.integrityCheck().first { return problem }
        let counts = try database.query(
            """
            SELECT count(*), min(sequence), max(sequence), (SELECT seq FROM sqlite_sequence WHERE name = 'tap'),
              (SELECT count(*) FROM set_aside) FROM tap
            """)
        guard let counts = counts.first, let count = counts.integer(0), count > 0 else { return nil }
        let (oldest, newest) = (counts.integer(1) ?? 0, counts.integer(2) ?? 0)
        let given = counts.integer(3) ?? 0
        let limits = 0...JournalRepair.greatest
        guard limits.contains(oldest), limits.contains(given), given >= newest,
            given - oldest - (count - 1) <= counts.integer(4) ?? 0
        else {
            return "it has \(count) taps from \(oldest) to \(newest), the last of \(counts.integer(3) ?? 0)"
        }
        return nil
    }

    /// A random UUID (RFC 9562, 5.4).
    private static func epoch() -> String {
        var generator = SystemRandomNumberGenerator()
        var bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
        bytes[6] = 0x40 | bytes[6] & 0x0F
        bytes[8] = 0x80 | bytes[8] & 0x3F
        return TapID(bytes: bytes)?.description ?? ""
    }
}
