public import NFCTags
import PCSC
import Synchronization

/// The readers of pcscd: one monitor, and a worker for each reader.
public final class PCSCDriver: ReaderDriver {
    private let clock: any Clock<Duration>
    private let timer: DeadlineTimer
    private let monitor: PCSCMonitor
    private let registry: ReaderRegistry
    private let workers = Mutex<[ReaderName: ReaderWorker]>([:])

    /// Creates a driver for the machine's pcscd.
    ///
    /// - Parameters:
    ///   - settings: what the configuration defines about readers.
    ///   - clock: the clock for deadlines and pauses.
    public init(settings: [ReaderSetting] = [], clock: any Clock<Duration> = ContinuousClock()) {
        self.clock = clock
        timer = DeadlineTimer(clock)
        monitor = PCSCMonitor(clock: clock)
        registry = ReaderRegistry(settings: settings, timer: timer) { ReaderInquiry.facts(of: $0) }
    }

    /// Monitors the readers until the task is cancelled.
    public func run(report: @escaping @Sendable (ReaderEvent) -> Void) async {
        registry.report(to: report)
        await monitor.run(registry)
    }

    /// Returns when the reported readers are up to date.
    public func refresh() async {
        _ = await timer.result(within: refreshLimit) { [monitor] in await monitor.refresh() }
    }

    /// Connects to the tag on a reader, through its worker.
    public func connect(to reader: ReaderID) async throws(CardChannelError) -> any CardConnection {
        guard let name = registry.name(of: reader) else { throw .readerFailed }
        return try await worker(for: reader, name).connect()
    }

    /// Caches the result of a probe until nfcd ends.
    public func cache(_ profile: ReaderProfile, of reader: ReaderID) {
        registry.take(probed: profile, of: reader)
    }

    /// Sends an escape command (PC/SC Part 10), if the driver reported that it allows them.
    public func escape(_ command: [UInt8], to reader: ReaderID) async {
        guard let name = registry.name(of: reader), let code = registry.escapeCode(of: reader) else { return }
        _ = await timer.result(
            within: ReaderRegistry.inquiryLimit,
            ofBlocking: { ReaderInquiry.escape(command, code: code, to: name) })
    }

    /// Replaces the settings, also for attached readers; a connected tag keeps its transport.
    public func replace(settings: [ReaderSetting]) {
        registry.replace(settings: settings)
    }

    /// Readers that nfcd still waits for long after the deadline of a call.
    public var hungReaders: [ReaderID] {
        let all = workers.withLock { Array($0.values) }
        return all.filter(\.isHung).map(\.id)
    }

    private func worker(for id: ReaderID, _ name: ReaderName) -> ReaderWorker {
        workers.withLock { workers in
            if let worker = workers[name], worker.id == id { return worker }
            // The worker of an unplugged reader is released, and its thread ends.
            workers = workers.filter { registry.name(of: $0.value.id) == $0.key }
            let worker = ReaderWorker(id: id, clock: clock, report: { [registry] in registry.take($0) }) {
                PCSCReader(name: name)
            }
            workers[name] = worker
            return worker
        }
    }
}
