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
        guard let id = row.text(0), let sequence = row.place(1) else { return nil }
        self.init(
            id: id, sequence: sequence, reader: row.text(2) ?? "", time: row.text(3) ?? "", attempts: row.count(4),
            reason: row.text(5) ?? "")
    }
}

/// Columns as the relay writes them. What a person or a damaged disk wrote is nil or within the same limits, so that no arithmetic
/// overflows.
extension SQLiteRow {
    private static let greatestPlace: Int64 = 1 << 53
    private static let greatestCount: Int64 = 1 << 31
    private static let longestTime = 1e9

    /// A number that counts something; 0 if there is none.
    func count(_ index: Int) -> Int { Int(min(max(0, integer(index) ?? 0), Self.greatestCount)) }

    /// A place in the journal, 0 before the first.
    func place(_ index: Int) -> Int64? {
        integer(index).flatMap { (0...Self.greatestPlace).contains($0) ? $0 : nil }
    }

    /// A time since the start of the machine.
    func seconds(_ index: Int) -> Duration? {
        real(index).flatMap { (0...Self.longestTime).contains($0) ? .seconds($0) : nil }
    }
}
