import NFCReaders
import NFCTags
import Synchronization
import Threading

/// Whether tags are still wanted: by the session, or by the background. Once they are not, no further command reaches a tag
/// that is being read, so that a session that begins waits for one exchange at most.
final class ReadingInterest: Sendable {
    private struct State {
        var isOver = false
        /// The tags that the session has released, until their last command has ended.
        var closing: Set<HeldTag> = []
    }

    private let state = Mutex(State())
    /// Given when the tags are no longer wanted.
    fileprivate let stop = StopSignal()

    /// The tags are no longer wanted.
    func end() {
        let closing = state.withLock { state in
            defer { state = State(isOver: true) }
            return state.closing
        }
        for held in closing { held.stop() }
        stop.give()
    }

    /// Whether the tags are no longer wanted.
    var isOver: Bool { state.withLock(\.isOver) }

    /// Bounds how long the running command of a released tag takes from the end on.
    func bound(_ held: HeldTag) {
        let isOver = state.withLock { state in
            if !state.isOver { state.closing.insert(held) }
            return state.isOver
        }
        if isOver { held.stop() }
    }

    /// A released tag is disconnected.
    func closed(_ held: HeldTag) { state.withLock { _ = $0.closing.remove(held) } }
}

/// What ends the reading of one tag early: that it is no longer wanted, and a time limit for all its exchanges together.
///
/// A tag can make its reading last for hours: by an answer just before each time limit, by one byte to each READ, by a response
/// that does not end. No session and no other program can use the reader meanwhile. Between two exchanges a reading ends; one
/// that is in progress keeps the time limit of the reader.
final class ReadingBounds: Sendable {
    /// The time for a reading, from the connection on. The slowest tags that hold 64 KiB need less.
    static let timeLimit = Duration.seconds(30)

    private struct State {
        /// When the time is over; nil before the connection.
        var end: Duration?
        /// Whether an exchange was refused because the time is over.
        var hasRunOut = false
    }

    /// The clock of the time limit.
    let clock: Stopwatch
    private let interest: ReadingInterest
    private let limit: Duration
    private let state = Mutex(State())

    init(_ interest: ReadingInterest, clock: Stopwatch, limit: Duration = timeLimit) {
        self.interest = interest
        self.clock = clock
        self.limit = limit
    }

    /// Connects to a tag that is still wanted. The time limit begins with the connection, which may wait for other programs.
    func connect(
        _ connect: () async throws(CardChannelError) -> any CardConnection
    ) async throws(CardChannelError) -> any CardConnection {
        if interest.isOver { throw .tagLost }
        let connection = try await connect()
        state.withLock { $0.end = clock.elapsed + limit }
        return connection
    }

    /// The connection to the tag, on which no exchange begins once the reading is over.
    func bound(_ connection: any CardConnection) -> any CardConnection {
        BoundedConnection(connection: connection, bounds: self)
    }

    /// Runs what may wait for something other than the tag, and cancels it when the reading is over.
    func cancelling<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value {
        let end = state.withLock(\.end) ?? clock.elapsed + limit
        let isOver = StopSignal()
        return await interest.stop.calling({ isOver.give() }) {
            let alarm = Task { [clock] in
                guard (try? await clock.sleep(until: end)) != nil else { return }
                isOver.give()
            }
            defer { alarm.cancel() }
            return await isOver.cancelling(body)
        }
    }

    /// Why the reading failed, where its time limit ended it; nil where it did not.
    var failure: TagError? {
        guard state.withLock(\.hasRunOut) else { return nil }
        let seconds = Int(limit.components.seconds)
        return TagError(
            .tagResponseError, "reading the tag took longer than \(seconds) s and was ended; use another tag or reader")
    }

    fileprivate func check() throws(CardChannelError) {
        if interest.isOver { throw .tagLost }
        let now = clock.elapsed
        let isOver = state.withLock { state in
            guard let end = state.end, now >= end else { return false }
            state.hasRunOut = true
            return true
        }
        if isOver { throw .timedOut }
    }
}

/// A connection on which no exchange begins once its reading is over.
private struct BoundedConnection: CardConnection {
    let connection: any CardConnection
    let bounds: ReadingBounds

    var answerToReset: [UInt8] { connection.answerToReset }

    func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        try bounds.check()
        return try await connection.transmit(command)
    }

    func reconnect() async throws(CardChannelError) {
        try bounds.check()
        try await connection.reconnect()
    }

    func limited(to limit: Duration) -> any CardConnection { bounds.bound(connection.limited(to: limit)) }
    var sharing: (any TagSharing)? { connection.sharing }
    func close() async { await connection.close() }
}
