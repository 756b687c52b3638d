import ArgumentParser
import FoundationEssentials
import NDEF
import NFCProtocol
import NFCReaders

/// `nfcctl simulator`: simulates readers until Ctrl-C.
struct SimulatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulator",
        abstract: "Simulate readers for your programs; nfcd is not needed.",
        discussion: """
            Listens on a socket until Ctrl-C, as 'nfcd --simulator' does, where nfcd is not installed. Programs find the readers by \
            NFCD_SOCKET; 'nfcctl virtual-tag' puts tags on them. Root and the user that runs it may do everything. There is \
            no journal, and tags have no keys: that takes nfcd.

            With --json, prints one line when programs can connect:
              {"event":"listening","socket":…,"readers":[{"reader":…,"name":…}]}

            Examples:
              nfcctl simulator --readers 2 &
              export NFCD_SOCKET=/tmp/nfcd.sock
              nfcctl virtual-tag ntag215 --uri https://example.com --for 20 &
              nfcctl read
            """)

    /// The most readers; nfcd simulates as many.
    private static let mostReaders = 64

    @Option(help: ArgumentHelp("The number of readers, 1 to \(mostReaders).", valueName: "n"))
    var readers = 1

    @Option(
        help: ArgumentHelp(
            "The model of the readers: \(SimulatedDriver.modelNames.joined(separator: ", ")) (default: generic).",
            valueName: "name"), completion: .list(SimulatedDriver.modelNames))
    var model: String?

    @Option(
        help: "The socket (default: NFCD_SOCKET, or \(StartInstructions.simulatorSocket)).", completion: .file())
    var socket: String?

    @Flag(help: "Print one line of JSON when programs can connect.")
    var json = false

    func validate() throws {
        guard 1...Self.mostReaders ~= readers else {
            throw ValidationError("--readers requires 1 to \(Self.mostReaders), not \(readers)")
        }
        guard let model, !SimulatedDriver.modelNames.contains(model) else { return }
        throw ValidationError(
            "there is no reader model \"\(model)\"; there are \(SimulatedDriver.modelNames.joined(separator: ", "))")
    }

    func run() async throws {
        let interruption = await Interruption()
        let path = SocketPath.daemon(
            option: socket, configured: StartInstructions.simulatorSocket,
            environment: ProcessInfo.processInfo.environment, isRoot: false)
        var connection = ConnectionOptions()
        connection.socket = path
        try await SimulatedDaemon(socket: path, readers: readers, model: model).run { [json, connection] in
            let readers = try await connection.call(ReadersList.self)
            if json { Terminal.print(json: Listening(path, readers)) } else { Self.announce(path, readers) }
            await interruption.wait()
        }
    }

    private static func announce(_ path: String, _ readers: [ReadersList.Reader]) {
        for reader in readers { Terminal.print("\(reader.reader.escaped)  \(reader.name.escaped)") }
        Terminal.print("Programs find \(readers.count == 1 ? "it" : "them") after this command, in each terminal:")
        Terminal.print("  export NFCD_SOCKET=\(path.shellQuoted)")
        Terminal.print("Press Ctrl-C to end.")
    }
}

/// The JSON line for simulated readers that programs can use.
private struct Listening: Encodable {
    struct Reader: Encodable {
        let reader: String
        let name: String
    }

    let event = "listening"
    let socket: String
    let readers: [Reader]

    init(_ socket: String, _ readers: [ReadersList.Reader]) {
        self.socket = socket
        self.readers = readers.map { Reader(reader: $0.reader, name: $0.name) }
    }
}
