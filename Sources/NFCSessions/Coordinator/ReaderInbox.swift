import NFCReaders
import Synchronization

/// The readers of a driver: their events in order, each of which is handled once, and the state that follows from them.
///
/// The driver reports on any thread. The state is ahead of what was handled: it is for operations on tags, which ask whether a tag is
/// still in the field.
final class ReaderInbox: Sendable {
    /// An event, and the time since the start of nfcd.
    typealias Report = (event: ReaderEvent, time: Duration)

    private struct State {
        /// The readers after all events.
        var table = ReaderTable()
        /// The events that were not handled yet.
        var reports: [Report] = []
        /// Whether they will be handled.
        var isOpen = false
        /// The requests that wait until they were.
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let driver: any ReaderDriver
    private let uptime: Stopwatch
    private let state = Mutex(State())
    private let signal: AsyncStream<Void>.Continuation
    /// An element whenever there are events to handle, until the driver has ended.
    let signals: AsyncStream<Void>

    init(_ driver: any ReaderDriver, _ uptime: Stopwatch) {
        (self.driver, self.uptime) = (driver, uptime)
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// A reader as it is now.
    subscript(_ reader: ReaderID) -> ReaderTable.Entry? { state.withLock { $0.table[reader] } }

    /// Receives the events of the driver until the task is cancelled.
    func run() async {
        state.withLock { $0.isOpen = true }
        await driver.run { [self] event in
            let time = uptime.elapsed
            state.withLock { state in
                state.table.apply(event)
                state.reports.append((event, time))
            }
            signal.yield()
        }
        signal.finish()
    }

    /// Handles the events that were not handled yet, all of them at once.
    func handle(_ handler: ([Report]) -> Void) {
        let (reports, waiters) = state.withLock { state in
            defer { (state.reports, state.waiters) = ([], []) }
            return (state.reports, state.waiters)
        }
        handler(reports)
        for waiter in waiters { waiter.resume() }
    }

    /// Handles no more events.
    func close() {
        state.withLock { $0.isOpen = false }
        handle { _ in }
    }

    /// Returns when the events so far have been handled.
    func handled() async {
        await withCheckedContinuation { continuation in
            let waits = state.withLock { state in
                let waits = state.isOpen && !state.reports.isEmpty
                if waits { state.waiters.append(continuation) }
                return waits
            }
            if !waits { continuation.resume() }
        }
    }

    /// Returns when the driver has reported its readers as they are, and that has been handled.
    func refresh() async {
        await driver.refresh()
        await handled()
    }
}
