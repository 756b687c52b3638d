import Logging
import NFCSessions
import NFCTypes
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The level of all loggers, which can be changed while they are in use.
final class CommonLogLevel: Sendable {
    private let value: Mutex<Logger.Level>

    init(_ level: Logger.Level) { value = Mutex(level) }

    var level: Logger.Level {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}

/// Writes messages of at least the common level. The own level of a logger can only be stricter.
struct AdjustableLogHandler: LogHandler {
    var metadata = Logger.Metadata()
    var metadataProvider: Logger.MetadataProvider?
    private let sink: any LogSink
    private let common: CommonLogLevel
    private var own = Logger.Level.trace

    init(_ sink: any LogSink, _ common: CommonLogLevel) {
        self.sink = sink
        self.common = common
    }

    var logLevel: Logger.Level {
        get { max(common.level, own) }
        set { own = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
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
protocol LogSink: Sendable {
    /// Writes a message, whose metadata is complete.
    func write(_ event: LogEvent)
}

/// Standard error, for people: a line with its time for each message.
struct TerminalSink: LogSink {
    /// The text of a message already contains these; as fields they are for the journal.
    private static let subjects: Set = ["session", "reader", "client"]

    private let lines: StreamLogHandler

    init(label: String) {
        lines = .standardError(label: label)
    }

    func write(_ event: LogEvent) {
        var event = event
        event.metadata = event.metadata?.filter { !Self.subjects.contains($0.key) }
        lines.log(event: event)
    }
}

/// Unformatted output to standard error.
enum StandardError {
    static func write(_ bytes: [UInt8]) {
        #if canImport(Glibc)
            _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
        #elseif canImport(Musl)
            _ = Musl.write(STDERR_FILENO, bytes, bytes.count)
        #endif
    }
}

/// Where standard error goes.
enum LogDestination {
    case terminal
    case journal

    /// The journal, if JOURNAL_STREAM names standard error: the variable is inherited by programs that write elsewhere
    /// (systemd.exec(5)).
    init(journalStream: String?, device: UInt64, inode: UInt64) {
        self = journalStream == "\(device):\(inode)" ? .journal : .terminal
    }

    /// The destination of this process.
    static func current(_ environment: [String: String]) -> LogDestination {
        var status = stat()
        guard fstat(STDERR_FILENO, &status) == 0 else { return .terminal }
        return LogDestination(
            journalStream: environment["JOURNAL_STREAM"], device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    /// A sink for messages to it.
    func sink(label: String) -> any LogSink {
        switch self {
        case .terminal: TerminalSink(label: label)
        case .journal: JournalSink(label: label)
        }
    }

    /// Writes why nfcd exits, before there is a logger.
    func complain(_ what: String) {
        let what = what.printable
        switch self {
        case .terminal:
            StandardError.write(Array("nfcd: \(what)\n".utf8))
        case .journal: JournalSink.writeLines(PrefixedLines.text(.critical, what))
        }
    }
}

extension EventLog {
    /// The log of the parts of nfcd, as lines of a logger.
    init(_ logger: Logger) {
        self.init { level, message, metadata in
            let level = Logger.Level(level)
            guard logger.logLevel <= level else { return }
            logger.log(level: level, "\(message())", metadata: metadata.mapValues { .string($0) })
        }
    }
}

extension Logger.Level {
    fileprivate init(_ level: EventLog.Level) {
        self =
            switch level {
            case .debug: .debug
            case .info: .info
            case .notice: .notice
            case .warning: .warning
            case .error: .error
            }
    }
}
