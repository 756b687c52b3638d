import CLinux
import FoundationEssentials
import Logging
import NFCReaders
import NFCSessions
import NFCSocketServer
import PCSCReaders
import ServiceSupport
import Threading
import UnixSignals

/// The parts of nfcd, put together: the only place that knows them all.
struct Daemon {
    let place: ListeningPlace
    let instance: Instance
    let configuration: Configuration
    let keys: TagKeys
    let workClock: TimerClock
    /// Reads the configuration again.
    let loader: ConfigurationLoader
    let logger: Logger
    let logLevel: CommonLogLevel
    let manager: ServiceManager
    let recordings: DaemonRecordings

    /// Runs until SIGTERM or SIGINT; then sessions end, clients are disconnected and the socket is removed. On SIGHUP the
    /// configuration is read again.
    func run() async throws {
        cmalloc_fix_thresholds()
        for warning in configuration.warnings(ofFurtherSockets: place.further.map(\.name)) {
            logger.warning("\(warning)")
        }
        for warning in keys.warnings { logger.warning("\(warning)") }
        if let summary = keys.summary { logger.info("\(summary)") }
        let simulator = recordings.replay == nil ? simulatedDriver(workClock) : nil
        let driver: any ReaderDriver =
            if let replay = recordings.replay { replay } else if let simulator { simulator } else {
                PCSCDriver(settings: configuration.readers.map(\.setting), clock: workClock)
            }
        let access = AccessPolicy(configuration.accessRules)
        let environment = ProcessInfo.processInfo.environment
        let journal = OpenJournal(configuration, instance, environment, workClock)
        let records = configuration.journal.setUpFolder(instance, environment)
        // Suspended time counts against the deadline of a session.
        let sessionClock = try TimerClock(.boottime)
        let coordinator = SessionCoordinator(
            driver: RecordingDriver(driver, recorder: recordings.recorder), limits: configuration.sessionLimits,
            taps: TapSettings(journal: journal?.settings, rest: configuration.restTimes), prover: keys.prover,
            personaliser: keys.personaliser(recordsIn: records), clock: sessionClock,
            logger: EventLog(logger))
        let server = SocketServer(
            socket: place.path, inherited: place.inherited,
            further: place.further.map { .init($0.name, $0.socket.descriptor, path: $0.socket.path) },
            coordinator: coordinator, access: access,
            limits: configuration.serverLimits, services: configuration.services, simulator: simulator,
            recorder: recordings.recorder, logger: EventLog(logger),
            onListening: { [manager, recordings] in
                recordings.keep()
                manager.ready()
            },
            memoryRelease: MemoryRelease(emptyThreadCache: cmalloc_empty_thread_cache, trim: cmalloc_trim))
        let reload = ReloadService(
            hangUps: await UnixSignalsSequence(trapping: .sighup), loader: loader, started: configuration,
            keyFile: keys.path, logger: logger, manager: manager
        ) { [logLevel] configuration in
            access.replace(with: configuration.accessRules)
            await coordinator.accessRulesChanged()
            await coordinator.replace(limits: configuration.sessionLimits)
            coordinator.recorder.replace(rest: configuration.restTimes)
            (driver as? PCSCDriver)?.replace(settings: configuration.readers.map(\.setting))
            logLevel.level = configuration.logLevel
        }
        // Shut down from the last to the first: sessions end while their clients are still connected.
        let group = ServiceGroup(
            (journal.map { [$0.service(for: coordinator.recorder, logger: EventLog(logger))] } ?? []) + [
                server, FunctionService { await coordinator.run() }, reload, FunctionService { await recordings.run() },
                try SuspensionService { await coordinator.systemWasSuspended(for: $0) },
            ] + supervision(coordinator, server, driver, workClock))
        try await group.runUntilTerminated()
    }

    /// The services that report to the service manager, if there is one.
    private func supervision(
        _ coordinator: SessionCoordinator, _ server: SocketServer, _ driver: any ReaderDriver, _ clock: TimerClock
    ) -> [any Service] {
        guard manager.isPresent else { return [] }
        let status = OverviewService(
            coordinator: coordinator, clock: clock, status: manager.status, stopping: manager.stopping)
        guard let limit = manager.watchdog else { return [status] }
        let parts = [
            VitalPart("the task pool") { await Task.detached {}.value },
            VitalPart("the sessions") { _ = await coordinator.overview() },
            VitalPart("the event loop") { await server.pulse.answers() },
            VitalPart("the readers") { Self.complaint(about: driver.hungReaders) },
        ]
        return [
            Heartbeat(parts: parts, limit: limit, clock: clock, logger: logger, beat: manager.beat), status,
        ]
    }

    private static func complaint(about readers: [ReaderID]) -> String? {
        guard !readers.isEmpty else { return nil }
        return "a call to \(readers.map(\.rawValue).joined(separator: ", ")) hangs past its deadline"
    }

    private func simulatedDriver(_ clock: TimerClock) -> SimulatedDriver? {
        let readers = configuration.simulatedReaders
        guard readers > 0 else { return nil }
        let siteTag = keys.siteTag
        return configuration.simulatorModel.flatMap {
            SimulatedDriver(readers: readers, modelNamed: $0, clock: clock, siteTag: siteTag)
        } ?? SimulatedDriver(readers: readers, clock: clock, siteTag: siteTag)
    }
}
