import ServiceLifecycle

/// Tells of every time the system was suspended, right after it. It sleeps until the kernel wakes it up.
struct SuspensionService: Service {
    private let changes: AsyncStream<Void>
    private let timer: KernelTimer
    private let wasSuspended: @Sendable (Duration) async -> Void

    init(_ wasSuspended: @escaping @Sendable (Duration) async -> Void) throws(KernelTimer.Failure) {
        let (changes, change) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        timer = try KernelTimer.clockChanges { change.yield() }
        self.changes = changes
        self.wasSuspended = wasSuspended
    }

    func run() async throws {
        var meter = SuspensionMeter(.now)
        for await _ in changes.cancelOnGracefulShutdown() {
            if let duration = meter.look(.now) { await wasSuspended(duration) }
        }
    }
}
