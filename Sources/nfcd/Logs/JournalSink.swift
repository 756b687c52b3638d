import Logging

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The journal: entries with fields, or lines with their severity where it does not take them. Never waits: what nobody
/// takes is lost.
struct JournalSink: LogSink {
    /// Where the journal takes entries.
    static let socket = "/run/systemd/journal/socket"

    private let label: String
    private let entries: UnixDatagrams?

    init(label: String, socket: String = JournalSink.socket) {
        self.label = label
        entries = UnixDatagrams(to: socket)
    }

    func write(_ event: LogEvent) {
        let entry = JournalEntry(event, label: label)
        guard entries?.send(entry.bytes, waits: false) != true else { return }
        Self.writeLines(PrefixedLines.text(event.level, "\(event.message)"))
    }

    /// Writes to standard error, which is a socket here.
    static func writeLines(_ text: String) {
        let bytes = Array(text.utf8)
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        guard send(STDERR_FILENO, bytes, bytes.count, flags) < 0, errno == ENOTSOCK else { return }
        StandardError.write(bytes)
    }
}

/// Lines of which each begins with its severity (sd-daemon(3)); the journal knows their time.
enum PrefixedLines {
    static func text(_ level: Logger.Level, _ message: String) -> String {
        let lines = message.split(omittingEmptySubsequences: true) { $0.isNewline }
        return lines.map { "<\(level.syslogSeverity)>\($0)\n" }.joined()
    }
}

extension Logger.Level {
    /// The severity of syslog(3).
    var syslogSeverity: Int32 {
        switch self {
        case .trace, .debug: LOG_DEBUG
        case .info: LOG_INFO
        case .notice: LOG_NOTICE
        case .warning: LOG_WARNING
        case .error: LOG_ERR
        case .critical: LOG_CRIT
        }
    }
}
