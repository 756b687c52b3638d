import ArgumentParser
import CommandSupport
import FoundationEssentials
import Logging
import NFCClient
import NFCProtocol
import ServiceClient
import ServiceSupport
import WebNFC

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The command line of nfcd-web: checks who started it, reads the configuration, and runs a ``WebHost`` until the browser ends.
@main
struct NFCDWeb: AsyncParsableCommand {
    private static let systemFile = "/etc/nfcd/web.toml"

    static let configuration = CommandConfiguration(
        commandName: "nfcd-web",
        abstract: "Connects nfcd's browser extension with nfcd, so that web pages can use NDEFReader.",
        discussion: """
            Browsers start it (native messaging), and end it when no page uses NFC. It speaks with the extension on standard \
            input and output, and logs to standard error. It serves nfcd's own extension, and those that web.toml allows.
            """,
        version: NFCDVersion.full)

    @Argument(
        help: "What the browser passes: in Chromium the extension; in Firefox the host manifest, then the extension.")
    var browser: [String] = []

    @Option(help: "The configuration file (default: /etc/nfcd/web.toml, if it exists).")
    var config: String?

    @Flag(help: "Check the configuration file and exit: with 0, or with 78 and the line and key of the error.")
    var check = false

    @Option(help: "The socket of nfcd (default: NFCD_SOCKET, or the usual one).")
    var socket: String?

    @Option(
        help: "The log level: trace, debug, info, notice, warning, error or critical (default: notice).",
        transform: level)
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
        let settings: WebConfiguration
        do {
            settings = try WebConfiguration(named: config, usual: Self.systemFile)
        } catch {
            destination.complain("\(error)", program: "nfcd-web")
            throw ExitCode(EX_CONFIG)
        }
        let suspicion = ConfigurationFile.suspicion(
            of: config ?? Self.systemFile, sections: settings.sections, consequence: "the defaults apply")
        guard !check else {
            let warning = suspicion.map { "warning: \($0)\n" } ?? ""
            return ProgramOutput.deliver("\(config ?? Self.systemFile): ok\n\(warning)", program: "nfcd-web")
        }
        try checkCaller(settings, destination)
        let level = CommonLogLevel(logLevel ?? settings.logLevel)
        LoggingSystem.bootstrap { AdjustableLogHandler(destination.sink(label: $0), level) }
        signal(SIGPIPE, SIG_IGN)
        let logger = Logger(label: "nfcd-web")
        if let suspicion { logger.warning("\(suspicion)") }
        let path = SocketPath.client(option: socket, environment: environment) { access($0, F_OK) == 0 }
        let host = WebHost(SocketEndpoint(path: path), time: .system, logger: logger)
        guard let failure = await serve(host) else { return }
        logger.error("\(failure)")
        throw ExitCode(EX_DATAERR)
    }

    private func checkCaller(_ settings: WebConfiguration, _ destination: LogDestination) throws {
        guard let caller = BrowserExtension(arguments: browser) else {
            destination.complain(
                "browsers start this program, with the name of an extension; install the package nfcd-web, and open a page that uses NDEFReader",
                program: "nfcd-web")
            throw ExitCode(EX_USAGE)
        }
        guard caller.isAllowed(others: settings.extensions) else {
            destination.complain(
                "the extension \(caller) is not allowed; add it to extensions in section [browser] of \(config ?? Self.systemFile)",
                program: "nfcd-web")
            throw ExitCode(EX_NOPERM)
        }
    }

    /// Serves the browser until it closes the pipe; returns why it ended earlier.
    private func serve(_ host: WebHost) async -> String? {
        let pipe = BrowserPipe(input: STDIN_FILENO, output: STDOUT_FILENO)
        return await withTaskGroup(of: String?.self) { group in
            group.addTask {
                await host.run { pipe.send($0) }
                return nil
            }
            group.addTask {
                do {
                    while let request = try await pipe.next() { await host.take(request) }
                    return nil
                } catch {
                    return "\(error)"
                }
            }
            let end = await group.next() ?? nil
            group.cancelAll()
            return end
        }
    }
}
