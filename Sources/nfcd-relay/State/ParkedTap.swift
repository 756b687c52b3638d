import NFCProtocol
import SQLite

/// A tap that a receiver refused permanently.
struct ParkedTap: Sendable {
    let tap: RecordedTap
    let summary: ParkedSummary
    /// Whether it is to be delivered again.
    let isRetried: Bool

    /// - Parameter time: when it was parked: RFC 3339.
    init(_ tap: RecordedTap, time: String, attempts: Int, reason: String, isRetried: Bool = false) {
        self.tap = tap
        self.isRetried = isRetried
        summary = ParkedSummary(
            id: tap.id, sequence: tap.sequence, reader: tap.reader, time: time, attempts: attempts, reason: reason)
    }
}

/// A parked tap without the tap itself.
struct ParkedSummary: Sendable, Hashable {
    let id: String
    let sequence: Int64
    let reader: String
    /// When it was parked: RFC 3339.
    let time: String
    let attempts: Int
    let reason: String
}

extension ParkedSummary {
    /// The first columns of a row of the table: the properties in their order.
    init?(_ row: SQLiteRow) {
        guard let id = row.text(0), let sequence = row.integer(1) else { return nil }
        self.init(
            id: id, sequence: sequence, reader: row.text(2) ?? "", time: row.text(3) ?? "", attempts: row.count(4),
            reason: row.text(5) ?? "")
    }
}

extension SQLiteRow {
    /// A number that counts something; 0 where there is none.
    func count(_ index: Int) -> Int { Int(clamping: integer(index) ?? 0) }
}
