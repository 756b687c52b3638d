import Logging
import NFCSessions
import ServiceSupport
import Threading
import UnixSignals

/// Reads the configuration again on every SIGHUP. If it is invalid, the old one stays in force.
struct ReloadService: Service {
    /// The signals; made before the service runs, so that none is missed.
    let hangUps: UnixSignalsSequence
    let loader: ConfigurationLoader
    /// The configuration that nfcd was started with.
    let started: Configuration
    /// Where the keys of tags are, which are read at the start only; nil without keys.
    let keyFile: String?
    let logger: Logger
    let manager: ServiceManager
    /// Applies the keys that take effect on a reload.
    let apply: @Sendable (Configuration) async -> Void

    func run(until stop: StopSignal) async {
        await stop.cancelling {
            var inForce = started
            for await _ in hangUps {
                manager.reloading()
                inForce = await reload(inForce)
                manager.ready()
            }
        }
    }

    /// Returns the configuration that is in force from now on.
    private func reload(_ inForce: Configuration) async -> Configuration {
        guard let file = loader.currentFile else {
            logger.notice(
                "SIGHUP: there is no configuration file to read; start nfcd with --config, or create the file that nfcd --help names"
            )
            return inForce
        }
        do throws(ConfigurationError) {
            let configuration = try loader.load()
            try configuration.check(replacing: inForce, file: file)
            await apply(configuration)
            log(file, inForce, configuration)
            return configuration
        } catch {
            logger.error("SIGHUP: the configuration was not changed: \(error)")
            return inForce
        }
    }

    private func log(_ file: String, _ old: Configuration, _ new: Configuration) {
        let changes = new.changes(from: old, .onReload)
        let applied = changes.isEmpty ? "no change" : "applied: " + changes.joined(separator: ", ")
        logger.notice("SIGHUP: \(file) was read; \(applied)")
        if let keyFile {
            logger.notice(
                "SIGHUP: \(keyFile) is read at the start only; restart nfcd if a key or a profile was changed")
        }
        let pending = new.changes(from: started, .onRestart)
        guard !pending.isEmpty else { return }
        logger.notice("SIGHUP: restart nfcd to apply \(pending.joined(separator: ", "))")
    }
}
