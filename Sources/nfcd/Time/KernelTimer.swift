import CTimer
@preconcurrency import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A descriptor of the kernel that can be read when a time has come (timerfd_create(2)).
final class KernelTimer: Sendable {
    /// Why there is no timer.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static let queue = DispatchQueue(label: "nfcd.timers")

    private let descriptor: CInt
    private let source: any DispatchSourceRead

    /// Calls the handler, on the queue of all timers, whenever the time that `open` and later calls set has come.
    private init(_ descriptor: CInt, _ handler: @escaping @Sendable (CInt) -> Void) throws(Failure) {
        guard descriptor >= 0 else { throw Failure(description: "no timer: \(String(cString: strerror(errno)))") }
        self.descriptor = descriptor
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: Self.queue)
        source.setEventHandler {
            var expirations: UInt64 = 0
            // How often, and whether the clock was changed, is of no interest: the handler looks at the clock.
            _ = read(descriptor, &expirations, MemoryLayout<UInt64>.size)
            handler(descriptor)
        }
        source.setCancelHandler { close(descriptor) }
        source.activate()
    }

    deinit {
        source.cancel()
    }

    /// A timer by a clock; not set yet.
    convenience init(_ clock: SystemClock, onTime: @escaping @Sendable () -> Void) throws(Failure) {
        try self.init(ctimer_open(clock.id)) { _ in onTime() }
    }

    /// Tells whenever the wall clock was set, as it is on resume from suspension too.
    static func clockChanges(_ onChange: @escaping @Sendable () -> Void) throws(Failure) -> KernelTimer {
        let descriptor = ctimer_open_clock_changes()
        let timer = try KernelTimer(descriptor) { descriptor in
            _ = ctimer_await_clock_change(descriptor)
            onChange()
        }
        guard ctimer_await_clock_change(descriptor) == 0 else {
            throw Failure(description: "changes of the clock are not told: \(String(cString: strerror(errno)))")
        }
        return timer
    }

    /// Sets the time, in place of the one before; nil: it never comes.
    func set(_ time: Duration?) {
        _ = ctimer_set(descriptor, time.map(Self.nanoseconds) ?? 0)
    }

    /// Not earlier than the time, and never 0, which means none; what is too far away is as far as can be.
    private static func nanoseconds(_ time: Duration) -> Int64 {
        let (seconds, attoseconds) = time.components
        guard seconds < Int64.max / 2_000_000_000 else { return .max }
        guard time > .zero else { return 1 }
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000 + 1
    }
}
