import FoundationEssentials
import Logging
import NFCProtocol
import SQLite
import Threading

/// The relay's state on disk: how far each consumer is, and the taps that its receiver refused. It has its own thread.
actor StateFile {
    /// Why there is no state file.
    struct Failure: Error, Sendable, CustomStringConvertible {
        let description: String
    }

    private let executor: ThreadExecutor
    nonisolated let unownedExecutor: UnownedSerialExecutor
    /// The damaged file that was moved aside when this one was made; nil: none.
    nonisolated let movedAside: String?
    private let database: Database
    private let boot: Boot
    /// What was saved last, so that only changes are written.
    private var savedLanes: [String: [String: SavedLane]] = [:]

    /// Opens the file, or makes it. A damaged one is moved aside; what is not the relay's is refused.
    ///
    /// - Parameter isInOwnFolder: whether it is in the relay's state directory, where no other program keeps its files.
    /// - Throws: ``Failure``.
    init(path: String, isInOwnFolder: Bool = false, boot: Boot = .current, logger: Logger) throws(Failure) {
        let (database, movedAside) = try StateSchema.open(path, isInOwnFolder: isInOwnFolder)
        let executor = ThreadExecutor()
        self.executor = executor
        unownedExecutor = executor.asUnownedSerialExecutor()
        self.boot = boot
        self.movedAside = movedAside
        self.database = database
        guard let movedAside else { return }
        logger.error(
            "\(path) was damaged and is now \(movedAside); taps that were delivered lately may be delivered again")
    }

    // MARK: Consumers

    /// What was saved of a consumer; nil for a new one.
    ///
    /// - Parameter now: the time of the lanes.
    func consumer(_ name: String, now: Duration) throws(SQLiteError) -> SavedConsumer? {
        let rows = try database.query(
            "SELECT epoch, base, lost_epoch, pause FROM consumers WHERE name = ?", .text(name))
        guard let row = rows.first, let epoch = row.text(0) else { return nil }
        // From a number that makes no sense everything that the journal has is delivered again.
        let base = row.place(1) ?? 0
        let lost = row.text(2)?.split(separator: " ").map(String.init) ?? []
        var saved = SavedConsumer(
            epoch: epoch, base: base, lostEpochs: lost, pause: row.text(3).map { Pause(text: $0) })
        saved.lanes = try lanes(of: name, now)
        savedLanes[name] = saved.lanesByReader
        return saved
    }

    private func lanes(of consumer: String, _ now: Duration) throws(SQLiteError) -> [SavedLane] {
        let sql = """
            SELECT reader, sequence, reader_sequence, attempts, refusals, replay_through FROM lanes WHERE consumer = ?
            """
        var lanes: [SavedLane] = []
        for row in try database.query(sql, .text(consumer)) {
            guard let reader = row.text(0), let sequence = row.place(1) else { continue }
            lanes.append(
                SavedLane(
                    reader: reader, position: LanePosition(sequence: sequence, readerSequence: row.place(2)),
                    attempts: row.count(3), refusals: row.count(4), replayThrough: row.place(5) ?? 0,
                    milestones: try milestones(consumer, reader, now)))
        }
        return lanes
    }

    /// Those of an earlier boot count as of now: how long ago they were is not known.
    private func milestones(
        _ consumer: String, _ reader: String, _ now: Duration
    ) throws(SQLiteError) -> [LaneMilestone] {
        let sql = """
            SELECT sequence, reader_sequence, boot, seconds FROM milestones WHERE consumer = ? AND reader = ? ORDER BY sequence
            """
        return try database.query(sql, .text(consumer), .text(reader)).compactMap { row in
            guard let sequence = row.place(0) else { return nil }
            let time = row.text(2) == boot.id ? row.seconds(3) : nil
            return LaneMilestone(
                position: LanePosition(sequence: sequence, readerSequence: row.place(1)), time: min(time ?? now, now))
        }
    }

    /// Saves a consumer.
    func save(_ consumer: SavedConsumer, of name: String) throws(SQLiteError) {
        let old = savedLanes[name] ?? [:]
        try database.transaction { () throws(SQLiteError) in
            try database.run(
                "INSERT OR REPLACE INTO consumers (name, epoch, base, lost_epoch, pause) VALUES (?, ?, ?, ?, ?)",
                .text(name), .text(consumer.epoch), .integer(consumer.base),
                SQLiteValue(consumer.lostEpochs.isEmpty ? nil : consumer.lostEpochs.joined(separator: " ")),
                SQLiteValue(consumer.pause?.text))
            for lane in consumer.lanes where old[lane.reader] != lane { try save(lane, of: name, old[lane.reader]) }
        }
        savedLanes[name] = consumer.lanesByReader
    }

    private func save(_ lane: SavedLane, of consumer: String, _ old: SavedLane?) throws(SQLiteError) {
        try database.run(
            """
            INSERT OR REPLACE INTO lanes (consumer, reader, sequence, reader_sequence, attempts, refusals, replay_through)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """, .text(consumer), .text(lane.reader), .integer(lane.position.sequence),
            SQLiteValue(lane.position.readerSequence), SQLiteValue(lane.attempts), SQLiteValue(lane.refusals),
            .integer(lane.replayThrough))
        let (kept, known) = (Set(lane.milestones), Set(old?.milestones ?? []))
        for milestone in known.subtracting(kept) {
            try database.run(
                "DELETE FROM milestones WHERE consumer = ? AND reader = ? AND sequence = ?", .text(consumer),
                .text(lane.reader), .integer(milestone.position.sequence))
        }
        for milestone in kept.subtracting(known) {
            try database.run(
                """
                INSERT OR REPLACE INTO milestones (consumer, reader, sequence, reader_sequence, boot, seconds)
                VALUES (?, ?, ?, ?, ?, ?)
                """, .text(consumer), .text(lane.reader), .integer(milestone.position.sequence),
                SQLiteValue(milestone.position.readerSequence), .text(boot.id), .real(milestone.time / .seconds(1)))
        }
    }

    // MARK: The journal

    /// What is known of the journal: up to which tap it was read, and the newest tap of each reader.
    func scan() throws(SQLiteError) -> JournalScan? {
        guard let row = try database.query("SELECT epoch, sequence FROM scan").first, let epoch = row.text(0) else {
            return nil
        }
        var scan = JournalScan(epoch: epoch, through: row.place(1) ?? 0)
        for row in try database.query("SELECT reader, sequence, reader_sequence FROM readers") {
            guard let reader = row.text(0), let sequence = row.place(1) else { continue }
            scan.note(KnownTap(reader: reader, sequence: sequence, readerSequence: row.place(2) ?? 0))
        }
        return scan
    }

    /// Saves what is known of the journal.
    func save(_ scan: JournalScan) throws(SQLiteError) {
        try database.transaction { () throws(SQLiteError) in
            try database.run("DELETE FROM scan")
            try database.run("DELETE FROM readers")
            try database.run(
                "INSERT INTO scan (epoch, sequence) VALUES (?, ?)", .text(scan.epoch), .integer(scan.through))
            for tap in scan.newest {
                try database.run(
                    "INSERT INTO readers (reader, sequence, reader_sequence) VALUES (?, ?, ?)", .text(tap.reader),
                    .integer(tap.sequence), .integer(tap.readerSequence))
            }
        }
    }

    // MARK: Parked taps

    /// Adds a tap that a receiver refused, or changes it.
    func park(_ parked: ParkedTap, of consumer: String) throws {
        let json = String(decoding: try JSONLine.encode(parked.tap), as: UTF8.self)
        let summary = parked.summary
        try database.run(
            """
            INSERT OR REPLACE INTO parked (consumer, id, sequence, reader, time, attempts, reason, tap, retried)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, .text(consumer), .text(summary.id), .integer(summary.sequence), .text(summary.reader),
            .text(summary.time), SQLiteValue(summary.attempts), .text(summary.reason), .text(json),
            .integer(parked.isRetried ? 1 : 0))
    }

    /// How many taps of a consumer are parked.
    func parkedCount(of consumer: String) throws(SQLiteError) -> Int {
        try database.query("SELECT count(*) FROM parked WHERE consumer = ?", .text(consumer)).first?.count(0) ?? 0
    }

    /// The parked taps of a consumer in their order, without the taps themselves.
    func parkedList(of consumer: String) throws(SQLiteError) -> [ParkedSummary] {
        let sql =
            "SELECT id, sequence, reader, time, attempts, reason FROM parked WHERE consumer = ? ORDER BY sequence, id"
        return try database.query(sql, .text(consumer)).compactMap { ParkedSummary($0) }
    }

    /// The first parked tap of a consumer that is to be delivered again.
    func nextRetried(of consumer: String) throws -> ParkedTap? {
        let sql = """
            SELECT id, sequence, reader, time, attempts, reason, tap FROM parked WHERE consumer = ? AND retried = 1
            ORDER BY sequence, id LIMIT 1
            """
        guard let row = try database.query(sql, .text(consumer)).first, let summary = ParkedSummary(row) else {
            return nil
        }
        let tap = try JSONLine.decode(RecordedTap.self, from: Data((row.text(6) ?? "").utf8))
        return ParkedTap(tap, time: summary.time, attempts: summary.attempts, reason: summary.reason, isRetried: true)
    }

    /// Marks parked taps, so that they are delivered again.
    ///
    /// - Parameter id: nil: all of them.
    /// - Returns: how many.
    func retry(_ id: String?, of consumer: String) throws(SQLiteError) -> Int {
        try database.run(
            "UPDATE parked SET retried = 1 WHERE consumer = ?1 AND (?2 IS NULL OR id = ?2)", .text(consumer),
            SQLiteValue(id))
        return database.changes
    }

    /// Removes parked taps.
    ///
    /// - Parameter id: nil: all of them.
    /// - Returns: how many.
    func discard(_ id: String?, of consumer: String) throws(SQLiteError) -> Int {
        try database.run(
            "DELETE FROM parked WHERE consumer = ?1 AND (?2 IS NULL OR id = ?2)", .text(consumer), SQLiteValue(id))
        return database.changes
    }

    // MARK: Notes

    /// What a sink has noted.
    func note(_ key: String, of consumer: String) throws(SQLiteError) -> String? {
        try database.query(
            "SELECT value FROM notes WHERE consumer = ? AND key = ?", .text(consumer), .text(key)
        ).first?.text(0)
    }

    /// Notes something for a sink.
    func setNote(_ value: String, for key: String, of consumer: String) throws(SQLiteError) {
        try database.run(
            "INSERT OR REPLACE INTO notes (consumer, key, value) VALUES (?, ?, ?)", .text(consumer), .text(key),
            .text(value))
    }
}

extension StateFile: SinkMemory {}

extension SavedConsumer {
    fileprivate var lanesByReader: [String: SavedLane] {
        Dictionary(lanes.map { ($0.reader, $0) }) { $1 }
    }
}
