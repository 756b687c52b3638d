import CTAP
import Dispatch
import ServiceSupport
import Synchronization
import Threading

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Writes the reports of a device on a thread that does nothing else, so that a keep-alive waits neither for the card nor for a task.
final class ReportWriter: Sendable {
    /// A keep-alive takes precedence over what the machine computes, where LimitNICE= of the unit permits it. libdispatch gives the threads of the
    /// task pool the nice value 0 whatever that of the process is.
    private static let niceValue: CInt = -10
    /// PRIO_PROCESS, whose type differs between C libraries; with 0, the calling thread.
    private static let process: CInt = 0
    /// Within this time a program takes the first reports of a long message.
    private static let pause: useconds_t = 1_000

    /// What the thread shares with its owner.
    private final class Work: Sendable {
        let reports = Mutex(OutgoingReports())
        let wakeUp = DispatchSemaphore(value: 0)

        func change(_ body: (inout OutgoingReports) -> Void) {
            reports.withLock { body(&$0) }
            wakeUp.signal()
        }
    }

    private let work = Work()
    private let executor = ThreadExecutor()

    /// Writes to a device, which is removed when everything is sent.
    init(_ device: any HIDDevice) {
        executor.run { [work] in Self.run(work, device) }
    }

    deinit { finish() }

    /// Sends the reports of a message after those before it.
    func send(_ reports: [[UInt8]]) { work.change { $0.append(reports) } }

    /// Sends a report again and again, instead of the one before; nil: no more, not even the one that is due.
    func keepAlive(_ report: HIDEndpoint.RepeatedReport?) { work.change { $0.keepAlive(report) } }

    /// Removes the device once its messages are sent.
    func finish() { work.change { $0.finish() } }

    private static func run(_ work: Work, _ device: any HIDDevice) {
        _ = setpriority(process, 0, niceValue)
        while true {
            let now = SystemClock.boottime.now
            switch work.reports.withLock({ $0.next(at: now) }) {
            case .write(let reports, let isContinued):
                for report in reports { device.write(UHIDEvent.input(report)) }
                if isContinued { usleep(pause) }
            case .wait(nil): work.wakeUp.wait()
            case .wait(let time?):
                let nanoseconds = Int(max(.zero, time - now) / .nanoseconds(1))
                _ = work.wakeUp.wait(timeout: .now() + .nanoseconds(nanoseconds))
            case .end: return device.remove()
            }
        }
    }
}

/// What a device is to send: messages in their order, and a keep-alive between them. A value without a device and a clock.
struct OutgoingReports: Sendable {
    /// What is done next.
    enum Step: Sendable, Hashable {
        /// Write these reports. Where the message continues, its program needs a moment to take them.
        case write([[UInt8]], isContinued: Bool)
        /// There is nothing to write before a time; nil: before a change.
        case wait(until: Duration?)
        /// Nothing follows.
        case end
    }

    private struct DueKeepAlive: Sendable {
        let bytes: [UInt8]
        var due: Duration
        /// The messages that were to be sent when it was set: they precede it.
        var messagesBefore: Int
    }

    /// The most reports that a program receives at once: hidraw keeps 64 for it, and drops more.
    private static let burst = 32
    /// The most messages that wait to be sent; more are dropped, as hidraw does for a program that does not read.
    private static let mostMessages = 256

    private var messages: [ArraySlice<[UInt8]>] = []
    private var keepAlive: DueKeepAlive?
    private var isFinished = false
    /// Whether a message was begun: nothing goes between its reports.
    private var isWithinMessage = false

    /// Adds the reports of a message.
    mutating func append(_ reports: [[UInt8]]) {
        guard !isFinished, !reports.isEmpty, messages.count < Self.mostMessages else { return }
        messages.append(reports[...])
    }

    /// Sets the report that is repeated; nil: none.
    mutating func keepAlive(_ report: HIDEndpoint.RepeatedReport?) {
        keepAlive = report.map { DueKeepAlive(bytes: $0.bytes, due: $0.start, messagesBefore: messages.count) }
    }

    /// Takes no more messages.
    mutating func finish() {
        isFinished = true
        keepAlive = nil
    }

    /// What is done at a time.
    mutating func next(at time: Duration) -> Step {
        if let current = keepAlive, current.due <= time, current.messagesBefore == 0, !isWithinMessage {
            // Counted from the time when it is written: two that were late do not follow each other at once.
            keepAlive?.due = time + HIDEndpoint.RepeatedReport.period
            return .write([current.bytes], isContinued: false)
        }
        guard let first = messages.first else {
            return isFinished ? .end : .wait(until: keepAlive?.due)
        }
        let reports = Array(first.prefix(Self.burst))
        let rest = first.dropFirst(Self.burst)
        isWithinMessage = !rest.isEmpty
        if isWithinMessage {
            messages[0] = rest
        } else {
            messages.removeFirst()
            if let before = keepAlive?.messagesBefore, before > 0 { keepAlive?.messagesBefore = before - 1 }
        }
        return .write(reports, isContinued: isWithinMessage)
    }
}
