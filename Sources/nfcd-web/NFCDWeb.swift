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

    @Option(help: Logger.Level.help(default: .notice), transform: Logger.Level.argument)
    var logLevel: Logger.Level?

    static func main() async { await runProgram() }

    func run() async throws {
        let program = ServiceProgram("nfcd-web")
        let settings = try program.configured { try WebConfiguration(named: config, usual: Self.systemFile) }
        let suspicion = ConfigurationFile.suspicion(
            of: config ?? Self.systemFile, sections: settings.sections, consequence: "the defaults apply")
        guard !check else { return program.deliverCheck(of: config ?? Self.systemFile, suspicion: suspicion) }
        try checkCaller(settings, program)
        let logger = program.makeLogger(CommonLogLevel(logLevel ?? settings.logLevel), suspicion: suspicion)
        let path = SocketPath.client(option: socket, environment: program.environment) { access($0, F_OK) == 0 }
        let host = WebHost(SocketEndpoint(path: path), time: .system, logger: logger)
        guard let failure = await serve(host) else { return }
        logger.error("\(failure)")
        throw ExitCode(EX_DATAERR)
    }

    private func checkCaller(_ settings: WebConfiguration, _ program: ServiceProgram) throws {
        guard let caller = BrowserExtension(arguments: browser) else {
            throw program.refusal(
                "browsers start this program, with the name of an extension; install the package nfcd-web, and open a page that uses NDEFReader",
                EX_USAGE)
        }
        guard caller.isAllowed(others: settings.extensions) else {
            throw program.refusal(
                "the extension \(caller) is not allowed; add it to extensions in section [browser] of \(config ?? Self.systemFile)",
                EX_NOPERM)
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
