import CSQLite

/// A value of a column, or of a parameter of a statement.
package enum SQLiteValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
}

extension SQLiteValue: ExpressibleByNilLiteral, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    package init(nilLiteral: ()) {
        self = .null
    }

    package init(integerLiteral value: Int64) {
        self = .integer(value)
    }

    package init(stringLiteral value: String) {
        self = .text(value)
    }
}

extension SQLiteValue {
    /// An integer, or NULL.
    package init(_ value: (some FixedWidthInteger)?) {
        self = value.map { .integer(Int64(truncatingIfNeeded: $0)) } ?? .null
    }

    /// A text, or NULL.
    package init(_ value: String?) {
        self = value.map(Self.text) ?? .null
    }

    /// A blob, or NULL.
    package init(_ value: [UInt8]?) {
        self = value.map(Self.blob) ?? .null
    }

    /// Sets a parameter of a statement, counted from 1.
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        switch self {
        case .null: return sqlite3_bind_null(statement, index)
        case .integer(let value): return sqlite3_bind_int64(statement, index, value)
        case .real(let value): return sqlite3_bind_double(statement, index, value)
        case .text(var value):
            return value.withUTF8 { bytes in
                // A nil pointer would bind NULL instead of an empty text.
                guard let base = bytes.baseAddress else { return sqlite3_bind_text(statement, index, "", 0, nil) }
                return base.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
                    sqlite3_bind_text(statement, index, $0, Int32(bytes.count), csqlite_transient())
                }
            }
        case .blob(let value) where value.isEmpty: return sqlite3_bind_zeroblob(statement, index, 0)
        case .blob(let value):
            return value.withUnsafeBytes {
                sqlite3_bind_blob(statement, index, $0.baseAddress, Int32($0.count), csqlite_transient())
            }
        }
    }

    /// Copies a column of the current row of a statement.
    init(column index: Int32, of statement: OpaquePointer) {
        switch sqlite3_column_type(statement, index) {
        case SQLITE_INTEGER: self = .integer(sqlite3_column_int64(statement, index))
        case SQLITE_FLOAT: self = .real(sqlite3_column_double(statement, index))
        case SQLITE_TEXT:
            let start = sqlite3_column_text(statement, index)
            let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, index)))
            self = .text(String(decoding: bytes, as: UTF8.self))
        case SQLITE_BLOB:
            let start = sqlite3_column_blob(statement, index)
            let bytes = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, index)))
            self = .blob(Array(bytes))
        default: self = .null
        }
    }
}

/// The columns of a row, counted from 0. A column of another type, or one that does not exist, is nil.
package struct SQLiteRow: Sendable, Hashable {
    package let values: [SQLiteValue]

    init(of statement: OpaquePointer) {
        values = (0..<sqlite3_column_count(statement)).map { SQLiteValue(column: $0, of: statement) }
    }

    package subscript(_ index: Int) -> SQLiteValue { index < values.count ? values[index] : .null }

    package func integer(_ index: Int) -> Int64? {
        if case .integer(let value) = self[index] { value } else { nil }
    }

    package func real(_ index: Int) -> Double? {
        if case .real(let value) = self[index] { value } else { nil }
    }

    package func text(_ index: Int) -> String? {
        if case .text(let value) = self[index] { value } else { nil }
    }

    package func blob(_ index: Int) -> [UInt8]? {
        if case .blob(let value) = self[index] { value } else { nil }
    }
}
