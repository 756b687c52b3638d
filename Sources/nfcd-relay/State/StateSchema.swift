import FoundationEssentials
import SQLite
import ServiceSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The tables of the state file, and how it is opened.
enum StateSchema {
    /// "nfcr": the file is the relay's.
    private static let applicationID: Int32 = 0x6E66_6372
    private static let version: Int64 = 1

    private static let tables = [
        """
        CREATE TABLE consumers (
            name TEXT PRIMARY KEY, epoch TEXT NOT NULL, base INTEGER NOT NULL, lost_epoch TEXT, pause TEXT) WITHOUT ROWID
        """,
        """
        CREATE TABLE lanes (
            consumer TEXT NOT NULL, reader TEXT NOT NULL, sequence INTEGER NOT NULL, reader_sequence INTEGER,
            attempts INTEGER NOT NULL, refusals INTEGER NOT NULL, replay_through INTEGER NOT NULL,
            PRIMARY KEY (consumer, reader)) WITHOUT ROWID
        """,
        """
        CREATE TABLE milestones (
            consumer TEXT NOT NULL, reader TEXT NOT NULL, sequence INTEGER NOT NULL, reader_sequence INTEGER,
            boot TEXT NOT NULL, seconds REAL NOT NULL, PRIMARY KEY (consumer, reader, sequence)) WITHOUT ROWID
        """,
        """
        CREATE TABLE parked (
            consumer TEXT NOT NULL, id TEXT NOT NULL, sequence INTEGER NOT NULL, reader TEXT NOT NULL, time TEXT NOT NULL,
            attempts INTEGER NOT NULL, reason TEXT NOT NULL, tap TEXT NOT NULL, retried INTEGER NOT NULL,
            PRIMARY KEY (consumer, id))
        """,
        """
        CREATE TABLE notes (consumer TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (consumer, key))
        WITHOUT ROWID
        """,
        "CREATE TABLE scan (epoch TEXT NOT NULL, sequence INTEGER NOT NULL)",
        "CREATE TABLE readers (reader TEXT PRIMARY KEY, sequence INTEGER NOT NULL, reader_sequence INTEGER NOT NULL)",
    ]

    /// Opens the file, or makes it and its directory. A damaged file is moved aside; what is not the relay's stays, and is refused.
    ///
    /// - Parameter isInOwnFolder: whether it is in the relay's state directory, where no other program keeps its files: what is not
    ///   a database there is a damaged state file.
    /// - Returns: the database, and the name that a damaged file has now.
    static func open(
        _ path: String, isInOwnFolder: Bool
    ) throws(StateFile.Failure) -> (Database, movedAside: String?) {
        try makeDirectory(of: path)
        let file = DatabaseFile(path: path)
        let kind = try kind(of: file, isInOwnFolder)
        if kind == .damaged { return try replaced(file) }
        do throws(SQLiteError) {
            return (try prepared(path), nil)
        } catch {
            guard error.code == .corrupt || error.code == .notADatabase else { throw failure(path, error) }
            guard kind != .database(isOurs: false) else {
                throw StateFile.Failure(
                    description: "\(path) is damaged, and not known to be a state file of nfcd-relay; \(moveAdvice)")
            }
        }
        return try replaced(file)
    }

    private static let moveAdvice = "move it away, or set another path in section [state]"

    /// What the file is; refuses what is not the relay's.
    private static func kind(
        of file: DatabaseFile, _ isInOwnFolder: Bool
    ) throws(StateFile.Failure) -> DatabaseFile.Kind {
        let kind: DatabaseFile.Kind
        do throws(FileFailure) {
            kind = try file.kind(
                applicationID: applicationID, isInOwnFolder: isInOwnFolder, wasDatabase: isInOwnFolder)
        } catch {
            throw StateFile.Failure(
                description:
                    "the state file cannot be read: \(error); make it readable for this user, or set path in section [state]"
            )
        }
        guard kind != .foreignDatabase else {
            throw StateFile.Failure(
                description: "the state file \(file.path) cannot be used: it belongs to another program; \(moveAdvice)")
        }
        guard kind != .foreign else {
            throw StateFile.Failure(description: "\(file.path) is not a state file of nfcd-relay; \(moveAdvice)")
        }
        return kind
    }

    /// Moves a damaged file aside, and makes a new one.
    private static func replaced(_ file: DatabaseFile) throws(StateFile.Failure) -> (Database, movedAside: String?) {
        let aside: String
        do throws(FileFailure) {
            aside = try file.moveAside(milliseconds: WallClock.milliseconds)
        } catch {
            throw StateFile.Failure(
                description:
                    "the damaged state file cannot be moved aside: \(error); move it, or make its directory writable for this"
                    + " user")
        }
        do throws(SQLiteError) {
            return (try prepared(file.path), aside)
        } catch {
            throw failure(file.path, error)
        }
    }

    private static func failure(_ path: String, _ error: SQLiteError) -> StateFile.Failure {
        let advice =
            switch error.code {
            case .busy: "another nfcd-relay uses it; stop that one, or set path in section [state]"
            case .full: "the disk is full; free some space"
            default: "make it writable for this user, or set path in section [state]"
            }
        return StateFile.Failure(description: "the state file \(path) cannot be used: \(error.message); \(advice)")
    }

    private static func makeDirectory(of path: String) throws(StateFile.Failure) {
        let directory = URL(filePath: path).deletingLastPathComponent().path
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw StateFile.Failure(
                description:
                    "the directory \(directory) of the state file cannot be made: \(error); make it, or set path in"
                    + " section [state]")
        }
    }

    /// Opens the file for this process alone: a second relay is refused.
    private static func prepared(_ path: String) throws(SQLiteError) -> Database {
        makePrivateFile(path)
        let database = try Database(path: path, mode: .create, busyTimeout: .seconds(2))
        try database.run("PRAGMA locking_mode = EXCLUSIVE")
        // Before anything that changes the file of another program.
        let isNew = try isNew(database, path)
        for setting in [
            "journal_mode = WAL", "synchronous = FULL", "journal_size_limit = 1048576", "cache_size = -256",
        ] {
            try database.run("PRAGMA \(setting)")
        }
        if isNew { try makeTables(database) }
        if let damage = try database.quickCheck().first {
            throw SQLiteError(extendedCode: SQLiteCode.corrupt.rawValue, message: damage, statement: path)
        }
        return database
    }

    private static func makeTables(_ database: Database) throws(SQLiteError) {
        try database.transaction { () throws(SQLiteError) in
            for table in tables { try database.run(table) }
            try database.pragma("application_id", Int64(applicationID))
            try database.pragma("user_version", version)
        }
        // So that the file itself says what it is.
        try database.checkpoint(.truncate)
    }

    /// Whether the database is empty. Refuses a foreign one, and one of a newer version.
    private static func isNew(_ database: Database, _ path: String) throws(SQLiteError) -> Bool {
        let id = try database.pragma("application_id")
        if id == 0, try database.query("SELECT name FROM sqlite_schema").isEmpty { return true }
        guard id == Int64(applicationID) else {
            throw SQLiteError(
                extendedCode: SQLiteCode.cannotOpen.rawValue, message: "it belongs to another program", statement: path)
        }
        guard try database.pragma("user_version") ?? 0 <= version else {
            throw SQLiteError(
                extendedCode: SQLiteCode.cannotOpen.rawValue, message: "it was written by a newer nfcd-relay",
                statement: path)
        }
        return false
    }
}

/// Makes a file that only this user can read. SQLite gives its other files the same mode; the file mode creation mask belongs to all
/// threads of the process, and stays unchanged.
private func makePrivateFile(_ path: String) {
    // What exists is not touched before it is known to be the relay's, nor what a link names.
    let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if descriptor >= 0 { close(descriptor) }
}
