import CSQLite

/// Why SQLite did not run a statement.
package struct SQLiteError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error.
    package let code: SQLiteCode
    /// The result code with its details, for example 778 for an I/O error while writing.
    package let extendedCode: Int32
    /// SQLite's words.
    package let message: String
    /// The statement, or the path of a file that could not be opened.
    package let statement: String

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - extendedCode: the result of the call.
    ///   - message: by default SQLite's words for the code.
    package init(extendedCode: Int32, message: String? = nil, statement: String) {
        self.code = SQLiteCode(rawValue: extendedCode & 0xFF)
        self.extendedCode = extendedCode
        self.message = message ?? String(cString: sqlite3_errstr(extendedCode))
        self.statement = statement
    }

    package var description: String { "\(message) (SQLite code \(extendedCode)): \(statement)" }
}

/// A primary result code of SQLite (rescode.html).
package struct SQLiteCode: RawRepresentable, Sendable, Hashable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// The statement does not match the tables (SQLITE_ERROR).
    package static let error = Self(rawValue: SQLITE_ERROR)
    /// Another connection holds a lock (SQLITE_BUSY).
    package static let busy = Self(rawValue: SQLITE_BUSY)
    /// The file, its folder or its file system is read-only (SQLITE_READONLY).
    package static let readOnly = Self(rawValue: SQLITE_READONLY)
    /// The file system refused to read, write or sync (SQLITE_IOERR).
    package static let inputOutput = Self(rawValue: SQLITE_IOERR)
    /// The file is damaged (SQLITE_CORRUPT).
    package static let corrupt = Self(rawValue: SQLITE_CORRUPT)
    /// The disk is full, or `max_page_count` is reached (SQLITE_FULL).
    package static let full = Self(rawValue: SQLITE_FULL)
    /// The file cannot be opened (SQLITE_CANTOPEN).
    package static let cannotOpen = Self(rawValue: SQLITE_CANTOPEN)
    /// A value breaks a rule of the schema (SQLITE_CONSTRAINT).
    package static let constraint = Self(rawValue: SQLITE_CONSTRAINT)
    /// The file is not a database (SQLITE_NOTADB).
    package static let notADatabase = Self(rawValue: SQLITE_NOTADB)
}
