public import NFCReaders
public import NFCTags
import Synchronization

/// A tag that is held on its reader for a session, and the queue of its commands: they run strictly one after another, in
/// the order in which they took their places. Nothing else reaches the tag in between.
public final class HeldTag: Sendable {
    /// The technology and the identifier of the tag.
    public let identity: TagIdentity
    /// The reader that holds it.
    public let reader: ReaderDescription
    /// The form in which the tag was delivered to the session.
    public let delivery: TagDelivery
    private let commands: TagCommands
    private let connection: CommandConnection
    private let queue = CommandQueue()

    /// Takes over the connection to a tag.
    init(
        _ contact: TagContact, on reader: ReaderDescription, as delivery: TagDelivery? = nil,
        rules: CommandRules = .open, metrics: Metrics? = nil, audit: TagAudit = .none,
        personalisation: Personalisation? = nil, clock: Stopwatch = Stopwatch(ContinuousClock())
    ) {
        identity = contact.identity
        self.reader = reader
        self.delivery = delivery ?? TagDelivery(contact.identity.type)
        connection = CommandConnection(contact.connection, clock: clock)
        commands = TagCommands(
            contact.over(connection), as: self.delivery, rules: rules, metrics: metrics, audit: audit,
            personalisation: personalisation)
    }

    /// Connects to the tag of an arrival, identifies it, and decides in which form it is delivered.
    ///
    /// - Parameters:
    ///   - permissions: what the client may do at the moment.
    ///   - bounds: what ends this early; the tag that is returned has no bounds.
    /// - Returns: nil where the session does not look for such a tag. Then, and after an error, nothing is held.
    static func connect(
        _ arrival: TagArrival, on reader: ReaderDescription, driver: any ReaderDriver, kind: SessionKind,
        _ options: PollingOptions, permissions: @escaping @Sendable () -> Permissions, within bounds: ReadingBounds,
        metrics: Metrics? = nil, audit: TagAudit = .none, personalisation: Personalisation? = nil
    ) async throws(TagError) -> HeldTag? {
        let granted = kind == .tag ? options.narrowed(to: permissions(), on: reader) : options
        let connection = try await TagContact.connect(to: arrival, driver, within: bounds)
        let contact = try await TagContact.make(over: bounds.bound(connection), on: reader, driver, within: bounds)
        let rules = CommandRules(
            allowsRawCommands: kind == .tag, selectIdentifiers: options.selectIdentifiers,
            systemCodes: options.systemCodes, reader: reader, permissions: permissions)
        do throws(TagError) {
            if let delivery = try await TagDetection(contact: contact, options: granted).delivery() {
                return HeldTag(
                    contact.over(connection), on: reader, as: delivery, rules: rules, metrics: metrics, audit: audit,
                    personalisation: personalisation, clock: bounds.clock)
            }
        } catch {
            await connection.close()
            throw bounds.failure ?? error
        }
        await connection.close()
        return nil
    }

    /// Whether other programs may use the tag between its commands.
    var isShared: Bool { connection.isShared }

    /// Changes whether other programs may use the tag between its commands. Where one uses it now and does not release it
    /// in time, the next command makes the tag exclusive.
    func share(_ isShared: Bool) async {
        do throws(CardChannelError) {
            try await connection.setShared(isShared)
        } catch {
            if error == .tagLost { _ = unusable(error) }
        }
    }

    /// Takes the next place in the queue for a command.
    ///
    /// - Parameters:
    ///   - limit: the time for all exchanges of the command together, counted from its turn; nil: each exchange has the
    ///     limit of the reader.
    ///   - onDrop: called if the command is dropped, before the caller that drops it continues.
    public func takePlace(
        within limit: Duration? = nil, onDrop: @escaping @Sendable (CommandDrop) -> Void = { _ in }
    ) -> CommandPlace {
        CommandPlace(self, number: queue.take(onDrop: onDrop), limit: limit)
    }

    /// Cancels every command that has not started.
    ///
    /// - Returns: how many were cancelled.
    public func cancelCommands() -> Int {
        queue.dropAll(.cancelled)
    }

    /// Starts no more commands: waiting ones fail now, in their order, and later ones as they come. A running command
    /// continues. Its response, which alone shows what it did to the tag, may follow the end of its session.
    func refuse(_ refusal: TagError) {
        queue.refuse(refusal)
    }

    /// Bounds how long the running command can keep the reader once its session is over: a tag can make a read last for hours. A
    /// change is given time, so that no tag is left half written.
    func stop() {
        connection.stop(after: commands.isChanging ? .seconds(30) : .seconds(1))
    }

    /// Disconnects from the tag as soon as the running command has ended; commands that have not started fail with `refusal`.
    func close(_ refusal: TagError) async {
        refuse(refusal)
        await queue.idle()
        if commands.leavesState { await connection.reset() }
        await connection.close()
    }

    /// How the last change of the tag's message ended, for the feedback at the reader; nil where nothing was changed.
    var outcome: ReaderFeedback.Kind? { commands.outcome }

    /// Runs a command when its turn comes.
    ///
    /// After an exchange that took too long the state of the tag is unknown: no further command is started.
    fileprivate func run<Value: Sendable>(
        at place: UInt64, within limit: Duration?, _ command: (TagCommands) async throws(TagError) -> Value
    ) async throws(CommandFailure) -> Value {
        try await queue.turn(of: place)
        defer { queue.end() }
        try await begin(within: limit)
        do throws(TagError) {
            let value = try await commands.run(command)
            await end()
            return value
        } catch {
            await end()
            if connection.isCutOff, error.code == .tagConnectionLost {
                let reason = "the command was cut off because its session has ended; begin a new one"
                throw .failed(TagError(.sessionInvalidated, reason, leaves: error.leaves))
            }
            guard let limit, connection.hasTimedOut else { throw .failed(error) }
            throw .failed(TagError(.tagResponseError, "the command timed out after \(limit / .seconds(1)) s"))
        }
    }

    private func begin(within limit: Duration?) async throws(CommandFailure) {
        do throws(CardChannelError) {
            try await connection.begin(within: limit)
        } catch {
            throw .failed(unusable(error))
        }
    }

    private func end() async {
        if connection.hasTimedOut {
            refuse(TagError(.tagConnectionLost, "an earlier command on this tag timed out; restart polling"))
        }
        await connection.end()
    }

    /// The error of a shared tag that cannot be used. A tag that another program has reset takes no more commands.
    private func unusable(_ error: CardChannelError) -> TagError {
        guard error == .tagLost else { return TagError(error.code, "the tag cannot be used now: \(error)") }
        let refusal = TagError(
            .tagConnectionLost,
            "the tag left, or another program reset it while the session let others use it; restart polling")
        refuse(refusal)
        return refusal
    }

    fileprivate func cancel(_ place: UInt64) -> Bool { queue.drop(place, .cancelled) }
}

extension HeldTag: Hashable {
    /// Compares two tags by identity.
    public static func == (one: HeldTag, other: HeldTag) -> Bool { one === other }

    /// Hashes the identity of the tag.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The place of a command in the queue of a tag. Whoever takes one calls `run` once, even if the place is given up.
public struct CommandPlace: Sendable {
    private let tag: HeldTag
    private let number: UInt64
    private let limit: Duration?

    fileprivate init(_ tag: HeldTag, number: UInt64, limit: Duration?) {
        self.tag = tag
        self.number = number
        self.limit = limit
    }

    /// Runs the command when its turn comes; everything it does with the given tag belongs to this turn.
    ///
    /// - Throws: ``CommandFailure``.
    public func run<Value: Sendable>(
        _ command: (TagCommands) async throws(TagError) -> Value
    ) async throws(CommandFailure) -> Value {
        try await tag.run(at: number, within: limit, command)
    }

    /// Cancels the command.
    ///
    /// - Returns: false where it has already started.
    public func cancel() -> Bool { tag.cancel(number) }
}

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
        if state.withLock({ $0.startAtOnce(place) }) { return }
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
    /// Starts a place whose turn it is. Returns false where it has to wait or was dropped.
    fileprivate mutating func startAtOnce(_ place: UInt64) -> Bool {
        guard place == turn, !isRunning, dropped[place] == nil else { return false }
        start(place)
        return true
    }

    fileprivate mutating func ask(
        _ place: UInt64, _ continuation: CheckedContinuation<CommandDrop?, Never>
    ) -> CommandQueue.Standing {
        if let reason = dropped.removeValue(forKey: place) { return .gone(reason) }
        if startAtOnce(place) { return .starts }
        waiting[place]?.continuation = continuation
        return .waits
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
