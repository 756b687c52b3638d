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
struct NFCD: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nfcd",
        abstract: "Lends USB NFC readers out as reader sessions over a Unix socket.",
        discussion: """
            Runs in the foreground until SIGTERM or Ctrl-C; messages go to standard error. SIGHUP makes \
            it read its configuration again. Readers are found through the \
            PC/SC service (pcscd), which may come and go. nfcctl is its client.

            For the system it listens on /run/nfcd/nfcd.sock and reads /etc/nfcd/nfcd.toml if it is there; for a user, on \
            $XDG_RUNTIME_DIR/nfcd/nfcd.sock, and reads $XDG_CONFIG_HOME/nfcd/nfcd.toml (~/.config/nfcd/nfcd.toml). \
            A socket that systemd passes (nfcd.socket) goes before NFCD_SOCKET and the configuration; --socket may only \
            name the same one.

            To try it without a reader:
              nfcd --simulator 1 --socket /tmp/nfcd.sock
              nfcctl scan --socket /tmp/nfcd.sock
              nfcctl virtual-tag ntag215 --uri https://example.com --socket /tmp/nfcd.sock
            """,
        version: NFCDVersion.release)

    @Flag(help: "Run for the system, or for the user who starts it (default: for the system if that is root).")
    var instance: Instance?

    @Option(help: "The configuration file (default: the system's or the user's, if it is there).")
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

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let instance = instance ?? .usual
        let loader = ConfigurationLoader(
            file: config, usualFile: check ? nil : instance.configurationFile(environment), logLevel: logLevel,
            simulatedReaders: simulator, simulatorModel: simulatorModel)
        let destination = LogDestination.current(environment)
        let configuration = try settled(destination) { try loader.load() }
        guard !check else { return print("\(config ?? ""): ok") }
        let place = try settled(destination) {
            try ListeningPlace(
                passed: try InheritedSocket.take(environment), option: socket, configured: configuration.socket,
                instance, environment)
        }
        let level = CommonLogLevel(configuration.logLevel)
        let logger = makeLogger(destination, level)
        let daemon = Daemon(
            place: place, configuration: configuration, loader: loader, logger: logger, logLevel: level,
            manager: ServiceManager.take(environment))
        prepareProcess()
        do {
            try await daemon.run()
        } catch {
            logger.critical("\(error)")
            throw ExitCode(EX_CANTCREAT)
        }
    }

    /// What has to be settled before nfcd can begin; otherwise it ends and says why.
    private func settled<Value>(_ destination: LogDestination, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            destination.complain("\(error)")
            throw ExitCode(EX_CONFIG)
        }
    }

    private func makeLogger(_ destination: LogDestination, _ level: CommonLogLevel) -> Logger {
        LoggingSystem.bootstrap { AdjustableLogHandler(destination.sink(label: $0), level) }
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

/// For whom nfcd runs: that settles where it listens and what it reads, unless it is told.
enum Instance: String, EnumerableFlag {
    case system
    case user

    /// Root's is the system's.
    static var usual: Instance { geteuid() == 0 ? .system : .user }

    /// The configuration that is read if it is there. A relative path in the environment does not count (XDG Base Directory
    /// Specification).
    func configurationFile(_ environment: [String: String]) -> String? {
        guard self == .user else { return "/etc/nfcd/nfcd.toml" }
        let folder = Self.folder(environment["XDG_CONFIG_HOME"])
        return (folder ?? Self.folder(environment["HOME"]).map { "\($0)/.config" }).map { "\($0)/nfcd/nfcd.toml" }
    }

    private static func folder(_ path: String?) -> String? {
        path.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}
