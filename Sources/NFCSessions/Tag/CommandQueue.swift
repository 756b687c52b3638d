public import NFCTags
import Synchronization

/// Whose turn it is on a tag: places are given in order, and each is used or given up once.
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
        /// Places that were given up before their turn.
        var skipped: Set<UInt64> = []
        /// The same, until whoever holds the place asks for its turn.
        var dropped: [UInt64: CommandDrop] = [:]
        var refusal: TagError?
        var idlers: [CheckedContinuation<Void, Never>] = []
    }

    /// What becomes of a place whose holder asks for its turn.
    fileprivate enum Standing {
        case starts, waits
        case gone(CommandDrop)
    }

    private let state = Mutex(State())

    /// Takes the next place. `onDrop` is called if the place is given up: before whoever gives it up goes on, so that what is
    /// told then comes first.
    func take(onDrop: @escaping @Sendable (CommandDrop) -> Void) -> UInt64 {
        let (place, refusal) = state.withLock { state in
            state.given += 1
            state.waiting[state.given] = Waiter(onDrop: onDrop)
            return (state.given, state.refusal)
        }
        if let refusal { _ = drop(place, .refused(refusal)) }
        return place
    }

    /// Returns when it is a place's turn; every place asks once, and then ends.
    ///
    /// - Throws: why the place was given up; then it has ended.
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

    /// The command that ran has ended.
    func end() {
        let (next, idlers) = state.withLock { state in
            state.isRunning = false
            state.advance()
            return (state.startNext(), state.takeIdlers())
        }
        next?.resume(returning: nil)
        for idler in idlers { idler.resume() }
    }

    /// Gives up a place that has not started. False: it has.
    func drop(_ place: UInt64, _ reason: CommandDrop) -> Bool {
        let waiter = state.withLock { $0.drop(place, reason) }
        waiter?.tell(reason)
        return waiter != nil
    }

    /// Gives up every place that has not started; how many there were.
    func dropAll(_ reason: CommandDrop) -> Int {
        tell(state.withLock { $0.dropAll(reason) }, reason)
    }

    /// From now on nothing starts: those that wait and those to come fail. The first reason holds.
    func refuse(_ refusal: TagError) {
        let waiters = state.withLock { state in
            state.refusal = state.refusal ?? refusal
            return state.dropAll(.refused(refusal))
        }
        _ = tell(waiters, .refused(refusal))
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

    private func tell(_ waiters: [Waiter], _ reason: CommandDrop) -> Int {
        for waiter in waiters { waiter.tell(reason) }
        return waiters.count
    }
}

extension CommandQueue.Waiter {
    fileprivate func tell(_ reason: CommandDrop) {
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

    /// The next place that was not given up.
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
    /// It was, and this came of it.
    case failed(TagError)
}

/// Why a command was not carried out.
public enum CommandDrop: Sendable, Hashable {
    /// It was taken back.
    case cancelled
    /// The tag takes no more commands: it left, or its session is over.
    case refused(TagError)
}
