import CSQLite

/// The version of the SQLite library.
public let sqliteVersion = String(cString: sqlite3_libversion())
