import ArgumentParser
import CommandSupport
import FoundationEssentials
import Logging
import NFCProtocol
import NFCReaders
import ServiceSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The command line of nfcd: reads the configuration, prepares the process, and runs a ``Daemon`` until SIGTERM.
@main
struct NFCD: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nfcd",
        abstract: "Grants reader sessions on USB NFC readers over a Unix socket.",
        discussion: """
            Runs in the foreground until SIGTERM or Ctrl-C, and logs to standard error. On SIGHUP it reads its \
            configuration again. It finds readers through the PC/SC service (pcscd), which may be restarted at any time. \
            nfcctl is its client.

            The system instance listens on /run/nfcd/nfcd.sock and reads /etc/nfcd/nfcd.toml if it exists. A user instance \
            listens on $XDG_RUNTIME_DIR/nfcd/nfcd.sock and reads $XDG_CONFIG_HOME/nfcd/nfcd.toml \
            (~/.config/nfcd/nfcd.toml). A socket that systemd passes (nfcd.socket) takes precedence over NFCD_SOCKET and \
            the configuration; --socket may only name the same one.

            To try it without a reader:
              nfcd --simulator 1 --socket /tmp/nfcd.sock
              nfcctl scan --socket /tmp/nfcd.sock
              nfcctl virtual-tag ntag215 --uri https://example.com --socket /tmp/nfcd.sock

            --record writes what happens on the readers to a file, as nfcctl record does, but from the start on; --replay \
            takes such a file instead of readers. Its tags come one after another, and a command that was not recorded fails.
            """,
        version: NFCDVersion.full)

    @Flag(help: "Run as the system instance or as a user instance (default: the system instance for root).")
    var instance: Instance?

    @Option(help: "The configuration file (default: that of the instance, if it exists).")
    var config: String?

    @Flag(
        help:
            "Check the configuration file and exit: with 0 and warnings of useless grants, or with 78 and the line and key of the error."
    )
    var check = false

    @Option(
        help: "The socket (default: NFCD_SOCKET, the configuration, or that of the instance).")
    var socket: String?

    @Option(help: "The number of simulated readers, which replace those of PC/SC: 1 to 64.")
    var simulator: Int?

    @Option(
        help: ArgumentHelp(
            "The model of the simulated readers: \(SimulatedDriver.modelNames.joined(separator: ", ")) (default: generic).",
            valueName: "name"))
    var simulatorModel: String?

    @Option(help: ArgumentHelp("Record readers and exchanges from the start on, to a new file.", valueName: "file"))
    var record: String?

    @Flag(help: "With --record, record the contents of tags as well.")
    var recordContent = false

    @Option(help: ArgumentHelp("Replay a recording instead of using readers.", valueName: "file"))
    var replay: String?

    @Option(help: Logger.Level.help(), transform: Logger.Level.argument)
    var logLevel: Logger.Level?

    func validate() throws {
        try validateModel()
        if recordContent, record == nil { throw ValidationError("--record-content requires --record") }
        if replay != nil, simulator != nil { throw ValidationError("--replay and --simulator cannot be combined") }
        guard let simulator, !(1...Configuration.mostSimulatedReaders).contains(simulator) else { return }
        throw ValidationError("--simulator takes 1 to \(Configuration.mostSimulatedReaders) readers, not \(simulator)")
    }

    private func validateModel() throws {
        guard let simulatorModel, !SimulatedDriver.modelNames.contains(simulatorModel) else { return }
        throw ValidationError(
            "there is no reader model \"\(simulatorModel)\"; there are \(SimulatedDriver.modelNames.joined(separator: ", "))"
        )
    }

    static func main() async { await runProgram() }

    func run() async throws {
        let program = ServiceProgram("nfcd")
        let environment = program.environment
        let instance = instance ?? .usual
        let loader = ConfigurationLoader(
            file: config, usualFile: instance.configurationFile(environment), logLevel: logLevel,
            simulatedReaders: simulator, simulatorModel: simulatorModel)
        let configuration = try program.configured { try loader.load() }
        // Suspended time does not count against the deadline of a call to a reader or a token.
        let workClock = try TimerClock(.monotonic)
        let keys: TagKeys
        do {
            keys = try await TagKeys(configuration, instance, environment, clock: workClock)
        } catch {
            throw program.refusal("\(error)", EX_CONFIG)
        }
        guard !check else { return program.deliver("\(loader.checked(configuration, keys))\n") }
        let place = try program.configured {
            try ListeningPlace(
                passed: try PassedSockets.take(environment), option: socket, configured: configuration.socket,
                instance, environment)
        }
        let level = CommonLogLevel(configuration.logLevel)
        let logger = program.makeLogger(level, suspicion: loader.suspicion(of: configuration))
        let recordings: DaemonRecordings
        do {
            recordings = try DaemonRecordings(
                record: record, withContent: recordContent, replay: replay, clock: workClock, logger: logger)
        } catch {
            throw program.refusal("\(error)", EX_NOINPUT)
        }
        let daemon = Daemon(
            place: place, instance: instance, configuration: configuration, keys: keys, workClock: workClock,
            loader: loader, logger: logger, logLevel: level,
            manager: ServiceManager.take(environment), recordings: recordings)
        prepareProcess()
        keys.protectProcess()
        try await program.run(logger) {
            defer { recordings.removeUnlessKept() }
            try await daemon.run()
        }
    }

    private func prepareProcess() {
        // SIGHUP means to read the configuration again; until it is handled, it must not end the daemon.
        signal(SIGHUP, SIG_IGN)
        // Turns three hidden waits of libpcsclite into errors; it is read when the first context is established.
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

/// The system instance or a user instance: their defaults for the socket and the configuration differ.
enum Instance: String, EnumerableFlag {
    case system
    case user

    /// The default: for root, the system instance.
    static var usual: Instance { geteuid() == 0 ? .system : .user }

    /// The configuration that is read if it exists. A relative path in the environment is ignored (XDG Base Directory
    /// Specification).
    func configurationFile(_ environment: [String: String]) -> String? {
        guard self == .user else { return "/etc/nfcd/nfcd.toml" }
        let folder = Self.folder(environment["XDG_CONFIG_HOME"])
        return (folder ?? Self.folder(environment["HOME"]).map { "\($0)/.config" }).map { "\($0)/nfcd/nfcd.toml" }
    }

    /// The directory of what nfcd keeps; nil where the environment names none.
    func stateDirectory(_ environment: [String: String]) -> String? {
        guard self == .user else { return "/var/lib/nfcd" }
        let folder = Self.folder(environment["XDG_STATE_HOME"])
        return (folder ?? Self.folder(environment["HOME"]).map { "\($0)/.local/state" }).map { "\($0)/nfcd" }
    }

    private static func folder(_ path: String?) -> String? {
        path.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}
