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
            Runs in the foreground until SIGTERM or Ctrl-C; messages go to standard error. SIGHUP makes \
            it read its configuration again. Readers are found through the \
            PC/SC service (pcscd), which may come and go. nfcctl is its client.

            To try it without a reader:
              nfcd --simulator 1 --socket /tmp/nfcd.sock
              nfcctl scan --socket /tmp/nfcd.sock
              nfcctl virtual-tag ntag215 --uri https://example.com --socket /tmp/nfcd.sock
            """,
        version: NFCDVersion.release)

    @Option(help: "The configuration file; without it the defaults hold.")
    var config: String?

    @Flag(help: "Say whether the configuration file is right, and end: with 0, or with 78 and what is wrong where.")
    var check = false

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
        if check, config == nil { throw ValidationError("--check looks at a file; name it with --config") }
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
        let loader = ConfigurationLoader(
            file: config, logLevel: logLevel, simulatedReaders: simulator, simulatorModel: simulatorModel)
        let configuration = try load(loader)
        guard !check else { return print("\(config ?? ""): ok") }
        let path = SocketPath.daemon(
            option: socket, configured: configuration.socket, environment: ProcessInfo.processInfo.environment,
            isRoot: geteuid() == 0)
        let level = CommonLogLevel(configuration.logLevel)
        let logger = makeLogger(level)
        let daemon = Daemon(
            socket: path, configuration: configuration, loader: loader, logger: logger, logLevel: level)
        prepareProcess()
        GlobalExecutor.install()
        do {
            try GlobalExecutor.wait { try await daemon.run() }
        } catch {
            logger.critical("\(error)")
            throw ExitCode(EX_CANTCREAT)
        }
    }

    private func load(_ loader: ConfigurationLoader) throws -> Configuration {
        do throws(ConfigurationError) {
            return try loader.load()
        } catch {
            let line = "nfcd: \(error)\n"
            _ = write(STDERR_FILENO, line, line.utf8.count)
            throw ExitCode(EX_CONFIG)
        }
    }

    private func makeLogger(_ level: CommonLogLevel) -> Logger {
        LoggingSystem.bootstrap { AdjustableLogHandler(label: $0, level) }
        return Logger(label: "nfcd")
    }

    private func prepareProcess() {
        // A client that goes away must not take the daemon along.
        signal(SIGPIPE, SIG_IGN)
        // It means: read the configuration again; before anybody listens to it, it is no reason to end.
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
