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

    @Option(help: Logger.Level.help(), transform: Logger.Level.argument)
    var logLevel: Logger.Level?

    static func main() async { await runProgram() }

    func run() async throws {
        let program = ServiceProgram("nfcd-fido")
        let settings = try program.configured { try FIDOConfiguration(named: config, usual: Self.systemFile) }
        let suspicion = ConfigurationFile.suspicion(
            of: config ?? Self.systemFile, sections: settings.sections,
            consequence: "the defaults apply, so security keys are used on every reader")
        guard !check else { return program.deliverCheck(of: config ?? Self.systemFile, suspicion: suspicion) }
        let logger = program.makeLogger(CommonLogLevel(logLevel ?? settings.logLevel), suspicion: suspicion)
        try await program.run(logger) { try await runService(settings, program.environment, logger) }
    }

    private func runService(
        _ settings: FIDOConfiguration, _ environment: [String: String], _ logger: Logger
    ) async throws {
        let maker = UHIDMaker(path: uhid)
        try maker.check()
        let daemon = SocketPath.client(option: socket, environment: environment) { access($0, F_OK) == 0 }
        let link = DaemonLink(SocketEndpoint(path: daemon), time: .system, logger: logger)
        let keys = KeyService(configuration: settings, maker: maker, link: link, time: .system, logger: logger)
        let status = StatusService(ServiceManager.take(environment), isReady: true) {
            link.error.map { "waiting for nfcd: \($0)" } ?? "waiting for security keys"
        }
        try await ServiceGroup([FunctionService { await link.run() }, keys, status]).runUntilTerminated()
    }
}
