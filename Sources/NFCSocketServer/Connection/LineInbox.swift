import NIOCore
import Synchronization

/// What a client has sent and its task has not taken yet. While the client has no room in the budget, or more than its share of
/// complete lines waits, nothing is read from the socket.
final class LineInbox: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    /// A line, and the bytes that are in use until its requests have been answered.
    struct Arrival: Sendable {
        let line: IncomingLine
        let hold: BudgetHold
    }

    fileprivate struct State {
        var splitter: LineSplitter
        var isOver = false
        var isPaused = false
        var deadline: Scheduled<Void>?
        /// The client's progress when the time for its lines began.
        var progress: Int?
        var waiter: CheckedContinuation<Arrival?, Never>?

        mutating func take() -> TakenLine? {
            let before = splitter.count
            return splitter.next().map { TakenLine(line: $0, size: before - splitter.count) }
        }

        /// Drops what was received and everything that follows. Returns how many bytes that were.
        mutating func drop(_ reason: IncomingLine?) -> Int {
            defer { splitter.end(reason) }
            return splitter.count
        }
    }

    /// A line whose bytes are still charged as received.
    fileprivate struct TakenLine {
        let line: IncomingLine
        let size: Int
    }

    /// The memory of a request in addition to its line.
    private static let overhead = 512

    private let channel: any Channel
    private let account: BudgetAccount
    private let patience: TimeAmount
    private let progress: @Sendable () -> Int?
    private let state: Mutex<State>

    /// - Parameters:
    ///   - limit: the longest line, in bytes.
    ///   - patience: the time for a line that is longer than the share of a connection.
    ///   - progress: the number of bytes of answers that the client has read, while it has to read more before its next request
    ///     is started; otherwise nil.
    init(
        _ channel: any Channel, limit: Int, account: BudgetAccount, patience: TimeAmount,
        progress: @escaping @Sendable () -> Int?
    ) {
        self.channel = channel
        self.account = account
        self.patience = patience
        self.progress = progress
        state = Mutex(State(splitter: LineSplitter(limit: limit)))
    }

    /// Returns the next line, or nil at the end. Only one caller may wait at a time.
    func next() async -> Arrival? {
        await withCheckedContinuation { continuation in
            let (isNow, line) = state.withLock { state -> (Bool, TakenLine?) in
                if let line = state.take() { return (true, line) }
                if !state.isOver { state.waiter = continuation }
                return (state.isOver, nil)
            }
            if isNow { continuation.resume(returning: line.map { arrival(of: $0) }) }
            regulate()
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        guard !isOverdrawn else { return context.close(promise: nil) }
        // Charged before a line of them can be taken.
        account.add(bytes.readableBytes)
        let dropped = state.withLock { state in
            let before = state.splitter.count
            state.splitter.add(bytes)
            return before + bytes.readableBytes - state.splitter.count
        }
        account.remove(dropped)
        deliver()
        regulate()
    }

    /// Whether more was received although reading has stopped for lack of room: at the end of its input, all that a client has sent is
    /// read at once.
    private var isOverdrawn: Bool {
        state.withLock { $0.isPaused && $0.splitter.count > account.share } && !account.hasRoom
    }

    /// The client has shut down its sending side; it may still read.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed = event as? ChannelEvent { end() }
        context.fireUserInboundEventTriggered(event)
    }

    /// The connection has ended: requests that have not started never start. Unlike `channelInactive`, this is also called for one
    /// that was closed before it became active.
    func handlerRemoved(context: ChannelHandlerContext) {
        account.remove(state.withLock { $0.drop(nil) })
        end()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    /// Passes the next line to the task that waits for one.
    private func deliver() {
        let (waiter, line) = state.withLock { state -> (CheckedContinuation<Arrival?, Never>?, TakenLine?) in
            guard state.waiter != nil, let line = state.take() else { return (nil, nil) }
            defer { state.waiter = nil }
            return (state.waiter, line)
        }
        if let line { waiter?.resume(returning: arrival(of: line)) }
    }

    /// Charges a line that was taken to its requests.
    private func arrival(of line: TakenLine) -> Arrival {
        defer { account.remove(line.size) }
        return Arrival(line: line.line, hold: account.hold(line.size + Self.overhead))
    }

    /// Takes nothing more from the client.
    func end() {
        let waiter = state.withLock { state in
            state.isOver = true
            state.deadline?.cancel()
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: nil)
    }

    // MARK: Limits

    /// Stops or resumes reading, and starts or stops the time for a long line.
    private func regulate() {
        guard channel.eventLoop.inEventLoop else { return regulateLater() }
        let reading = state.withLock { state -> Bool? in
            setDeadline(&state)
            let isEnough = state.splitter.hasLine && state.splitter.count > account.share
            let pauses = isEnough || isWithoutRoom()
            guard pauses != state.isPaused else { return nil }
            state.isPaused = pauses
            return !pauses
        }
        if let reading { channel.setOption(.autoRead, value: reading).whenFailure { _ in } }
    }

    private func regulateLater() {
        channel.eventLoop.execute { self.regulate() }
    }

    /// Whether the budget has no room. Then ``regulate()`` is called again once it has.
    private func isWithoutRoom() -> Bool {
        account.waits { [weak self] in self?.regulateLater() }
    }

    private func setDeadline(_ state: inout State) {
        guard state.splitter.count > account.share, !state.isOver else {
            state.deadline?.cancel()
            state.deadline = nil
            return
        }
        guard state.deadline == nil else { return }
        state.progress = progress()
        state.deadline = channel.eventLoop.scheduleTask(in: patience) { [weak self] in self?.timeIsUp() }
    }

    /// A client that does not complete its line, or has read none of its answers all the time, must not keep memory that others
    /// need.
    private func timeIsUp() {
        let (closes, dropped) = state.withLock { state in
            state.deadline = nil
            guard !state.splitter.hasLine else {
                let before = state.progress
                setDeadline(&state)
                return (before != nil && before == state.progress, 0)
            }
            return (false, state.drop(.tooSlow))
        }
        account.remove(dropped)
        if closes { channel.close(promise: nil) }
        deliver()
        regulate()
    }
}
