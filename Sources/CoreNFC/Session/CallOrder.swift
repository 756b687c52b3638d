import Synchronization

/// The one order in which the sessions of this process call nfcd: that in which the program called the sessions.
///
/// Each session has its own connection, and nfcd serves connections side by side. A call is therefore sent once nfcd has
/// carried out those before it. Commands to tags are not among them: each session has its own order of these.
final class CallOrder: Sendable {
    /// The order of this process.
    static let process = CallOrder()

    /// How long nfcd may take for a call. Then it is cancelled, and the next one follows.
    static let patience = Duration.seconds(3)

    private let clock: any Clock<Duration>
    private let last = Mutex<Task<Void, Never>?>(nil)

    init(clock: any Clock<Duration> = ContinuousClock()) {
        self.clock = clock
    }

    /// Makes a call after those that were added before it.
    func add(_ call: @escaping @Sendable () async -> Void) {
        last.withLock { last in
            last = Task { [clock, previous = last] in
                await previous?.value
                await Self.run(call, on: clock)
            }
        }
    }

    private static func run(_ call: @escaping @Sendable () async -> Void, on clock: any Clock<Duration>) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await call() }
            group.addTask { try? await clock.sleep(for: patience) }
            await group.next()
            group.cancelAll()
        }
    }
}

/// Something that happens once, and that one task waits for.
final class Moment: Sendable {
    private let stream: AsyncStream<Never>
    private let sink: AsyncStream<Never>.Continuation

    init() {
        (stream, sink) = AsyncStream.makeStream()
    }

    /// It happens. Without effect where it has.
    func happen() {
        sink.finish()
    }

    /// Waits until it happens, or the task is cancelled.
    func wait() async {
        for await _ in stream {}
    }
}
