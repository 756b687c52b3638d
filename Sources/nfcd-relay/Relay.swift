import Logging
import NFCClient
import ServiceLifecycle
import ServiceSupport
import UnixSignals

/// The parts of the relay, put together: the only place that knows them all.
struct Relay {
    private let environment: RelayEnvironment
    private let manager: ServiceManager
    private let logger: Logger

    init(_ environment: RelayEnvironment, manager: ServiceManager, logger: Logger) {
        self.environment = environment
        self.manager = manager
        self.logger = logger
    }

    /// Runs until SIGTERM or SIGINT; then deliveries under way are completed, and the state is written.
    func run() async throws {
        let daemon = DaemonLink(SocketEndpoint(path: environment.daemonSocket), time: .system, logger: logger)
        var quiet = logger
        quiet.logLevel = .warning
        let group = ServiceGroup(
            services: [LinkService(link: daemon)], gracefulShutdownSignals: [.sigterm, .sigint], logger: quiet)
        try await group.run()
    }
}

/// The connection to nfcd as a service of the group.
private struct LinkService: Service {
    let link: DaemonLink

    func run() async throws {
        await cancelWhenGracefulShutdown { await link.run() }
    }
}
