import NFCTypes
import SQLite
import TapJournal

/// The extent of a journal, in memory: what a commit changes, and what no query has to count.
struct JournalExtent: Sendable {
    /// The name of a consumer, which each user has apart from other users.
    struct ConsumerKey: Sendable, Hashable {
        var name: String
        var owner: UInt32
    }

    /// A consumer.
    struct Consumer: Sendable {
        var acknowledged: Int64
        var lost: Int64
        /// Whether it belongs to a service, for which the journal is kept completely.
        var isOfService: Bool
    }

    /// A reader: its row and its last tap's place among its taps.
    struct Reader: Sendable {
        var number: Int64
        var newest: Int64
    }

    /// The first tap that is still stored; `newest + 1` if there is none.
    var oldest: Int64
    /// The last tap that was stored; 0 before the first.
    var newest: Int64
    var dropped: Int64
    var consumers: [ConsumerKey: Consumer]
    var readers: [String: Reader]

    /// How many taps there are: they are deleted only from the beginning, so there are no gaps.
    var taps: Int { Int(clamping: newest - oldest + 1) }
    /// The last tap that every consumer has; before the first tap if there is no consumer.
    var deliveredThrough: Int64 { consumers.values.map(\.acknowledged).min() ?? oldest - 1 }

    /// The last tap that has to make room if there is none left: one that a consumer lacks stays, but for the older half of the
    /// journal where the consumer is of no service. So one that is not read does not keep all others from recording.
    var releasableThrough: Int64 {
        let half = newest - (newest - oldest + 1) / 2
        return consumers.values.map { $0.isOfService ? $0.acknowledged : max($0.acknowledged, half) }.min() ?? oldest
            - 1
    }

    /// A consumer of another user with the same name, where the user has none.
    func foreignKey(of key: ConsumerKey) -> ConsumerKey? {
        guard consumers[key] == nil else { return nil }
        return consumers.keys.filter { $0.name == key.name }.min { $0.owner < $1.owner }
    }

    /// The consumers that keep more than half of the journal.
    var holders: [ConsumerKey] {
        let half = newest - (newest - oldest + 1) / 2
        return consumers.filter { $0.value.acknowledged < half }.map(\.key).sorted {
            ($0.name, $0.owner) < ($1.name, $1.owner)
        }
    }

    /// How many taps of a range that ends the oldest ones a consumer does not have.
    func undelivered(through last: Int64, to consumer: Consumer) -> Int64 {
        max(0, last - max(consumer.acknowledged, oldest - 1))
    }
}

/// Taps that were deleted although consumers did not have them.
struct JournalLoss: Sendable {
    let range: ClosedRange<Int64>
    let consumers: [String: Int]
    /// How many taps count as dropped.
    let count: Int64
}

/// The open file of a journal: its connection for writing, with every change of it as one transaction.
final class JournalFile {
    let epoch: String
    private(set) var extent: JournalExtent
    /// Whether the disk has so little space that the file must not grow.
    var mayGrow = true
    private let database: Database
    private let settings: SQLiteJournal.Settings
    private var counters: CounterTable
    private let pageSize: Int64
    /// Whether a commit waits for the disk.
    private var isDurable = true
    /// Losses of the transaction in progress, or was committed last.
    private var losses: [JournalLoss] = []
    /// Where the search for the first tap with a synchronised clock starts.
    private var synchronisedFrom: Int64 = 0

    private static let batch: Int64 = 500

    /// Reads the extent.
    init(_ database: Database, settings: SQLiteJournal.Settings) throws(SQLiteError) {
        self.database = database
        self.settings = settings
        counters = try CounterTable(database)
        pageSize = try database.pragma("page_size") ?? 4096
        guard let journal = try database.query("SELECT epoch, dropped FROM journal").first, let epoch = journal.text(0)
        else { throw SQLiteError(extendedCode: SQLiteCode.corrupt.rawValue, message: "no epoch", statement: "journal") }
        self.epoch = epoch
        let given = try database.query("SELECT seq FROM sqlite_sequence WHERE name = 'tap'").first?.integer(0) ?? 0
        let newest = max(given, try database.query("SELECT max(sequence) FROM tap").first?.integer(0) ?? 0)
        let oldest = try database.query("SELECT min(sequence) FROM tap").first?.integer(0) ?? newest + 1
        extent = JournalExtent(
            oldest: oldest, newest: newest, dropped: journal.integer(1) ?? 0,
            consumers: try Self.consumers(database, settings.services),
            readers: try Self.readers(database))
    }

    private static func consumers(
        _ database: Database, _ services: Set<UInt32>
    ) throws(SQLiteError) -> [JournalExtent.ConsumerKey: JournalExtent.Consumer] {
        let rows = try database.query("SELECT name, owner, acknowledged, lost FROM consumer").map { row in
            let owner = UInt32(truncatingIfNeeded: row.integer(1) ?? 0)
            return (
                JournalExtent.ConsumerKey(name: row.text(0) ?? "", owner: owner),
                JournalExtent.Consumer(
                    acknowledged: row.integer(2) ?? 0, lost: row.integer(3) ?? 0,
                    isOfService: services.contains(owner))
            )
        }
        return Dictionary(rows) { first, _ in first }
    }

    private static func readers(_ database: Database) throws(SQLiteError) -> [String: JournalExtent.Reader] {
        let rows = try database.query("SELECT id, number, newest FROM reader").map { row in
            (row.text(0) ?? "", JournalExtent.Reader(number: row.integer(1) ?? 0, newest: row.integer(2) ?? 0))
        }
        return Dictionary(rows) { first, _ in first }
    }

    /// The size of what is stored, in bytes.
    func bytes() throws(SQLiteError) -> Int64 { try usedPages() * pageSize }

    /// Whether a tap of usual size fits, if need be after deleting taps that every consumer has.
    func hasRoom() throws(SQLiteError) -> Bool {
        if try fits(bytes: 512, extent) { return true }
        return extent.oldest <= min(mayGrow ? extent.releasableThrough : extent.deliveredThrough, extent.newest)
            || settings.whenFull == .dropOldest
    }

    /// Stores taps, all in one commit.
    ///
    /// - Returns: the stored taps, and nil for those that the journal has no room for.
    func append(_ taps: [TapRecord]) throws(SQLiteError) -> [JournalTap?] {
        try setDurable(true)
        return try change { (extent) throws(SQLiteError) in
            var results: [JournalTap?] = []
            for tap in taps {
                let hasRoom = try makeRoom(bytes: TapRow.size(tap), &extent)
                results.append(hasRoom ? try insert(tap, &extent) : nil)
            }
            return results
        }
    }

    /// Compares and stores the counter of a proof without its tap; nil if there is no room.
    func settle(_ proof: TapProof, _ claim: CounterClaim) throws(SQLiteError) -> TapProof? {
        try setDurable(true)
        return try change { (extent) throws(SQLiteError) in
            guard try makeRoom(bytes: CounterTable.lineSize, &extent) else { return nil }
            return try counters.settle(proof, claim)
        }
    }

    /// How many counters were stored since the journal was made.
    var storedCounters: Int64 { counters.stored }

    private func insert(_ tap: TapRecord, _ extent: inout JournalExtent) throws(SQLiteError) -> JournalTap {
        var tap = tap
        if let (proof, claim) = tap.counted { tap.proof = try counters.settle(proof, claim) }
        tap.claim = nil
        var reader = extent.readers[tap.reader] ?? JournalExtent.Reader(number: 0, newest: 0)
        reader.newest += 1
        if reader.number == 0 {
            try database.run(
                "INSERT INTO reader (id, newest) VALUES (?, ?)", .text(tap.reader), .integer(reader.newest))
            reader.number = database.lastInsertedRow
        } else {
            try database.run(
                "UPDATE reader SET newest = ? WHERE number = ?", .integer(reader.newest), .integer(reader.number))
        }
        let stored = JournalTap(sequence: extent.newest + 1, readerSequence: reader.newest, record: tap)
        try database.run(TapRow.insert, values: TapRow.values(stored, reader: reader.number))
        extent.readers[tap.reader] = reader
        extent.newest = stored.sequence
        return stored
    }

    /// Sets whether a commit waits for the disk.
    private func setDurable(_ isDurable: Bool) throws(SQLiteError) {
        guard isDurable != self.isDurable else { return }
        try database.run("PRAGMA synchronous = \(isDurable ? "FULL" : "NORMAL")")
        self.isDurable = isDurable
    }

    /// Runs a function in a transaction; the extent changes with it.
    private func change<Value>(
        _ body: (inout JournalExtent) throws(SQLiteError) -> Value
    ) throws(SQLiteError) -> Value {
        losses = []
        var changed = extent
        let before = counters
        do {
            let value = try database.transaction { () throws(SQLiteError) in try body(&changed) }
            extent = changed
            return value
        } catch {
            losses = []
            counters = before
            throw error
        }
    }

    /// The losses of the last change.
    func takeLosses() -> [JournalLoss] {
        defer { losses = [] }
        return losses
    }
}

// MARK: Room

extension JournalFile {
    private func usedPages() throws(SQLiteError) -> Int64 {
        try (database.pragma("page_count") ?? 0) - freePages()
    }

    private func freePages() throws(SQLiteError) -> Int64 { try database.pragma("freelist_count") ?? 0 }

    private func fits(bytes: Int64, _ extent: JournalExtent) throws(SQLiteError) -> Bool {
        guard extent.taps < settings.tapLimit else { return false }
        let pages = bytes / pageSize + 2
        let (used, free) = (try usedPages(), try freePages())
        return used + pages <= settings.byteLimit / pageSize && (mayGrow || free >= pages)
    }

    /// Deletes as few taps as needed for another one: first those that every consumer has, then, where the settings allow
    /// it, others.
    private func makeRoom(bytes: Int64, _ extent: inout JournalExtent) throws(SQLiteError) -> Bool {
        while try !fits(bytes: bytes, extent) {
            let delivered = min(extent.deliveredThrough, extent.newest)
            let releasable = min(extent.releasableThrough, extent.newest)
            if extent.oldest <= delivered {
                try delete(through: min(delivered, extent.oldest + 99), &extent)
            } else if mayGrow, extent.oldest <= releasable {
                // A full disk is not a consumer's fault.
                try delete(through: extent.oldest, &extent)
            } else if settings.whenFull == .dropOldest, extent.taps > 0 {
                try delete(through: extent.oldest, &extent, isForRoom: true)
            } else {
                return false
            }
        }
        return true
    }

    /// Deletes the oldest taps, and notes who loses which.
    ///
    /// - Parameter isForRoom: whether they count as lost if there is no consumer.
    private func delete(
        through last: Int64, _ extent: inout JournalExtent, isForRoom: Bool = false
    ) throws(SQLiteError) {
        try database.run("DELETE FROM tap WHERE sequence <= ?", .integer(last))
        let lost = extent.consumers.mapValues { extent.undelivered(through: last, to: $0) }.filter { $0.value > 0 }
        for (key, count) in lost {
            try database.run(
                "UPDATE consumer SET lost = lost + ? WHERE name = ? AND owner = ?", .integer(count), .text(key.name),
                .integer(Int64(key.owner)))
            extent.consumers[key]?.lost += count
        }
        let isUnread = isForRoom && extent.consumers.isEmpty
        let count = lost.values.max() ?? (isUnread ? last - extent.oldest + 1 : 0)
        if count > 0 {
            try database.run("UPDATE journal SET dropped = dropped + ?", .integer(count))
            extent.dropped += count
            let consumers = Dictionary(lost.map { ($0.key.name, Int($0.value)) }) { max($0, $1) }
            losses.append(JournalLoss(range: (last - count + 1)...last, consumers: consumers, count: count))
        }
        extent.oldest = last + 1
    }

    /// Deletes some of the oldest taps.
    ///
    /// - Parameters:
    ///   - sequence: the last one to delete.
    ///   - includingUndelivered: whether also those that a consumer does not have; without consumers, no consumer lacks one.
    /// - Returns: how many were deleted; 0 where nothing is left to delete.
    func prune(through sequence: Int64, includingUndelivered: Bool) throws(SQLiteError) -> Int {
        let isLimited = !includingUndelivered && !extent.consumers.isEmpty
        let last = min(sequence, isLimited ? extent.deliveredThrough : extent.newest, extent.newest)
        return try deleteBatch(through: last)
    }

    private func deleteBatch(through last: Int64) throws(SQLiteError) -> Int {
        guard last >= extent.oldest else { return 0 }
        let end = min(last, extent.oldest + Self.batch - 1)
        return try change { (extent) throws(SQLiteError) in
            let count = end - extent.oldest + 1
            try delete(through: end, &extent)
            return Int(count)
        }
    }

    /// Deletes some of the taps that need not be kept: those that every consumer has and that are older than the replay
    /// period or take the last tenth of the room, and those that are too old.
    ///
    /// - Parameter now: milliseconds since 1970; nil where the wall clock is not synchronised.
    /// - Returns: whether there may be more.
    func retain(now: Int64?) throws(SQLiteError) -> Bool {
        let delivered = min(extent.deliveredThrough, extent.newest)
        var last = extent.oldest - 1
        let used = try usedPages()
        let isScarce = extent.taps > settings.tapLimit / 10 * 9 || used > settings.byteLimit / pageSize / 10 * 9
        if isScarce || !mayGrow { last = delivered }
        if let now {
            last = max(last, min(delivered, try newest(olderThan: settings.replayPeriod, now)))
            last = max(last, try newest(olderThan: settings.maxAge, now))
        }
        return try deleteBatch(through: last) == Int(Self.batch)
    }

    /// The newest of the oldest taps that was read before a period, by a synchronised clock; 0 where none was. The search ends at the
    /// first tap that is not so old: one whose time is damaged must not take those before it along.
    private func newest(olderThan period: Duration, _ now: Int64) throws(SQLiteError) -> Int64 {
        let from = max(extent.oldest, synchronisedFrom)
        let synchronised =
            "SELECT sequence FROM tap WHERE sequence >= ? AND is_synchronised = 1 ORDER BY sequence LIMIT 1"
        synchronisedFrom = try database.query(synchronised, .integer(from)).first?.integer(0) ?? extent.newest + 1
        let range = "FROM tap WHERE sequence >= ? AND sequence < ? AND is_synchronised = 1"
        let limit = now - Int64(period / .milliseconds(1))
        let (start, end) = (synchronisedFrom, synchronisedFrom + Self.batch)
        let younger = [start, end, limit].map(SQLiteValue.integer)
        let first = try database.query("SELECT min(sequence) \(range) AND time >= ?", values: younger).first?.integer(0)
        let older = [start, first ?? end].map(SQLiteValue.integer)
        return try database.query("SELECT max(sequence) \(range)", values: older).first?.integer(0) ?? 0
    }

    /// Copies the write-ahead log into the file and gives the space of deleted taps back, in small steps.
    ///
    /// - Parameter isThorough: whether to wait for lists, and to empty the log.
    func tidy(isThorough: Bool = false) throws(SQLiteError) {
        let (used, free) = (try usedPages(), try freePages())
        if free > 256, free > used / 2 { try database.incrementalVacuum(pages: 64) }
        try database.checkpoint(isThorough ? .truncate : .passive)
    }
}

// MARK: Consumers

extension JournalFile {
    /// Stores what a consumer has.
    ///
    /// - Parameter sequence: at most that of the newest tap.
    func acknowledge(_ key: JournalExtent.ConsumerKey, through sequence: Int64) throws(SQLiteError) {
        // Without a sync, which would hold up taps: where the power fails, the consumer has more than is stored.
        try setDurable(extent.consumers[key] == nil)
        try change { (extent) throws(SQLiteError) in
            let sql = """
                INSERT INTO consumer (name, owner, acknowledged) VALUES (?, ?, ?)
                ON CONFLICT (name, owner) DO UPDATE SET acknowledged = excluded.acknowledged
                """
            try database.run(sql, .text(key.name), .integer(Int64(key.owner)), .integer(sequence))
            extent.consumers[key] = JournalExtent.Consumer(
                acknowledged: sequence, lost: extent.consumers[key]?.lost ?? 0,
                isOfService: settings.services.contains(key.owner))
        }
    }

    /// Gives a consumer to another user, who has none of its name.
    func move(_ key: JournalExtent.ConsumerKey, to owner: UInt32) throws(SQLiteError) {
        try setDurable(true)
        try change { (extent) throws(SQLiteError) in
            try database.run(
                "UPDATE consumer SET owner = ? WHERE name = ? AND owner = ?", .integer(Int64(owner)), .text(key.name),
                .integer(Int64(key.owner)))
            guard var consumer = extent.consumers.removeValue(forKey: key) else { return }
            consumer.isOfService = settings.services.contains(owner)
            extent.consumers[JournalExtent.ConsumerKey(name: key.name, owner: owner)] = consumer
        }
    }

    /// Removes a consumer.
    func removeConsumer(_ key: JournalExtent.ConsumerKey) throws(SQLiteError) {
        try setDurable(true)
        try change { (extent) throws(SQLiteError) in
            try database.run(
                "DELETE FROM consumer WHERE name = ? AND owner = ?", .text(key.name), .integer(Int64(key.owner)))
            extent.consumers[key] = nil
        }
    }
}

extension TapRecord {
    /// The proof that depends on a counter, with its counter.
    fileprivate var counted: (TapProof, CounterClaim)? {
        guard let proof, let claim else { return nil }
        return (proof, claim)
    }
}
