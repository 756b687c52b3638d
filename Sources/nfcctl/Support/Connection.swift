import ArgumentParser
import FoundationEssentials
import NFCClient
import NFCProtocol
import NFCTypes

/// The option that selects the daemon.
struct ConnectionOptions: ParsableArguments {
    @Option(help: "The daemon's socket (default: NFCD_SOCKET, your own daemon's socket, the system's).")
    var socket: String?

    /// The path of the daemon's socket.
    var path: String {
        SocketPath.client(option: socket, environment: ProcessInfo.processInfo.environment) {
            FileManager.default.fileExists(atPath: $0)
        }
    }
}

/// Runs the body of a command. Prints errors of the client to standard error, with advice, and converts them to exit codes.
func reportingErrors<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
        return try await body()
    } catch let error as NFCClientError {
        Terminal.error("nfcctl: \(error)\(hint(for: error))")
        throw exitCode(for: error)
    }
}

/// Runs checks of options that are only possible in `run`, and reports a `ValidationError` in the way the parser does.
func reportingUsageErrors<Value>(of command: String, _ body: () throws -> Value) throws -> Value {
    do {
        return try body()
    } catch let error as ValidationError {
        Terminal.error("Error: \(error.message)\n  See 'nfcctl \(command) --help' for more information.")
        throw ExitCode.validationFailure
    }
}

private func hint(for error: NFCClientError) -> String {
    switch error {
    case .noDaemon(let path): "\n\(StartInstructions.forThisMachine(path: path).text)"
    case .notPermitted(let path): ". \(SocketAccess.onThisMachine(path: path).text)"
    default: ""
    }
}

private func exitCode(for error: NFCClientError) -> ExitCode {
    switch error {
    case .noDaemon, .connectionFailed, .connectionLost, .fellBehind, .protocolViolation: .unavailable
    case .notPermitted: .notPermitted
    case .refused(let error): error.nfcCode.map { ExitCode($0) } ?? .badData
    case .sessionEnded(let end): ExitCode(end.code)
    }
}
