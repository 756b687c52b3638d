import NFCReaders
import NFCTags
import Synchronization

/// The counters of nfcd. Cheap enough for every exchange: a lock and a few additions.
public final class Metrics: Sendable {
    /// A struct, as a Mutex wraps a bare function once more at each access.
    private struct Observer {
        var onChange: (@Sendable () -> Void)?
    }

    private let values = Mutex(MetricsValues())
    private let outbound = Mutex<[ClientID: @Sendable () -> Int]>([:])
    private let observer = Mutex(Observer())

    /// Creates counters of 0.
    public init() {}

    /// A client connected.
    public func clientConnected() {
        values.withLock { $0.clients += 1 }
        changed()
    }

    /// A client disconnected.
    public func clientDisconnected() {
        values.withLock { $0.clients -= 1 }
        changed()
    }

    /// Sets a callback for changes in the number of clients, readers or sessions. It is called on any thread.
    public func onChange(_ body: @escaping @Sendable () -> Void) { observer.withLock { $0.onChange = body } }

    /// The number of readers or sessions may have changed.
    func changed() { observer.withLock { $0.onChange }?() }

    /// Adds a client's outbound queue to the metrics, until ``removeOutbound(of:)``. `bytes` returns its length, on any thread
    /// and without blocking.
    public func addOutbound(of client: ClientID, bytes: @escaping @Sendable () -> Int) {
        outbound.withLock { $0[client] = bytes }
    }

    /// Removes a client's outbound queue from the metrics.
    public func removeOutbound(of client: ClientID) { outbound.withLock { _ = $0.removeValue(forKey: client) } }

    /// The lengths of the outbound queues in bytes.
    var outboundBytes: [Int] { outbound.withLock { Array($0.values) }.map { $0() } }

    /// A tag entered a field.
    func countTap() { values.withLock { $0.taps += 1 } }

    /// A tag was read for its message; `failure` is why there is none.
    func countRead(_ failure: TagError?) { values.withLock { $0.reads[failure?.code, default: 0] += 1 } }

    /// A tag was written, formatted or locked, or that failed.
    func countWrite(_ failure: TagError?) { values.withLock { $0.writes[failure?.code, default: 0] += 1 } }

    /// A tap was read from beginning to end.
    func countTapRead(_ reading: NDEFReading) {
        countRead(reading.failure)
        if let failure = reading.failure { countError(failure) }
    }

    /// A command to a tag, of whatever kind, failed.
    func countError(_ failure: TagError) { values.withLock { $0.errors[failure.code, default: 0] += 1 } }

    /// Connecting to a tag failed, for a session that receives tags.
    func countConnectFailure(_ failure: TagError) {
        values.withLock { $0.connectFailures[failure.code, default: 0] += 1 }
    }

    /// A command was sent to a card; `isAnswered`: a response came.
    func countExchange(_ duration: Duration, isAnswered: Bool) {
        values.withLock { values in
            values.exchanges.add(duration)
            if !isAnswered { values.unanswered += 1 }
        }
    }

    /// A tag was read again without being a new tap.
    func countRepeatedTap() { values.withLock { $0.repeatedTaps += 1 } }

    /// A tap was stored in the journal.
    func countCommit(_ duration: Duration) { values.withLock { $0.commits.add(duration) } }

    /// The journal refused a tap.
    func countRefusedTap() { values.withLock { $0.refusedTaps += 1 } }

    /// A session ended after being active for `duration`; nil: it never was.
    func countSession(_ code: NFCErrorCode, active duration: Duration?) {
        values.withLock { values in
            values.sessionEnds[code, default: 0] += 1
            if let duration { values.sessions.add(duration) }
        }
    }

    /// Everything counted so far.
    var snapshot: MetricsValues { values.withLock { $0 } }
}

/// The counters.
struct MetricsValues: Sendable {
    var clients = 0
    var taps: UInt64 = 0
    var repeatedTaps: UInt64 = 0
    var refusedTaps: UInt64 = 0
    var commits = Histogram(bounds: [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5])
    /// By result; nil: success.
    var reads: [NFCErrorCode?: UInt64] = [nil: 0]
    var writes: [NFCErrorCode?: UInt64] = [nil: 0]
    var errors: [NFCErrorCode: UInt64] = [:]
    var connectFailures: [NFCErrorCode: UInt64] = [:]
    var sessionEnds: [NFCErrorCode: UInt64] = [:]
    var unanswered: UInt64 = 0
    var exchanges = Histogram(bounds: [
        0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2.5,
    ])
    var sessions = Histogram(bounds: [0.5, 1, 2.5, 5, 10, 20, 30, 45, 60, 120, 300])
}

/// Durations, counted in fixed buckets.
struct Histogram: Sendable, Hashable {
    /// The upper bounds of the buckets in seconds, ascending; above the last there is one without a bound.
    let bounds: [Double]
    /// How many fell into each bucket alone.
    private(set) var counts: [UInt64]
    /// All durations together, in seconds.
    private(set) var sum = 0.0

    init(bounds: [Double]) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    /// Counts a duration; one that equals a bound is below it.
    mutating func add(_ duration: Duration) {
        let seconds = duration / .seconds(1)
        counts[bounds.firstIndex { seconds <= $0 } ?? bounds.count] += 1
        sum += seconds
    }
}

/// A driver whose exchanges are measured.
struct MeasuredDriver: ReaderDriver {
    let driver: any ReaderDriver
    let clock: Stopwatch
    let metrics: Metrics

    func run(report: @escaping @Sendable (ReaderEvent) -> Void) async { await driver.run(report: report) }

    func refresh() async { await driver.refresh() }

    func connect(to reader: ReaderID) async throws(CardChannelError) -> any CardConnection {
        MeasuredConnection(connection: try await driver.connect(to: reader), clock: clock, metrics: metrics)
    }

    func cache(_ profile: ReaderProfile, of reader: ReaderID) { driver.cache(profile, of: reader) }

    func escape(_ command: [UInt8], to reader: ReaderID) async { await driver.escape(command, to: reader) }

    var hungReaders: [ReaderID] { driver.hungReaders }
}

/// A connection whose exchanges are measured.
struct MeasuredConnection: CardConnection {
    let connection: any CardConnection
    let clock: Stopwatch
    let metrics: Metrics

    var answerToReset: [UInt8] { connection.answerToReset }

    func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        let start = clock.elapsed
        do throws(CardChannelError) {
            let response = try await connection.transmit(command)
            metrics.countExchange(clock.elapsed - start, isAnswered: true)
            return response
        } catch {
            metrics.countExchange(clock.elapsed - start, isAnswered: false)
            throw error
        }
    }

    func reconnect() async throws(CardChannelError) { try await connection.reconnect() }

    func limited(to limit: Duration) -> any CardConnection {
        MeasuredConnection(connection: connection.limited(to: limit), clock: clock, metrics: metrics)
    }

    var sharing: (any TagSharing)? { connection.sharing }

    func close() async { await connection.close() }
}
