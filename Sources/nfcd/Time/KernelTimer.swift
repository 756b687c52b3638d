import CLinux
import ServiceSupport
@preconcurrency import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A timer of the kernel (timerfd_create(2)).
final class KernelTimer: Sendable {
    /// Why there is no timer.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static let queue = DispatchQueue(label: "nfcd.timers")

    private let descriptor: CInt
    private let source: any DispatchSourceRead

    /// Calls the handler, on the queue of all timers, whenever the timer expires.
    private init(_ descriptor: CInt, _ handler: @escaping @Sendable (CInt) -> Void) throws(Failure) {
        guard descriptor >= 0 else {
            throw Failure(description: "cannot create a timer: \(String(cString: strerror(errno)))")
        }
        self.descriptor = descriptor
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: Self.queue)
        source.setEventHandler {
            var expirations: UInt64 = 0
            // The count is not needed: the handler reads the clock.
            _ = read(descriptor, &expirations, MemoryLayout<UInt64>.size)
            handler(descriptor)
        }
        source.setCancelHandler { close(descriptor) }
        source.activate()
    }

    deinit {
        source.cancel()
    }

    /// Makes a timer of a clock; it is not set yet.
    convenience init(_ clock: SystemClock, onTime: @escaping @Sendable () -> Void) throws(Failure) {
        try self.init(ctimer_open(clock.id)) { _ in onTime() }
    }

    /// Makes a timer that calls back whenever the wall clock is set, as it also is on resume from suspension.
    static func clockChanges(_ onChange: @escaping @Sendable () -> Void) throws(Failure) -> KernelTimer {
        let descriptor = ctimer_open_clock_changes()
        let timer = try KernelTimer(descriptor) { descriptor in
            _ = ctimer_await_clock_change(descriptor)
            onChange()
        }
        guard ctimer_await_clock_change(descriptor) == 0 else {
            throw Failure(description: "cannot watch for changes of the clock: \(String(cString: strerror(errno)))")
        }
        return timer
    }

    /// Sets the time of expiry, instead of the one before; nil: it never expires.
    func set(_ time: Duration?) {
        _ = ctimer_set(descriptor, time.map(Self.nanoseconds) ?? 0)
    }

    /// Rounds up, and never to 0, which disarms the timer; a time that is too late becomes the latest.
    private static func nanoseconds(_ time: Duration) -> Int64 {
        let (seconds, attoseconds) = time.components
        guard seconds < Int64.max / 2_000_000_000 else { return .max }
        guard time > .zero else { return 1 }
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000 + 1
    }
}
