public import NFCTags
import Synchronization

/// The queue of the commands of a tag: places are assigned in order, and each is used or dropped once.
final class CommandQueue: Sendable {
    fileprivate struct Waiter {
        let onDrop: @Sendable (CommandDrop) -> Void
        var continuation: CheckedContinuation<CommandDrop?, Never>?
    }

    fileprivate struct State {
        var given: UInt64 = 0
        /// The place that runs, or is the next to run.
        var turn: UInt64 = 1
        var isRunning = false
        /// Places that have not started.
        var waiting: [UInt64: Waiter] = [:]
        /// Places that were dropped before their turn.
        var skipped: Set<UInt64> = []
        /// Why places were dropped, until their commands ask for their turn.
        var dropped: [UInt64: CommandDrop] = [:]
        var refusal: TagError?
        var idlers: [CheckedContinuation<Void, Never>] = []
    }

    /// What happens to a command that asks for its turn.
    fileprivate enum Standing {
        case starts, waits
        case gone(CommandDrop)
    }

    private let state = Mutex(State())

    /// Takes the next place. `onDrop` is called if the place is dropped, before the caller that drops it continues, so that it
    /// can be reported first.
    func take(onDrop: @escaping @Sendable (CommandDrop) -> Void) -> UInt64 {
        let (place, refusal) = state.withLock { state in
            state.given += 1
            state.waiting[state.given] = Waiter(onDrop: onDrop)
            return (state.given, state.refusal)
        }
        if let refusal { _ = drop(place, .refused(refusal)) }
        return place
    }

    /// Waits for the turn of a place; each place waits once, and then calls `end`.
    ///
    /// - Throws: why the place was dropped; then `end` is not called.
    func turn(of place: UInt64) async throws(CommandFailure) {
        let drop = await withCheckedContinuation { continuation in
            switch state.withLock({ $0.ask(place, continuation) }) {
            case .starts: continuation.resume(returning: nil)
            case .gone(let drop): continuation.resume(returning: drop)
            case .waits: break
            }
        }
        if let drop { throw .dropped(drop) }
    }

    /// Ends the running command and starts the next.
    func end() {
        let (next, idlers) = state.withLock { state in
            state.isRunning = false
            state.advance()
            return (state.startNext(), state.takeIdlers())
        }
        next?.resume(returning: nil)
        for idler in idlers { idler.resume() }
    }

    /// Drops a place that has not started.
    ///
    /// - Returns: false where it has started.
    func drop(_ place: UInt64, _ reason: CommandDrop) -> Bool {
        let waiter = state.withLock { $0.drop(place, reason) }
        waiter?.drop(reason)
        return waiter != nil
    }

    /// Drops every place that has not started.
    ///
    /// - Returns: how many were dropped.
    func dropAll(_ reason: CommandDrop) -> Int {
        drop(state.withLock { $0.dropAll(reason) }, reason)
    }

    /// Starts no more commands: waiting and later ones fail. The first reason is kept.
    func refuse(_ refusal: TagError) {
        let waiters = state.withLock { state in
            state.refusal = state.refusal ?? refusal
            return state.dropAll(.refused(refusal))
        }
        _ = drop(waiters, .refused(refusal))
    }

    /// Returns when no command runs.
    func idle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.isRunning { state.idlers.append(continuation) }
                return !state.isRunning
            }
            if isIdle { continuation.resume() }
        }
    }

    private func drop(_ waiters: [Waiter], _ reason: CommandDrop) -> Int {
        for waiter in waiters { waiter.drop(reason) }
        return waiters.count
    }
}

extension CommandQueue.Waiter {
    fileprivate func drop(_ reason: CommandDrop) {
        onDrop(reason)
        continuation?.resume(returning: reason)
    }
}

extension CommandQueue.State {
    fileprivate mutating func ask(
        _ place: UInt64, _ continuation: CheckedContinuation<CommandDrop?, Never>
    ) -> CommandQueue.Standing {
        if let reason = dropped.removeValue(forKey: place) { return .gone(reason) }
        guard place == turn, !isRunning else {
            waiting[place]?.continuation = continuation
            return .waits
        }
        start(place)
        return .starts
    }

    fileprivate mutating func startNext() -> CheckedContinuation<CommandDrop?, Never>? {
        guard let next = waiting[turn]?.continuation else { return nil }
        start(turn)
        return next
    }

    private mutating func start(_ place: UInt64) {
        isRunning = true
        waiting[place] = nil
    }

    fileprivate mutating func takeIdlers() -> [CheckedContinuation<Void, Never>] {
        guard !isRunning else { return [] }
        defer { idlers = [] }
        return idlers
    }

    /// Moves to the next place that was not dropped.
    fileprivate mutating func advance() {
        repeat { turn += 1 } while skipped.remove(turn) != nil
    }

    private mutating func skip(_ place: UInt64) {
        if place == turn, !isRunning { advance() } else { skipped.insert(place) }
    }

    fileprivate mutating func drop(_ place: UInt64, _ reason: CommandDrop) -> CommandQueue.Waiter? {
        guard let waiter = waiting.removeValue(forKey: place) else { return nil }
        if waiter.continuation == nil { dropped[place] = reason }
        skip(place)
        return waiter
    }

    fileprivate mutating func dropAll(_ reason: CommandDrop) -> [CommandQueue.Waiter] {
        waiting.keys.sorted().compactMap { drop($0, reason) }
    }
}

/// How a command failed.
public enum CommandFailure: Error, Sendable, Hashable {
    /// It was not carried out.
    case dropped(CommandDrop)
    /// It was carried out, and failed.
    case failed(TagError)
}

/// Why a command was not carried out.
public enum CommandDrop: Sendable, Hashable {
    /// It was cancelled.
    case cancelled
    /// The tag takes no more commands, because it left or its session is over.
    case refused(TagError)
}
