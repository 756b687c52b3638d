import ArgumentParser
import FoundationEssentials
import NDEF
import NFCClient
import NFCProtocol

/// The option that selects the daemon.
struct ConnectionOptions: ParsableArguments {
    @Option(
        help: "The daemon's socket (default: NFCD_SOCKET, your own daemon's socket, the system's).", completion: .file()
    )
    var socket: String?

    /// The path of the daemon's socket.
    var path: String {
        SocketPath.client(option: socket, environment: ProcessInfo.processInfo.environment) {
            FileManager.default.fileExists(atPath: $0)
        }
    }

    /// Runs `body` with a connection to the daemon.
    ///
    /// - Throws: `ExitCode`, after printing an error of the client with advice; otherwise what `body` throws.
    func withClient<Value>(_ body: (NFCClient) async throws -> Value) async throws -> Value {
        try await reportingErrors {
            try await NFCClient.answering(at: path, body)
        }
    }

    /// Runs `body`, and prints an error of the client with advice.
    ///
    /// - Throws: `ExitCode` instead of an error of the client; otherwise what `body` throws.
    func reportingErrors<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as NFCClientError {
            Terminal.error("nfcctl: \("\(error)".printableLines)\(Self.advice(for: error))")
            throw ExitCode(error)
        }
    }

    /// Calls a method of the daemon.
    ///
    /// - Throws: as ``withClient(_:)``.
    func call<M: Method>(_ method: M.Type, _ parameters: M.Parameters) async throws -> M.Result {
        try await withClient { try await $0.call(method, parameters) }
    }

    /// Calls a method of the daemon that has no parameters.
    ///
    /// - Throws: as ``withClient(_:)``.
    func call<M: Method>(_ method: M.Type) async throws -> M.Result where M.Parameters == Empty {
        try await withClient { try await $0.call(method) }
    }

    private static func advice(for error: NFCClientError) -> String {
        switch error {
        case .noDaemon(let path): "\n\(StartInstructions.forThisMachine(path: path).text)"
        case .notPermitted(let path): ". \(SocketAccess.onThisMachine(path: path).text)"
        default: ""
        }
    }
}

/// The attempts to connect again, of a command that survives restarts of nfcd.
struct Reconnection {
    private var attempts = 0
    /// Whether a connection has worked. One that is not answered at first may never be.
    private var hasSucceeded = false

    private static let pauses: [Duration] = [.milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2)]
    private static let longestPause = Duration.seconds(5)

    /// Whether the connection was lost and has not been established again.
    var isNeeded: Bool { attempts > 0 }

    /// The connection works: the next error is that of another restart.
    mutating func succeeded() { (attempts, hasSucceeded) = (0, true) }

    /// Waits before the next attempt, longer each time, and prints the first error.
    ///
    /// - Throws: the error, if another connection cannot succeed; `CancellationError`.
    mutating func pause(after error: NFCClientError) async throws {
        if case .connectionFailed = error, !hasSucceeded { throw error }
        guard error.isTemporary else { throw error }
        if !isNeeded { Terminal.error("nfcctl: \("\(error)".escaped); connecting again") }
        let pause = Self.pauses.dropFirst(attempts).first ?? Self.longestPause
        attempts += 1
        try await Task.sleep(for: pause)
    }
}

extension NFCClientError {
    /// Whether another connection may succeed: the daemon is being restarted, or this program was too slow.
    fileprivate var isTemporary: Bool {
        switch self {
        case .noDaemon, .connectionFailed, .connectionLost, .fellBehind: true
        case .notPermitted, .refused, .sessionEnded, .protocolViolation: false
        }
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
