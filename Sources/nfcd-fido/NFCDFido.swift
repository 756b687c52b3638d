import ArgumentParser
import CommandSupport
import FoundationEssentials
import Logging
import NFCClient
import NFCProtocol
import ServiceClient
import ServiceSupport
import Threading
import UnixSignals

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The command line of nfcd-fido: reads the configuration, prepares the process, and runs a ``KeyService`` until SIGTERM.
@main
struct NFCDFido: AsyncParsableCommand {
    private static let systemFile = "/etc/nfcd/fido.toml"

    static let configuration = CommandConfiguration(
        commandName: "nfcd-fido",
        abstract: "Makes security keys on NFC readers available to every program, as HID devices.",
        discussion: """
            Runs in the foreground until SIGTERM or Ctrl-C, and logs to standard error. Put a FIDO card on a reader: a HID \
            device appears, which browsers, ssh, pam_u2f and systemd use like a key in a USB port. It needs /dev/uhid, and \
            nfcd has to grant its user security keys: user in section [fido] of nfcd.toml.
            """,
        version: NFCDVersion.full)

    @Option(help: "The configuration file (default: /etc/nfcd/fido.toml, if it exists).")
    var config: String?

    @Flag(help: "Check the configuration file and exit: with 0, or with 78 and the line and key of the error.")
    var check = false

    @Option(help: "The socket of nfcd (default: NFCD_SOCKET, or the usual one).")
    var socket: String?

    @Option(
        help: """
            The device that makes HID devices, or a Unix socket of type SOCK_SEQPACKET that takes its place (default: \
            /dev/uhid).
            """)
    var uhid = "/dev/uhid"

    @Option(
        help: "The log level: trace, debug, info, notice, warning, error or critical (default: info).", transform: level
    )
    var logLevel: Logger.Level?

    private static func level(_ word: String) throws -> Logger.Level {
        guard let level = Logger.Level(rawValue: word) else {
            throw ValidationError(
                "there is no log level \"\(word)\"; use trace, debug, info, notice, warning, error or critical")
        }
        return level
    }

    static func main() async { await runProgram() }

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let destination = LogDestination.current(environment)
        let settings: FIDOConfiguration
        do {
            settings = try FIDOConfiguration(named: config, usual: Self.systemFile)
        } catch {
            destination.complain("\(error)", program: "nfcd-fido")
            throw ExitCode(EX_CONFIG)
        }
        let suspicion = ConfigurationFile.suspicion(
            of: config ?? Self.systemFile, sections: settings.sections,
            consequence: "the defaults apply, so security keys are used on every reader")
        guard !check else {
            let warning = suspicion.map { "warning: \($0)\n" } ?? ""
            return ProgramOutput.deliver("\(config ?? Self.systemFile): ok\n\(warning)", program: "nfcd-fido")
        }
        let level = CommonLogLevel(logLevel ?? settings.logLevel)
        LoggingSystem.bootstrap { AdjustableLogHandler(destination.sink(label: $0), level) }
        let logger = Logger(label: "nfcd-fido")
        if let suspicion { logger.warning("\(suspicion)") }
        signal(SIGPIPE, SIG_IGN)
        do {
            try await runService(settings, environment, logger)
        } catch {
            logger.critical("\(error)")
            throw ExitCode(EX_CANTCREAT)
        }
    }

    private func runService(
        _ settings: FIDOConfiguration, _ environment: [String: String], _ logger: Logger
    ) async throws {
        let maker = UHIDMaker(path: uhid)
        try maker.check()
        let daemon = SocketPath.client(option: socket, environment: environment) { access($0, F_OK) == 0 }
        let link = DaemonLink(SocketEndpoint(path: daemon), time: .system, logger: logger)
        let keys = KeyService(configuration: settings, maker: maker, link: link, time: .system, logger: logger)
        let status = StatusService(manager: ServiceManager.take(environment), link: link)
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        try await ServiceGroup([LinkService(link: link), keys, status]).run { for await _ in signals { return } }
    }
}

/// The connection to nfcd as a service of the group.
private struct LinkService: Service {
    let link: DaemonLink

    func run(until stop: StopSignal) async {
        await stop.cancelling { await link.run() }
    }
}

/// Reports the state to the service manager, if there is one.
private struct StatusService: Service {
    private static let interval = Duration.seconds(10)

    let manager: ServiceManager
    let link: DaemonLink

    func run(until stop: StopSignal) async {
        manager.ready()
        await stop.cancelling {
            while !Task.isCancelled {
                manager.status(link.error.map { "waiting for nfcd: \($0)" } ?? "waiting for security keys")
                if manager.watchdog != nil { manager.beat() }
                try? await Task.sleep(for: manager.watchdog.map { min($0 / 3, Self.interval) } ?? Self.interval)
            }
        }
        manager.stopping()
    }
}
