import ArgumentParser
import CommandSupport
import FoundationEssentials
import NDEF
import NFCClient
import NFCProtocol
import NFCTypes
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// `nfcctl demo`: reads a virtual tag on a simulated reader, step by step.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Show a first tag, without a reader; nfcd is not needed.",
        discussion: """
            Simulates a reader, puts a virtual tag on it, and reads the tag: with nfcctl, and with two lines of Python. Each step is \
            printed with the command that does the same. It takes a second, needs no rights, and leaves nothing behind.

            The lines of Python are run by the python3 beside nfcctl, otherwise by that of PATH, if it has the module nfcd.

            Examples:
              nfcctl demo
              nfcctl simulator             simulate readers for your own programs
            """)

    func run() async throws {
        let interruption = await Interruption()
        let socket = try SocketFolder.make() + "/nfcd.sock"
        defer { SocketFolder.remove() }
        let daemon = SimulatedDaemon(socket: socket, readers: 1)
        let isComplete = try await daemon.run {
            try await interruption.cancelling { try await Demonstration(socket: socket).run() } != nil
        }
        guard isComplete else { throw ExitCode.interrupted }
    }
}

/// The folder of the socket. It is removed when the program exits, also if that is because standard output was closed.
private enum SocketFolder {
    private static let path = Mutex<String?>(nil)

    static func make() throws -> String {
        let parent = ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        var template = Array("\(parent)/nfcctl-demo.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            Terminal.error(
                "nfcctl: cannot make a folder in \(parent.printable): \(errorMessage(errno)). Set TMPDIR to a folder that is yours."
            )
            throw ExitCode.cannotCreate
        }
        let made = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        path.withLock { $0 = made }
        atexit { SocketFolder.remove() }
        return made
    }

    static func remove() {
        path.withLock { path in
            guard let made = path else { return }
            unlink("\(made)/nfcd.sock")
            rmdir(made)
            path = nil
        }
    }
}

/// The steps, with an nfcd that has one simulated reader.
private struct Demonstration: Sendable {
    private static let link = "https://example.com/nfcd"

    private let connection: ConnectionOptions

    init(socket: String) {
        var connection = ConnectionOptions()
        connection.socket = socket
        self.connection = connection
    }

    func run() async throws {
        try await connection.withClient { client in
            try await showReader(client)
            try await presentTag(client)
            // The tag stays as long as the connection.
            try await scan(client)
            try await PythonLines(socket: connection.path).show()
        }
        showWhatIsNext()
    }

    private func showReader(_ client: NFCClient) async throws {
        Self.explain("1. A reader is simulated. Programs share it through a socket.")
        Self.show("nfcctl simulator --socket \(connection.path.shellQuoted) &")
        Self.show("export NFCD_SOCKET=\(connection.path.shellQuoted)")
        Self.show("nfcctl readers")
        for reader in try await client.call(ReadersList.self) {
            Terminal.print("\(reader.reader.escaped)  \(reader.name.escaped)  \(reader.state)")
        }
    }

    private func presentTag(_ client: NFCClient) async throws {
        Self.explain("2. A virtual tag with a link is put on the reader.")
        Self.show("nfcctl virtual-tag ntag215 --uri \(Self.link) &")
        let message = HexBytes(try NDEFMessage(records: [.uri(Self.link)]).encoded())
        let tag = try await client.call(SimulatorPresent.self, .init(model: "ntag215", ndef: message))
        let identifier = HexDump.pairs(tag.identifier.bytes, separator: ":")
        Terminal.print("Virtual ntag215, UID \(identifier), on \(tag.reader.escaped).")
    }

    private func scan(_ client: NFCClient) async throws {
        Self.explain("3. The tag is read: with nfcctl, then with two lines of Python.")
        Self.show("nfcctl scan --count 1")
        let request = SessionBegin.Parameters(kind: .ndef, timeout: 30)
        let code = try await Scan(client: client, request: request, count: 1, output: ScanTextOutput()).run()
        guard code == .success else { throw code }
    }

    private func showWhatIsNext() {
        let packages = NFCDVersion.url.isEmpty ? "its README" : NFCDVersion.url
        Self.explain("What to do next")
        Terminal.print("- Write a program: 'nfcctl simulator' simulates readers for it, until Ctrl-C.")
        Terminal.print("- Buy a reader: ACR1252U, or ACR1552U for ISO 15693 as well; and tags: NTAG215.")
        Terminal.print("- Install nfcd, which drives it: \(packages) has the packages.")
    }

    private static func explain(_ text: String) {
        Terminal.print("\n\(OutputStyle.output.paint(text, .bold))")
    }

    private static func show(_ command: String) { Terminal.print("$ \(command)") }
}

/// The lines of Python that read the tag.
private struct PythonLines: Sendable {
    private static let lines = [
        "import nfcd",
        "with nfcd.Client() as client, client.read_session() as taps: print(taps.next().uri)",
    ]

    let socket: String

    /// Prints the lines, and runs them if there is a Python that can.
    func show() async throws {
        for line in Self.lines { Terminal.print(">>> \(line)") }
        let processes = ShellProcesses(background: .ends)
        defer { processes.end() }
        guard try await run("import nfcd", in: processes, redirection: " >/dev/null 2>&1") else {
            return Terminal.print("(Not run: there is no python3 with the module nfcd; see 'pip install nfcd'.)")
        }
        guard try await run(Self.lines.joined(separator: "\n"), in: processes) else {
            Terminal.error("nfcctl: the lines of Python failed; the reason is above")
            throw ExitCode.unavailable
        }
    }

    /// Runs Python.
    ///
    /// - Returns: whether it succeeded.
    private func run(
        _ lines: String, in processes: ShellProcesses, redirection: String = ""
    ) async throws -> Bool {
        let command = "exec \(Self.python.shellQuoted) -c \(lines.shellQuoted)\(redirection)"
        let status: Int32?
        do {
            status = try await processes.run(command, variables: ["NFCD_SOCKET": socket], outputToErrors: false)
        } catch {
            Terminal.error("nfcctl: cannot run /bin/sh: \(errorMessage(error.code))")
            throw ExitCode.unavailable
        }
        guard let status else { throw CancellationError() }
        return status == 0
    }

    /// That of the environment that nfcctl is installed in; otherwise that of PATH.
    private static var python: String {
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        guard let slash = program.lastIndex(of: "/") else { return "python3" }
        let neighbour = program[...slash] + "python3"
        return access(String(neighbour), X_OK) == 0 ? String(neighbour) : "python3"
    }
}
