import CommandSupport
package import Logging
import NFCTypes
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The level of all loggers, which can be changed while they are in use.
package final class CommonLogLevel: Sendable {
    private let value: Mutex<Logger.Level>

    package init(_ level: Logger.Level) { value = Mutex(level) }

    package var level: Logger.Level {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}

/// Writes messages of at least the common level. The own level of a logger can only be stricter.
package struct AdjustableLogHandler: LogHandler {
    package var metadata = Logger.Metadata()
    package var metadataProvider: Logger.MetadataProvider?
    private let sink: any LogSink
    private let common: CommonLogLevel
    private var own = Logger.Level.trace

    package init(_ sink: any LogSink, _ common: CommonLogLevel) {
        self.sink = sink
        self.common = common
    }

    package var logLevel: Logger.Level {
        get { max(common.level, own) }
        set { own = newValue }
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var event = event
        let provided = metadata.merging(metadataProvider?.get() ?? [:]) { $1 }
        event.metadata = provided.merging(event.metadata ?? [:]) { $1 }
        event.makePrintable()
        sink.write(event)
    }
}

extension LogEvent {
    /// Makes sure that no text of the event can look like another line or drive a terminal. Its error becomes metadata.
    fileprivate mutating func makePrintable() {
        message = "\("\(message)".printable)"
        if let error {
            metadata = (metadata ?? [:]).merging(["error": "\(error)"]) { $1 }
            self.error = nil
        }
        metadata = metadata?.mapValues { .string("\($0)".printable) }
    }
}

/// Where messages go.
package protocol LogSink: Sendable {
    /// Writes a message, whose metadata is complete.
    func write(_ event: LogEvent)
}

/// Standard error, for people: a line with its time for each message.
package struct TerminalSink: LogSink {
    /// The text of a message already contains these; as fields they are for the journal.
    private static let subjects: Set = ["session", "reader", "client"]

    private let lines: StreamLogHandler

    package init(label: String) {
        lines = .standardError(label: label)
    }

    package func write(_ event: LogEvent) {
        var event = event
        event.metadata = event.metadata?.filter { !Self.subjects.contains($0.key) }
        lines.log(event: event)
    }
}

/// Where standard error goes.
package enum LogDestination {
    case terminal
    case journal

    /// The journal, if JOURNAL_STREAM names standard error: the variable is inherited by programs that write elsewhere
    /// (systemd.exec(5)).
    package init(journalStream: String?, device: UInt64, inode: UInt64) {
        self = journalStream == "\(device):\(inode)" ? .journal : .terminal
    }

    /// The destination of this process.
    package static func current(_ environment: [String: String]) -> LogDestination {
        var status = stat()
        guard fstat(STDERR_FILENO, &status) == 0 else { return .terminal }
        return LogDestination(
            journalStream: environment["JOURNAL_STREAM"], device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    /// A sink for messages to it.
    package func sink(label: String) -> any LogSink {
        switch self {
        case .terminal: TerminalSink(label: label)
        case .journal: JournalSink(label: label)
        }
    }

    /// Writes why a program exits, before there is a logger.
    package func complain(_ what: String, program: String) {
        let what = what.printable
        switch self {
        case .terminal:
            ProgramOutput.complain("\(program): \(what)")
        case .journal: JournalSink.writeLines(PrefixedLines.text(.critical, what))
        }
    }
}
