import ArgumentParser
import FoundationEssentials
import Logging
import NFCProtocol
import NFCReaders

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The daemon: puts driver, coordinator and socket together, and runs them until SIGTERM.
@main
struct NFCD: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nfcd",
        abstract: "Lends USB NFC readers out as reader sessions over a Unix socket.",
        discussion: """
            Runs in the foreground until SIGTERM or Ctrl-C; messages go to standard error. Readers are found through the \
            PC/SC service (pcscd), which may come and go. nfcctl is its client.

            To try it without a reader:
              nfcd --simulator 1 --socket /tmp/nfcd.sock
              nfcctl scan --socket /tmp/nfcd.sock
              nfcctl virtual-tag ntag215 --uri https://example.com --socket /tmp/nfcd.sock
            """,
        version: NFCDVersion.release)

    @Option(help: "The configuration file; without it the defaults hold.")
    var config: String?

    @Option(
        help: "The socket (default: NFCD_SOCKET, the configuration, /run/nfcd/nfcd.sock for root, else the user's).")
    var socket: String?

    @Option(help: "Simulated readers in place of PC/SC, 1 to 64.")
    var simulator: Int?

    @Option(
        help: ArgumentHelp(
            "What the simulated readers are like: \(SimulatedDriver.modelNames.joined(separator: ", ")) (default: generic).",
            valueName: "name"))
    var simulatorModel: String?

    @Option(help: "trace, debug, info, notice, warning or error (default: info).", transform: level)
    var logLevel: Logger.Level?

    private static func level(_ word: String) throws -> Logger.Level {
        guard let level = Logger.Level(rawValue: word) else {
            throw ValidationError("there is no level \"\(word)\"")
        }
        return level
    }

    func validate() throws {
        try validateModel()
        guard let simulator, !(1...Configuration.mostSimulatedReaders).contains(simulator) else { return }
        throw ValidationError("--simulator takes 1 to \(Configuration.mostSimulatedReaders) readers, not \(simulator)")
    }

    private func validateModel() throws {
        guard let simulatorModel, !SimulatedDriver.modelNames.contains(simulatorModel) else { return }
        throw ValidationError(
            "there is no reader model \"\(simulatorModel)\"; there are \(SimulatedDriver.modelNames.joined(separator: ", "))"
        )
    }

    func run() throws {
        let configuration = try effectiveConfiguration()
        let path = SocketPath.daemon(
            option: socket, configured: configuration.socket, environment: ProcessInfo.processInfo.environment,
            isRoot: geteuid() == 0)
        let logger = makeLogger(configuration.logLevel)
        let daemon = Daemon(socket: path, configuration: configuration, logger: logger)
        prepareProcess()
        GlobalExecutor.install()
        do {
            try GlobalExecutor.wait { try await daemon.run() }
        } catch {
            logger.critical("\(error)")
            throw ExitCode(EX_CANTCREAT)
        }
    }

    /// The file's settings, with those of the command line on top.
    private func effectiveConfiguration() throws -> Configuration {
        var configuration = Configuration()
        do throws(ConfigurationError) {
            if let config { configuration = try Configuration(file: config) }
        } catch {
            let line = "nfcd: \(error)\n"
            _ = write(STDERR_FILENO, line, line.utf8.count)
            throw ExitCode(EX_CONFIG)
        }
        configuration.logLevel = logLevel ?? configuration.logLevel
        configuration.simulatedReaders = simulator ?? configuration.simulatedReaders
        configuration.simulatorModel = simulatorModel ?? configuration.simulatorModel
        return configuration
    }

    private func makeLogger(_ level: Logger.Level) -> Logger {
        LoggingSystem.bootstrap(StreamLogHandler.standardError)
        var logger = Logger(label: "nfcd")
        logger.logLevel = level
        return logger
    }

    private func prepareProcess() {
        // A client that goes away must not take the daemon along.
        signal(SIGPIPE, SIG_IGN)
        // The configuration is read at start only; a hang-up of the terminal is no reason to end.
        signal(SIGHUP, SIG_IGN)
        // Turns three hidden waits of libpcsclite into an error; read when the first context is made.
        setenv("PCSCLITE_NO_BLOCKING", "1", 0)
        raiseDescriptorLimit()
    }

    private func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
