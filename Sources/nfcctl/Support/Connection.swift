import ArgumentParser
import FoundationEssentials
import NFCClient
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

/// Runs a command's body; what fails is said on standard error, with what to do about it, and becomes an exit code.
func reporting<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
        return try await body()
    } catch let error as NFCClientError {
        Terminal.error("nfcctl: \(error)\(hint(for: error))")
        throw exitCode(for: error)
    }
}

/// Runs what judges options, where only `run` can; a mistake is said as the parser says its own.
func judgingOptions<Value>(of command: String, _ body: () throws -> Value) throws -> Value {
    do {
        return try body()
    } catch let error as ValidationError {
        Terminal.error("Error: \(error.message)\n  See 'nfcctl \(command) --help' for more information.")
        throw ExitCode.validationFailure
    }
}

private func hint(for error: NFCClientError) -> String {
    switch error {
    case .noDaemon(let path): "\n\(StartAdvice.here(path: path).words)"
    case .notPermitted(let path): ". \(SocketAccess.here(path: path).words)"
    default: ""
    }
}

private func exitCode(for error: NFCClientError) -> ExitCode {
    switch error {
    case .noDaemon, .connectionFailed, .connectionLost, .protocolViolation: .unavailable
    case .notPermitted: .notPermitted
    case .refused(let error): error.code < 0 ? .badData : ExitCode(nfcCode: error.code)
    }
}
