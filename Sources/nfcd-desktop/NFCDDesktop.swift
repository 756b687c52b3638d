import ArgumentParser
import CommandSupport
import FoundationEssentials
import Logging
import NFCClient
import NFCProtocol
import ServiceClient
import ServiceSupport
import Threading

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The command line of nfcd-desktop: reads the configuration, connects to the desktop session, and runs a ``DesktopService`` until
/// SIGTERM.
@main
struct NFCDDesktop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nfcd-desktop",
        abstract: "Shows the NFC tags that are tapped as notifications, and opens, copies or types what is on them.",
        discussion: """
            Runs in a desktop session, in the foreground, until SIGTERM or Ctrl-C, and logs to standard error. Tap a tag: a \
            notification shows what is on it, and offers to open or copy it. Nothing is opened without a click unless its host is \
            listed in the configuration file, and nothing happens while the session is locked.
            """,
        version: NFCDVersion.full)

    @Option(
        help: """
            The configuration file (default: $XDG_CONFIG_HOME/nfcd/desktop.toml if it exists, otherwise \
            /etc/nfcd/desktop.toml, if that exists).
            """)
    var config: String?

    @Flag(help: "Check the configuration file and exit: with 0, or with 78 and the line and key of the error.")
    var check = false

    @Flag(help: "Print what this session offers, and exit.")
    var status = false

    @Flag(help: "Show a notification as for a tap, wait for a click on it, and exit.")
    var test = false

    @Option(help: "The socket of nfcd (default: NFCD_SOCKET, or the usual one).")
    var socket: String?

    @Option(help: Logger.Level.help(), transform: Logger.Level.argument)
    var logLevel: Logger.Level?

    static func main() async { await runProgram() }

    func validate() throws {
        if [check, status, test].count(where: \.self) > 1 {
            throw ValidationError("--check, --status and --test do different things; use one of them")
        }
    }

    func run() async throws {
        let program = ServiceProgram("nfcd-desktop")
        let file = config ?? DesktopConfiguration.file(program.environment) { access($0, F_OK) == 0 }
        let settings = try program.configured { try DesktopConfiguration(named: config, usual: file) }
        let suspicion = ConfigurationFile.suspicion(
            of: file, sections: settings.sections, consequence: "the defaults apply")
        guard !check else { return program.deliverCheck(of: file, suspicion: suspicion) }
        let session: DesktopSession
        do {
            session = try DesktopSession(program.environment)
        } catch {
            throw program.refusal("\(error). Start nfcd-desktop in a desktop session", EX_UNAVAILABLE)
        }
        let daemon = SocketPath.client(option: socket, environment: program.environment) { access($0, F_OK) == 0 }
        if status {
            let report = DesktopReport(session, settings, file: file, socket: daemon)
            return program.deliver(await report.text())
        }
        if test { return try await runTest(session, settings, program) }
        let logger = program.makeLogger(CommonLogLevel(logLevel ?? settings.logLevel), suspicion: suspicion)
        try await program.run(logger) { try await runService(settings, session, daemon, program.environment, logger) }
    }

    private func runTest(_ session: DesktopSession, _ settings: DesktopConfiguration, _ program: ServiceProgram)
        async throws
    {
        do {
            let trial = DesktopTrial(session: session, policy: settings.policy)
            try await trial.run { program.deliver("\($0)\n") }
        } catch {
            throw program.refusal(
                "no notification can be shown: \(error). Start a notification server, such as dunst", EX_UNAVAILABLE)
        }
    }

    private func runService(
        _ settings: DesktopConfiguration, _ session: DesktopSession, _ daemon: String, _ environment: [String: String],
        _ logger: Logger
    ) async throws {
        let link = DaemonLink(SocketEndpoint(path: daemon), time: .system, logger: logger)
        let desktop = DesktopService(settings, link: link, session: session, time: .system, logger: logger)
        let status = StatusService(ServiceManager.take(environment), isReady: true) {
            link.error.map { "waiting for nfcd: \($0)" } ?? "waiting for taps"
        }
        try await ServiceGroup([FunctionService { await link.run() }, desktop, status]).runUntilTerminated()
    }
}
