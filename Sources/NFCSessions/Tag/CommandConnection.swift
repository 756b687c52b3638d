import NFCReaders
import NFCTags
import Synchronization

/// The connection to a held tag as its commands use it: a command may have its own time limit, and an exchange that
/// times out is remembered, because the state of the tag and of the reader is unknown afterwards.
///
/// It may be shared: then other programs may use the tag between two commands, and not during one.
final class CommandConnection: CardConnection {
    private struct State {
        var current: any CardConnection
        var hasTimedOut = false
        /// Whether other programs may use the tag between commands; nil until it is first set: only then is the
        /// connection notified of uses.
        var isShared: Bool?
        var use = Use.none
        /// From when on no exchange begins any more.
        var end: Duration?
        /// Whether an exchange was refused for that.
        var isCutOff = false
    }

    private enum Use {
        case none
        /// The connection knows of the command.
        case marked
        /// A command that began before the connection was first shared.
        case unmarked
    }

    private let whole: any CardConnection
    private let clock: Stopwatch
    private let state: Mutex<State>

    init(_ connection: any CardConnection, clock: Stopwatch) {
        whole = connection
        self.clock = clock
        state = Mutex(State(current: connection))
    }

    /// Whether any exchange so far timed out.
    var hasTimedOut: Bool { state.withLock(\.hasTimedOut) }

    /// Whether the running command wanted an exchange after its end.
    var isCutOff: Bool { state.withLock(\.isCutOff) }

    /// Whether other programs may use the tag between commands.
    var isShared: Bool { state.withLock(\.isShared) ?? false }

    /// Changes whether other programs may use the tag between commands.
    func setShared(_ isShared: Bool) async throws(CardChannelError) {
        let isDeferred = state.withLock { state in
            state.isShared = isShared
            return state.use == .unmarked
        }
        if !isDeferred { try await passOnShared() }
    }

    /// Begins a command.
    ///
    /// - Parameter limit: the time for all its exchanges together; nil: each has the limit of the reader.
    func begin(within limit: Duration?) async throws(CardChannelError) {
        let current = limit.map { whole.limited(to: $0) } ?? whole
        let use = state.withLock { state in
            (state.current, state.use) = (current, state.isShared == nil ? .unmarked : .marked)
            return state.use
        }
        guard use == .marked else { return }
        do throws(CardChannelError) {
            try await current.sharing?.beginUse()
        } catch {
            state.withLock { $0.use = .none }
            throw error
        }
    }

    /// Ends a command.
    func end() async {
        let (use, isSet) = state.withLock { state in
            defer { state.use = .none }
            return (state.use, state.isShared != nil)
        }
        if use == .marked {
            await whole.sharing?.endUse()
        } else if isSet {
            // Shared while the command ran. An error shows in the next command.
            try? await passOnShared()
        }
    }

    var answerToReset: [UInt8] { whole.answerToReset }

    /// Ends the running command: after this time no exchange begins any more.
    func stop(after limit: Duration) {
        let end = clock.elapsed + limit
        state.withLock { $0.end = min($0.end ?? end, end) }
    }

    func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        try checkEnd()
        do throws(CardChannelError) {
            return try await current.transmit(command)
        } catch {
            throw noted(error)
        }
    }

    func reconnect() async throws(CardChannelError) {
        try checkEnd()
        do throws(CardChannelError) {
            try await current.reconnect()
        } catch {
            throw noted(error)
        }
    }

    /// Resets the tag, so that what is selected or authenticated does not pass to the next session. A tag that left, or does not
    /// answer in time, has lost it.
    func reset() async {
        guard !hasTimedOut else { return }
        let limited = whole.limited(to: .seconds(2))
        do throws(CardChannelError) {
            if state.withLock(\.isShared) != nil { try await limited.sharing?.beginUse() }
            try await limited.reconnect()
        } catch {}
    }

    func limited(to limit: Duration) -> any CardConnection { whole.limited(to: limit) }

    /// Commands do not change it; `setShared` does.
    var sharing: (any TagSharing)? { nil }

    func close() async { await whole.close() }

    private var current: any CardConnection { state.withLock(\.current) }

    private func checkEnd() throws(CardChannelError) {
        let isOver = state.withLock { state in
            guard let end = state.end, clock.elapsed >= end else { return false }
            state.isCutOff = true
            return true
        }
        if isOver { throw .tagLost }
    }

    private func noted(_ error: CardChannelError) -> CardChannelError {
        if error == .timedOut { state.withLock { $0.hasTimedOut = true } }
        return error
    }

    /// Passes on what was set last: of two calls that overlap, the earlier one may reach the reader later.
    private func passOnShared() async throws(CardChannelError) {
        var passed: Bool
        repeat {
            passed = isShared
            try await whole.sharing?.share(passed)
        } while passed != isShared
    }
}
