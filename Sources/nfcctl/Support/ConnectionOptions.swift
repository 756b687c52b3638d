import ArgumentParser
import FoundationEssentials
import NFCProtocol

/// Where the daemon is.
struct ConnectionOptions: ParsableArguments {
    @Option(help: "The daemon's socket (default: NFCD_SOCKET, your own daemon's, the system's).")
    var socket: String?

    /// The path to connect to.
    var path: String {
        SocketPath.client(option: socket, environment: ProcessInfo.processInfo.environment) {
            FileManager.default.fileExists(atPath: $0)
        }
    }
}
