import Logging
import NFCReaders
import NFCServer
import NFCSessions
import ServiceLifecycle
import UnixSignals

/// The parts of nfcd, put together: the only place that knows them all.
struct Daemon {
    let socket: String
    let configuration: Configuration
    /// Reads the configuration again.
    let loader: ConfigurationLoader
    let logger: Logger
    let logLevel: CommonLogLevel

    /// Runs until SIGTERM or SIGINT; then sessions are told, clients closed and the socket removed. SIGHUP makes it read the
    /// configuration again.
    func run() async throws {
        let clock = TimerClock()
        let simulator = simulatedDriver(clock)
        let driver: any ReaderDriver = simulator ?? PCSCDriver(settings: configuration.readers, clock: clock)
        let access = AccessPolicy(configuration.accessRules)
        let coordinator = SessionCoordinator(
            driver: driver, limits: configuration.sessionLimits, clock: clock, logger: logger)
        let server = NFCServer(
            socket: socket, coordinator: coordinator, access: access,
            limits: configuration.serverLimits, simulator: simulator, logger: logger,
            onListening: {
                ServiceManager.notify("READY=1")
                Footprint.forgetStartup()
            })
        let reload = ReloadService(
            hangUps: await UnixSignalsSequence(trapping: .sighup), loader: loader, started: configuration,
            logger: logger
        ) { [logLevel] configuration in
            access.replace(with: configuration.accessRules)
            await coordinator.replace(limits: configuration.sessionLimits)
            (driver as? PCSCDriver)?.replace(settings: configuration.readers)
            logLevel.level = configuration.logLevel
        }
        // Shut down from the last to the first: sessions hear of their end while their clients are still connected.
        let group = ServiceGroup(
            services: [server, CoordinatorService(coordinator: coordinator), reload],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: quiet(logger))
        try await group.run()
        ServiceManager.notify("STOPPING=1")
    }

    private func simulatedDriver(_ clock: TimerClock) -> SimulatedDriver? {
        let readers = configuration.simulatedReaders
        guard readers > 0 else { return nil }
        return configuration.simulatorModel.flatMap { SimulatedDriver(readers: readers, modelNamed: $0, clock: clock) }
            ?? SimulatedDriver(readers: readers, clock: clock)
    }

    /// The service group tells of every step; only its troubles are of interest.
    private func quiet(_ logger: Logger) -> Logger {
        var quiet = logger
        quiet.logLevel = .warning
        return quiet
    }
}

/// The coordinator as a service of the group.
private struct CoordinatorService: Service {
    let coordinator: SessionCoordinator

    func run() async throws {
        await cancelWhenGracefulShutdown { await coordinator.run() }
    }
}
