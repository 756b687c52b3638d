import FoundationEssentials
import NFCTypes
import SQLite
import TapJournal

/// How a tap is stored as a row.
enum TapRow {
    /// The tables of version 3.
    ///
    /// `AUTOINCREMENT` never uses a sequence number again, not even where all taps were deleted (autoinc.html).
    static let schema = [
        """
        CREATE TABLE journal (
          epoch TEXT NOT NULL, dropped INTEGER NOT NULL DEFAULT 0, unchecked_through INTEGER NOT NULL DEFAULT 0,
          generation INTEGER NOT NULL DEFAULT 0, counters INTEGER NOT NULL DEFAULT 0
        ) STRICT
        """,
        """
        CREATE TABLE reader (
          number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, newest INTEGER NOT NULL
        ) STRICT
        """,
        """
        CREATE TABLE tap (
          sequence INTEGER PRIMARY KEY AUTOINCREMENT, reader INTEGER NOT NULL, reader_sequence INTEGER NOT NULL,
          id BLOB NOT NULL, time INTEGER NOT NULL, since_boot INTEGER NOT NULL, boot TEXT NOT NULL,
          is_synchronised INTEGER NOT NULL, reader_name TEXT NOT NULL, type TEXT NOT NULL, technology TEXT,
          identifier BLOB NOT NULL, identifier_form TEXT NOT NULL, message BLOB, status TEXT, capacity INTEGER,
          failure INTEGER, failure_detail TEXT, session TEXT, checksum INTEGER, proof TEXT
        ) STRICT
        """,
        setAsideTable,
        "CREATE INDEX tap_reader ON tap (reader)",
        consumerTable,
        CounterTable.schema,
    ]

    /// The table of rows that cannot be taps.
    static let setAsideTable = """
        CREATE TABLE set_aside (
          sequence ANY, reader ANY, reader_sequence ANY, id ANY, time ANY, since_boot ANY, boot ANY, is_synchronised ANY,
          reader_name ANY, type ANY, technology ANY, identifier ANY, identifier_form ANY, message ANY, status ANY,
          capacity ANY, failure ANY, failure_detail ANY, session ANY, checksum ANY, proof ANY
        ) STRICT
        """

    /// The table of consumers.
    static let consumerTable = """
        CREATE TABLE consumer (
          name TEXT NOT NULL, owner INTEGER NOT NULL, acknowledged INTEGER NOT NULL, lost INTEGER NOT NULL DEFAULT 0,
          PRIMARY KEY (name, owner)
        ) STRICT, WITHOUT ROWID
        """

    static let insert = """
        INSERT INTO tap (sequence, reader, reader_sequence, id, time, since_boot, boot, is_synchronised, reader_name, type, technology,
          identifier, identifier_form, message, status, capacity, failure, failure_detail, session, checksum, proof)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    static let select = """
        SELECT tap.sequence, tap.reader_sequence, reader.id, tap.id, time, since_boot, boot, is_synchronised, reader_name, type,
          technology, identifier, identifier_form, message, status, capacity, failure, failure_detail, session, checksum, proof
        FROM tap JOIN reader ON reader.number = tap.reader WHERE tap.sequence = ?
        """

    /// The values of `insert`.
    static func values(_ tap: JournalTap, reader: Int64) -> [SQLiteValue] {
        let (sequence, place) = (SQLiteValue.integer(tap.sequence), SQLiteValue.integer(tap.readerSequence))
        let content = values(tap.record)
        let proof = SQLiteValue(tap.record.proof.flatMap(ProofText.encoded))
        let checksum = checksum(of: [sequence, place, .text(tap.record.reader)] + content, proof)
        return [sequence, .integer(reader), place] + content + [.integer(checksum), proof]
    }

    private static func values(_ tap: TapRecord) -> [SQLiteValue] {
        [
            .blob(tap.id.bytes), .integer(tap.time.milliseconds),
            .integer(Int64(tap.time.sinceBoot / .milliseconds(1))), .text(tap.time.bootID),
            tap.time.clock == .synchronised ? 1 : 0, .text(tap.readerName), .text(tap.type.rawValue),
            SQLiteValue(tap.technology), .blob(tap.identifier), .text(tap.identifierForm.rawValue),
            SQLiteValue(tap.message),
            SQLiteValue(tap.status?.rawValue), SQLiteValue(tap.capacity), SQLiteValue(tap.failure?.code.rawValue),
            SQLiteValue(tap.failure?.detail), SQLiteValue(tap.session),
        ]
    }

    /// The tap of a row of `select`; nil where the row is damaged.
    ///
    /// - Parameter last: the last tap of the journal that has no checksum.
    static func tap(_ row: SQLiteRow, uncheckedThrough last: Int64) -> JournalTap? {
        guard let sequence = row.integer(0), let readerSequence = row.integer(1), readerSequence > 0,
            isIntact(row, sequence, uncheckedThrough: last), let record = record(row)
        else { return nil }
        return JournalTap(sequence: sequence, readerSequence: readerSequence, record: record)
    }

    private static func isIntact(_ row: SQLiteRow, _ sequence: Int64, uncheckedThrough last: Int64) -> Bool {
        if row[checksumColumn] == .null, sequence <= last { return true }
        return row.integer(checksumColumn) == checksum(of: row.values.prefix(checksumColumn), row[proofColumn])
    }

    /// A row without a proof has the checksum that it had in version 2.
    private static func checksum(of values: some Sequence<SQLiteValue>, _ proof: SQLiteValue) -> Int64 {
        RowChecksum.of(proof == .null ? Array(values) : values + [proof])
    }

    private static let (checksumColumn, proofColumn) = (19, 20)
    /// The times that have a text, until the end of the year 9999.
    static let times: ClosedRange<Int64> = 0...253_402_300_799_999

    private static func record(_ row: SQLiteRow) -> TapRecord? {
        guard let reader = row.text(2), let id = row.blob(3).flatMap(TapID.init(bytes:)), let time = time(row),
            let readerName = row.text(8), let type = row.text(9).flatMap(TagType.init(rawValue:)),
            let identifier = row.blob(11), let form = row.text(12).flatMap(IdentifierForm.init(rawValue:))
        else { return nil }
        let status = row.text(14).flatMap(NDEFStatus.init(rawValue:))
        guard (status == nil) == (row[14] == .null), (0...Int64(UInt32.max)).contains(row.integer(15) ?? 0) else {
            return nil
        }
        let failure = row.integer(16).map { TapFailure(NFCErrorCode(rawValue: Int($0)), row.text(17) ?? "") }
        let proof = row.text(proofColumn).flatMap(ProofText.decoded)
        guard (proof == nil) == (row[proofColumn] == .null) else { return nil }
        return TapRecord(
            id: id, time: time, reader: reader, readerName: readerName, type: type, technology: row.text(10),
            identifier: identifier, identifierForm: form, message: row.blob(13),
            status: status, capacity: row.integer(15).map { Int($0) },
            failure: failure, session: row.text(18), proof: proof)
    }

    private static func time(_ row: SQLiteRow) -> TapTime? {
        guard let milliseconds = row.integer(4), times.contains(milliseconds), let sinceBoot = row.integer(5),
            times.contains(sinceBoot), let boot = row.text(6)
        else { return nil }
        return TapTime(
            milliseconds: milliseconds, sinceBoot: .milliseconds(sinceBoot), bootID: boot,
            clock: row.integer(7) == 1 ? .synchronised : .unsynchronised)
    }

    /// About how many bytes a tap takes, the index included.
    static func size(_ tap: TapRecord) -> Int64 {
        let texts =
            tap.readerName.utf8.count + (tap.technology?.utf8.count ?? 0) + (tap.failure?.detail.utf8.count ?? 0)
        let proof = tap.proof == nil ? 0 : ProofText.usualSize + (tap.claim == nil ? 0 : CounterTable.lineSize)
        return Int64(160 + texts + tap.identifier.count + (tap.message?.count ?? 0)) + proof
    }
}

/// A proof as JSON, as the socket has it.
enum ProofText {
    /// About its bytes.
    static let usualSize: Int64 = 320

    static func encoded(_ proof: TapProof) -> String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(proof)).map { String(decoding: $0, as: UTF8.self) }
    }

    static func decoded(_ text: String) -> TapProof? {
        try? JSONDecoder().decode(TapProof.self, from: Data(text.utf8))
    }
}
