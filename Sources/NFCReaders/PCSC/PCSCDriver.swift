public import NFCTags
import PCSC
import Synchronization

/// The readers of pcscd: one monitor, and a worker for each reader.
public final class PCSCDriver: ReaderDriver {
    private let clock: any Clock<Duration>
    private let monitor: PCSCMonitor
    private let names = NameBook()
    private let workers = Mutex<[ReaderName: ReaderWorker]>([:])
    private let registry: ReaderRegistry

    /// Readers of the machine's pcscd. The settings say what nfcd is not to find out by itself; the clock is for deadlines
    /// and pauses.
    public init(settings: [ReaderSetting] = [], clock: any Clock<Duration> = ContinuousClock()) {
        self.clock = clock
        monitor = PCSCMonitor(clock: clock)
        let names = names
        registry = ReaderRegistry(settings: settings, clock: clock) { id in
            guard let name = names[id] else { return .failure(.readerFailed) }
            return ReaderInquiry.run(name)
        }
    }

    /// Follows the readers until the task is cancelled.
    public func run(report: @escaping @Sendable (ReaderEvent) -> Void) async {
        registry.report(to: report)
        await monitor.run(report: { [registry] in registry.take($0) }, names: names)
    }

    /// Returns when the readers have been told of.
    public func refresh() async {
        _ = await withDeadline(refreshLimit, clock: clock) { [monitor] in await monitor.refresh() }
    }

    /// Connects to the tag on a reader, through its worker.
    public func connect(to reader: ReaderID) async throws(CardChannelError) -> any CardConnection {
        guard let name = names[reader] else { throw .readerFailed }
        return try await worker(for: reader, name).connect()
    }

    /// Remembers what probing has shown, until nfcd ends.
    public func learn(_ profile: ReaderProfile, of reader: ReaderID) {
        registry.learn(profile, of: reader)
    }

    /// Sends an escape command (PC/SC Part 10), if feature discovery has shown that the driver lets them pass.
    public func escape(_ command: [UInt8], to reader: ReaderID) async {
        guard let name = names[reader], let code = registry.escapeCode(of: reader) else { return }
        let thread = InquiryThread()
        _ = await withDeadline(ReaderDiscovery.limit, clock: clock) {
            await thread.run { ReaderInquiry.escape(command, code: code, to: name) }
        }
    }

    /// Puts other settings in force, for readers that are there too; a tag that is connected to keeps its way.
    public func replace(settings: [ReaderSetting]) {
        registry.replace(settings: settings)
    }

    /// Readers whose calls were not given up long after their deadlines.
    public var hungReaders: [ReaderID] {
        let all = workers.withLock { Array($0.values) }
        return all.filter(\.isHung).map(\.id)
    }

    private func worker(for id: ReaderID, _ name: ReaderName) -> ReaderWorker {
        workers.withLock { workers in
            if let worker = workers[name] { return worker }
            // A reader that is gone takes its worker along; its thread ends with it.
            workers = workers.filter { names.contains($0.key) }
            let worker = ReaderWorker(id: id, clock: clock, report: { [registry] in registry.take($0) }) {
                PCSCReader(name: name)
            }
            workers[name] = worker
            return worker
        }
    }
}

/// Which PC/SC name belongs to which reader id; written by the monitor's thread, read by everybody.
final class NameBook: Sendable {
    private let names = Mutex<[ReaderID: ReaderName]>([:])

    subscript(_ id: ReaderID) -> ReaderName? { names.withLock { $0[id] } }

    func contains(_ name: ReaderName) -> Bool {
        names.withLock { $0.values.contains(name) }
    }

    func update(_ watch: ReaderWatch) {
        let current = watch.names
        names.withLock { $0 = current }
    }

    func clear() {
        names.withLock { $0 = [:] }
    }
}
