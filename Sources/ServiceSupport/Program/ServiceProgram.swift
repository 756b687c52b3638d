package import ArgumentParser
import CommandSupport
import FoundationEssentials
package import Logging
package import Threading
import UnixSignals

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A program that runs as a service: how it starts, logs and ends.
package struct ServiceProgram: Sendable {
    /// Its variables.
    package let environment: [String: String]
    private let name: String
    private let destination: LogDestination

    /// Reads the environment of this process.
    package init(_ name: String) {
        self.name = name
        environment = ProcessInfo.processInfo.environment
        destination = .current(environment)
    }

    /// Runs a step that reads the configuration.
    ///
    /// - Throws: the exit status 78 (EX_CONFIG); the reason was logged.
    package func configured<Value>(_ step: () throws -> Value) throws -> Value {
        do {
            return try step()
        } catch {
            throw refusal("\(error)", EX_CONFIG)
        }
    }

    /// Logs why the program does not start; returns its exit status.
    package func refusal(_ reason: String, _ status: Int32) -> ExitCode {
        destination.complain(reason, program: name)
        return ExitCode(status)
    }

    /// Prints the result of `--check`.
    ///
    /// - Parameter suspicion: why the file looks as if it had been cut off.
    package func deliverCheck(of file: String, suspicion: String?) {
        let warning = suspicion.map { "warning: \($0)\n" } ?? ""
        deliver("\(file): ok\n\(warning)")
    }

    /// Prints a text to standard output.
    package func deliver(_ text: String) { ProgramOutput.deliver(text, program: name) }

    /// Starts to log, and warns of a suspicion. From now on a peer that disconnects does not end the program.
    package func makeLogger(_ level: CommonLogLevel, suspicion: String?) -> Logger {
        LoggingSystem.bootstrap { [destination] in AdjustableLogHandler(destination.sink(label: $0), level) }
        Self.outlivePeers()
        let logger = Logger(label: name)
        if let suspicion { logger.warning("\(suspicion)") }
        return logger
    }

    /// Ignores SIGPIPE, by which a peer that disconnects would end the program.
    package static func outlivePeers() { signal(SIGPIPE, SIG_IGN) }

    /// Runs the service.
    ///
    /// - Throws: the exit status 73 (EX_CANTCREAT); the reason was logged.
    package func run(_ logger: Logger, _ service: () async throws -> Void) async throws {
        do {
            try await service()
        } catch {
            logger.critical("\(error)")
            throw ExitCode(EX_CANTCREAT)
        }
    }
}

extension ServiceGroup {
    /// Runs until SIGTERM or SIGINT, or a service ends or fails.
    package func runUntilTerminated() async throws {
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        try await run { for await _ in signals { return } }
    }
}

extension Logger.Level {
    private static let words = "trace, debug, info, notice, warning, error or critical"

    /// The help of the option `--log-level`.
    package static func help(default usual: Logger.Level = .info) -> ArgumentHelp {
        "The log level: \(words) (default: \(usual.rawValue))."
    }

    /// The level of a word.
    package static func argument(_ word: String) throws -> Logger.Level {
        guard let level = Logger.Level(rawValue: word) else {
            throw ValidationError("there is no log level \"\(word)\"; use \(words)")
        }
        return level
    }
}
