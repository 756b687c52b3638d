import NFCProtocol

/// A row of a batch: the message that one tag gets.
struct BatchRow: Equatable, Sendable {
    /// The number in the report and of `{n}`.
    let number: Int
    /// The encoded message.
    let bytes: [UInt8]
    /// The values of the table, by column, which the report repeats.
    var columns: [String: String] = [:]
    /// The password that the tag gets; nil for that of the whole batch, if any.
    var password: HexBytes?

    /// Values that the message does not use may change between two runs.
    static func == (left: Self, right: Self) -> Bool { left.number == right.number && left.bytes == right.bytes }
}

/// Which tag gets which row of a batch.
///
/// Each row goes to one tag, and each tag gets one row. A tag that was removed while it was written may hold its row: the row
/// is reserved for that tag, and the next tag gets the next row.
struct BatchPlan: Sendable {
    /// What is known of a tag before it is used.
    enum Verdict: Equatable {
        /// It may get a row.
        case usable
        /// It has a row of this batch.
        case written(number: Int)
        /// It is the original of the copies.
        case original
        /// It reports no UID, or another one each time (ISO/IEC 14443-3, 6.5.4), so that it could get several rows.
        case notIdentifiable
    }

    private enum State: Equatable {
        case open
        case reserved([UInt8])
        case written
    }

    private let rows: [BatchRow]
    private let original: [UInt8]?
    private var states: [State]
    /// The rows with a message.
    private let indices: [[UInt8]: [Int]]
    private var writtenTags: [[UInt8]: Int] = [:]
    /// No row before this one is open.
    private var firstOpen = 0

    /// - Parameter original: the UID of the tag that must keep its message.
    init(_ rows: [BatchRow], original: [UInt8]? = nil) {
        (self.rows, self.original) = (rows, original)
        states = rows.map { _ in .open }
        indices = Dictionary(grouping: rows.indices) { rows[$0].bytes }
    }

    /// The number of rows.
    var total: Int { rows.count }

    /// The number of rows that are on their tags.
    private(set) var writtenCount = 0

    var isComplete: Bool { writtenCount == total }

    /// The row for the next tag; nil if all are written or reserved.
    var next: BatchRow? { rows.indices.dropFirst(firstOpen).first { states[$0] == .open }.map { rows[$0] } }

    /// The rows that are reserved, with the UIDs of their tags.
    var reserved: [(row: BatchRow, tag: [UInt8])] {
        zip(rows, states).compactMap { row, state in
            if case .reserved(let tag) = state { (row, tag) } else { nil }
        }
    }

    /// Whether a row is kept for a tag.
    func isReserved(for tag: [UInt8]) -> Bool { states.contains(.reserved(tag)) }

    /// Whether a tag may get a row.
    func verdict(on tag: [UInt8]) -> Verdict {
        if tag.isEmpty || (tag.count == 4 && tag.first == 0x08) { return .notIdentifiable }
        if tag == original { return .original }
        return writtenTags[tag].map { .written(number: $0) } ?? .usable
    }

    /// The row for a usable tag: the one reserved for it, otherwise the one that it holds, otherwise the next one.
    ///
    /// - Parameter content: the encoded message on the tag.
    /// - Returns: nil if all rows are written or reserved for other tags.
    func row(for tag: [UInt8], holding content: [UInt8]?) -> BatchRow? {
        if let index = states.firstIndex(of: .reserved(tag)) { return rows[index] }
        let held = content.flatMap { indices[$0] }?.first { states[$0] == .open }
        return held.map { rows[$0] } ?? next
    }

    /// A row is on a tag.
    mutating func succeeded(_ row: BatchRow, on tag: [UInt8]) {
        guard let index = index(of: row), states[index] != .written else { return }
        set(.written, at: index)
        writtenCount += 1
        writtenTags[tag] = row.number
    }

    /// A row may be on a tag: it was removed before nfcd could know.
    mutating func reserve(_ row: BatchRow, for tag: [UInt8]) {
        guard let index = index(of: row) else { return }
        set(.reserved(tag), at: index)
    }

    private mutating func set(_ state: State, at index: Int) {
        states[index] = state
        while firstOpen < states.count, states[firstOpen] != .open { firstOpen += 1 }
    }

    /// The numbers of the rows are consecutive.
    private func index(of row: BatchRow) -> Int? {
        guard let first = rows.first else { return nil }
        let index = row.number - first.number
        return rows.indices.contains(index) ? index : nil
    }
}
