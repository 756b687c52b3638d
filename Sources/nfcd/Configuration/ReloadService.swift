import Logging
import NFCSessions
import ServiceLifecycle
import UnixSignals

/// Reads the configuration again whenever SIGHUP comes. A mistake in it leaves everything as it was.
struct ReloadService: Service {
    /// The signals; made before the service runs, so that none is missed.
    let hangUps: UnixSignalsSequence
    let loader: ConfigurationLoader
    /// What nfcd was started with.
    let started: Configuration
    let logger: Logger
    let manager: ServiceManager
    /// Puts in force what can be while nfcd runs.
    let apply: @Sendable (Configuration) async -> Void

    func run() async throws {
        var inForce = started
        for await _ in hangUps.cancelOnGracefulShutdown() {
            manager.reloading()
            inForce = await reload(inForce)
            manager.ready()
        }
    }

    /// Returns what is in force from now on.
    private func reload(_ inForce: Configuration) async -> Configuration {
        guard let file = loader.currentFile else {
            logger.notice(
                "SIGHUP: there is no configuration to read again; start nfcd with --config, or make the file that nfcd --help names"
            )
            return inForce
        }
        do throws(ConfigurationError) {
            let configuration = try loader.load()
            await apply(configuration)
            tell(file, inForce, configuration)
            return configuration
        } catch {
            logger.error("SIGHUP: the configuration stays as it was: \(error)")
            return inForce
        }
    }

    private func tell(_ file: String, _ old: Configuration, _ new: Configuration) {
        let changes = ConfigurationChanges.atOnce(from: old, to: new)
        let what = changes.isEmpty ? "nothing to put in force" : "in force: " + changes.joined(separator: ", ")
        logger.notice("SIGHUP: \(file) was read again; \(what)")
        let waiting = ConfigurationChanges.atNextStart(from: started, to: new)
        guard !waiting.isEmpty else { return }
        logger.notice("SIGHUP: \(waiting.joined(separator: ", ")) will change when nfcd is started again")
    }
}

/// What differs between two configurations, for people.
enum ConfigurationChanges {
    /// What a reload puts in force.
    static func atOnce(from old: Configuration, to new: Configuration) -> [String] {
        named([
            ("[[grant]]", old.grants != new.grants),
            ("[[reader]]", old.readers != new.readers),
            ("session.timeout", old.sessionLimits.timeout != new.sessionLimits.timeout),
            (
                "session.sessions-per-client",
                old.sessionLimits.sessionsPerClient != new.sessionLimits.sessionsPerClient
            ),
            ("log.level", old.logLevel != new.logLevel),
        ])
    }

    /// What waits for the next start.
    static func atNextStart(from old: Configuration, to new: Configuration) -> [String] {
        named([
            ("server.socket", old.socket != new.socket),
            ("server.outbound-limit", old.serverLimits != new.serverLimits),
            ("simulator.readers", old.simulatedReaders != new.simulatedReaders),
            ("simulator.model", old.simulatorModel != new.simulatorModel),
        ])
    }

    private static func named(_ changes: [(name: String, differs: Bool)]) -> [String] {
        changes.filter(\.differs).map(\.name)
    }
}
