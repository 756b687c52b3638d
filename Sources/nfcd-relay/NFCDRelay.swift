import ArgumentParser
import CommandSupport
import FoundationEssentials
import Logging
import NFCClient
import NFCProtocol
import RelayProtocol
import SQLite
import ServiceSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The command line of nfcd-relay: reads the configuration, prepares the process, and runs a ``Relay`` until SIGTERM.
@main
struct NFCDRelay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nfcd-relay",
        abstract: "Delivers the taps of nfcd's journal to MQTT brokers, webhooks and commands.",
        discussion: """
            Runs in the foreground until SIGTERM or Ctrl-C, and logs to standard error. Each consumer gets every tap at \
            least once, and the taps of a reader in their order. nfcd needs its journal for it: enabled = true in section \
            [journal] of nfcd.toml. A changed configuration or secret takes effect when the relay is started again.

            The system service reads /etc/nfcd/relay.toml and listens on /run/nfcd-relay/relay.sock for nfcctl relay. A \
            user's relay reads $XDG_CONFIG_HOME/nfcd/relay.toml (~/.config/nfcd/relay.toml) and listens on \
            $XDG_RUNTIME_DIR/nfcd-relay/relay.sock.

            To try it without a reader:
              nfcd --simulator 1 --socket /tmp/nfcd.sock --config nfcd.toml
              nfcd-relay --socket /tmp/nfcd.sock --config relay.toml --control ./relay.sock
            """,
        version: NFCDVersion.full)

    @Flag(
        help: "Run as the system service or as a user's relay (default: the system service for root and under systemd)."
    )
    var instance: RelayInstance?

    @Option(help: "The configuration file (default: that of the instance).")
    var config: String?

    @Flag(help: "Check the configuration file and exit: with 0, or with 78 and the line and key of the error.")
    var check = false

    @Option(help: "The socket of nfcd (default: NFCD_SOCKET, or the usual one).")
    var socket: String?

    @Option(help: "The control socket (default: NFCD_RELAY_SOCKET, the configuration, or that of the instance).")
    var control: String?

    @Option(help: Logger.Level.help(), transform: Logger.Level.argument)
    var logLevel: Logger.Level?

    static func main() async { await runProgram() }

    func run() async throws {
        let program = ServiceProgram("nfcd-relay")
        let settings = try program.configured { try RelayEnvironment(options, program.environment) }
        guard !check else { return program.deliverCheck(of: settings.file, suspicion: settings.suspicion) }
        let level = CommonLogLevel(logLevel ?? settings.configuration.logLevel)
        let logger = program.makeLogger(level, suspicion: settings.suspicion)
        try await program.run(logger) {
            try await Relay(settings, manager: ServiceManager.take(program.environment), logger: logger).run()
        }
    }

    private var options: RelayEnvironment.Options {
        RelayEnvironment.Options(instance: instance, file: config, daemon: socket, control: control, isCheck: check)
    }
}

/// The system service or a user's relay: their defaults for files and sockets differ.
enum RelayInstance: String, EnumerableFlag {
    case system
    case user
}

/// The configuration and the paths that the relay was started with.
struct RelayEnvironment: Sendable {
    /// The options of the command line.
    struct Options: Sendable {
        var instance: RelayInstance?
        var file: String?
        var daemon: String?
        var control: String?
        var isCheck = false
    }

    /// Why the relay cannot start.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let file: String
    let configuration: RelayConfiguration
    let identity: RelayIdentity
    /// The socket of nfcd.
    let daemonSocket: String
    let controlSocket: String
    let stateFile: String
    /// Whether the state file really is in the relay's state directory, by its path without links and dots.
    let isStateFileInStateDirectory: Bool

    init(_ options: Options, _ environment: [String: String], isRoot: Bool = geteuid() == 0) throws {
        // Only system services get a state directory below /var/lib.
        let isService = environment["STATE_DIRECTORY"]?.hasPrefix("/var/lib/") == true
        let instance = options.instance ?? (isRoot || isService ? .system : .user)
        file = try options.file ?? Self.usualFile(instance, environment)
        let secrets = SecretReader(credentials: environment["CREDENTIALS_DIRECTORY"], isCheck: options.isCheck)
        configuration = try RelayConfiguration(file: file, secrets)
        identity = try RelayIdentity(configuration)
        daemonSocket = SocketPath.client(option: options.daemon, environment: environment) { access($0, F_OK) == 0 }
        controlSocket = RelaySocketPath.relay(
            option: options.control ?? configuration.controlSocket, environment: environment,
            isSystem: instance == .system)
        if let path = configuration.statePath {
            stateFile = path
            let folder = try? Self.stateDirectory(instance, environment)
            isStateFileInStateDirectory = folder.map { DatabaseFile(path: path).isInside($0) } ?? false
        } else {
            let folder = try Self.stateDirectory(instance, environment)
            stateFile = "\(folder)/relay.db"
            isStateFileInStateDirectory = DatabaseFile(path: stateFile).isInside(folder)
        }
    }

    /// What to report at start, where the file looks as if it had been cut off.
    var suspicion: String? {
        ConfigurationFile.suspicion(
            of: file, sections: configuration.sections, consequence: "it names no consumer, so no tap is delivered")
    }

    private static func usualFile(_ instance: RelayInstance, _ environment: [String: String]) throws(Failure) -> String
    {
        guard instance == .user else { return "/etc/nfcd/relay.toml" }
        return try folder("XDG_CONFIG_HOME", ".config", environment, option: "--config") + "/nfcd/relay.toml"
    }

    private static func stateDirectory(
        _ instance: RelayInstance, _ environment: [String: String]
    ) throws(Failure) -> String {
        if let given = environment["STATE_DIRECTORY"]?.split(separator: ":").first { return String(given) }
        guard instance == .user else { return "/var/lib/nfcd-relay" }
        return try folder("XDG_STATE_HOME", ".local/state", environment, option: "path in section [state]")
            + "/nfcd-relay"
    }

    /// A relative path in the environment is ignored (XDG Base Directory Specification).
    private static func folder(
        _ variable: String, _ usual: String, _ environment: [String: String], option: String
    ) throws(Failure) -> String {
        if let given = environment[variable], given.hasPrefix("/") { return given }
        guard let home = environment["HOME"], home.hasPrefix("/") else {
            throw Failure(description: "neither \(variable) nor HOME is set; use \(option)")
        }
        return "\(home)/\(usual)"
    }
}
