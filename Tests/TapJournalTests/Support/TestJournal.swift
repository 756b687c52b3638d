import FoundationEssentials
import NFCTypes
import SQLite
import SQLiteJournal
import Synchronization
import TapJournal
import TestSupport

/// A folder that is deleted with the test.
final class TestFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/tap-journal-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of a file in it.
    func file(_ name: String) -> String { path + "/" + name }

    /// The names of the files in it.
    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
}

/// The clocks of a test: they change only when they are set.
final class TestTime: Sendable {
    private struct State {
        var wall: Int64 = 1_790_000_000_000
        var isSynchronised = true
        var uptime = Duration.zero
        var sleeps = 0
        var isLate = false
    }

    private let state = Mutex(State())

    var clock: JournalClock {
        JournalClock(
            wall: { self.state.withLock { ($0.wall, $0.isSynchronised) } }, uptime: { self.state.withLock(\.uptime) },
            sleep: { duration in
                // A minute is the pause of the maintenance.
                if duration == .seconds(60) { self.state.withLock { $0.sleeps += 1 } }
                if duration == .seconds(2), self.state.withLock(\.isLate) { return }
                try await Task.sleep(for: .seconds(3600))
            })
    }

    /// How often the maintenance has ended since this was asked last.
    func takeSleeps() -> Int {
        state.withLock { state in
            defer { state.sleeps = 0 }
            return state.sleeps
        }
    }

    var now: Int64 { state.withLock(\.wall) }

    func advance(by duration: Duration) {
        state.withLock { state in
            state.wall += Int64(duration / .milliseconds(1))
            state.uptime += duration
        }
    }

    /// Whether the deadline of a commit passes at once.
    func set(isLate: Bool) {
        state.withLock { $0.isLate = isLate }
    }

    func set(isSynchronised: Bool) {
        state.withLock { $0.isSynchronised = isSynchronised }
    }
}

/// A journal in its own folder, with the events it reported.
final class TestJournal: Sendable {
    let folder: TestFolder
    let time: TestTime
    let journal: SQLiteJournal
    private let reported: EventList

    init(
        _ folder: TestFolder? = nil, time: TestTime = TestTime(), vfs: String? = nil,
        _ change: (inout SQLiteJournal.Settings) -> Void = { _ in }
    ) throws {
        self.folder = try folder ?? TestFolder()
        self.time = time
        var settings = SQLiteJournal.Settings(path: self.folder.file("taps.db"), reserve: 64 << 10, lowSpace: 0)
        change(&settings)
        let reported = EventList()
        self.reported = reported
        journal = SQLiteJournal(settings, clock: time.clock, vfs: vfs) { reported.add($0) }
    }

    var path: String { folder.file("taps.db") }
    var events: [JournalEvent] { reported.all }

    /// Stores taps, one after another.
    @discardableResult
    func append(_ count: Int, reader: String = "r1", message: Int = 40, clock: ClockQuality = .synchronised)
        async throws -> [JournalTap]
    {
        var taps: [JournalTap] = []
        for _ in 0..<count { taps.append(try await journal.append(tap(reader, message: message, clock: clock))) }
        return taps
    }

    /// Stores taps at the same time, in few commits.
    func appendTogether(_ count: Int, reader: String = "r1", message: Int = 40) async throws {
        for start in stride(from: 0, to: count, by: 500) {
            try await withThrowingTaskGroup { group in
                for _ in start..<min(start + 500, count) {
                    group.addTask { _ = try await self.journal.append(self.tap(reader, message: message)) }
                }
                try await group.waitForAll()
            }
        }
    }

    /// A tap that is read now.
    func tap(_ reader: String = "r1", message: Int = 40, clock: ClockQuality = .synchronised) -> TapRecord {
        var random = SystemRandomNumberGenerator()
        let now = time.now
        return TapRecord(
            id: TapID(milliseconds: now, using: &random),
            time: TapTime(
                milliseconds: now, sinceBoot: .seconds(5), bootID: "00000000-0000-4000-8000-000000000000", clock: clock),
            reader: reader, readerName: "Reader \(reader)", type: .miFare, technology: "NTAG215",
            identifier: [0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0x80], message: [UInt8](repeating: 0xD1, count: message),
            status: .readWrite, capacity: 496)
    }

    /// All taps, read in pages.
    func allTaps(readers: [String]? = nil) async throws -> [JournalTap] {
        var (taps, after): ([JournalTap], Int64) = ([], 0)
        while true {
            let page = try await journal.taps(TapQuery(after: after, readers: readers, limit: 1000, byteLimit: 1 << 20))
            taps += page.taps
            guard page.hasMore, let last = page.taps.last else { return taps }
            after = last.sequence
        }
    }

    /// Records that a consumer has taps.
    @discardableResult
    func acknowledge(_ name: String, _ sequence: Int64?, owner: UInt32 = 1000) async throws -> JournalConsumer {
        try await journal.acknowledge(name, owner: owner, through: sequence, mayTakeOver: false)
    }
}

/// Events, in order.
final class EventList: Sendable {
    private let events = Mutex<[JournalEvent]>([])

    var all: [JournalEvent] { events.withLock { $0 } }

    func add(_ event: JournalEvent) {
        events.withLock { $0.append(event) }
    }
}
