import CommandSupport
package import Logging

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The journal: entries with fields, or lines with their severity where it does not accept them. Never waits: an entry that
/// is not accepted is lost.
package struct JournalSink: LogSink {
    /// The socket of the journal.
    package static let socket = "/run/systemd/journal/socket"

    private let label: String
    private let entries: UnixDatagrams?

    package init(label: String, socket: String = JournalSink.socket) {
        self.label = label
        entries = UnixDatagrams(to: socket)
    }

    package func write(_ event: LogEvent) {
        let entry = JournalEntry(event, label: label)
        guard entries?.send(entry.bytes, waits: false) != true else { return }
        Self.writeLines(PrefixedLines.text(event.level, "\(event.message)"))
    }

    /// Writes to standard error, which is a socket here.
    package static func writeLines(_ text: String) {
        let bytes = Array(text.utf8)
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        guard send(STDERR_FILENO, bytes, bytes.count, flags) < 0, errno == ENOTSOCK else { return }
        try? ProgramOutput.write(bytes, to: STDERR_FILENO)
    }
}

/// Lines that begin with their severity (sd-daemon(3)); the journal adds the time.
package enum PrefixedLines {
    package static func text(_ level: Logger.Level, _ message: String) -> String {
        let lines = message.split(omittingEmptySubsequences: true) { $0.isNewline }
        return lines.map { "<\(level.syslogSeverity)>\($0)\n" }.joined()
    }
}

extension Logger.Level {
    /// The severity of syslog(3).
    package var syslogSeverity: Int32 {
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

/// An entry of the journal: fields, each with its name (systemd's "Native Journal Protocol").
package struct JournalEntry {
    /// A datagram that is too long is rejected; these limits together are far below that of a socket.
    private static let longestMessage = 48 * 1024
    private static let longestField = 1024
    private static let longestName = 64
    private static let mostFields = 32

    package private(set) var bytes: [UInt8] = []

    /// - Parameters:
    ///   - event: a message whose metadata become fields: `session` becomes NFCD_SESSION.
    ///   - label: the sender that the journal shows.
    package init(_ event: LogEvent, label: String) {
        add("MESSAGE", "\(event.message)", limit: Self.longestMessage)
        add("PRIORITY", "\(event.level.syslogSeverity)")
        add("SYSLOG_IDENTIFIER", label)
        add("CODE_FILE", event.file)
        add("CODE_LINE", "\(event.line)")
        add("CODE_FUNC", event.function)
        for (key, value) in (event.metadata ?? [:]).sorted(by: { $0.key < $1.key }).prefix(Self.mostFields) {
            add(Self.name(key), "\(value)")
        }
    }

    /// Capital letters, digits and underscores.
    private static func name(_ key: String) -> String {
        let letters = key.utf8.prefix(longestName - 5).map { byte -> Character in
            let letter = Character(Unicode.Scalar(byte))
            return letter.isASCII && (letter.isLetter || letter.isNumber) ? letter : "_"
        }
        return "NFCD_" + String(letters).uppercased()
    }

    /// A value with line ends is preceded by its length: 64 bits, little-endian.
    private mutating func add(_ name: String, _ value: String, limit: Int = longestField) {
        let value = Self.cut(value, to: limit)
        bytes += name.utf8
        if value.contains(UInt8(ascii: "\n")) {
            bytes.append(UInt8(ascii: "\n"))
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: value.count >> (8 * $0)) }
        } else {
            bytes.append(UInt8(ascii: "="))
        }
        bytes += value
        bytes.append(UInt8(ascii: "\n"))
    }

    /// The beginning of a text, in whole characters of UTF-8.
    private static func cut(_ text: String, to limit: Int) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard bytes.count > limit else { return bytes }
        // A byte of the form 10xxxxxx continues a character.
        var end = limit
        while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return Array(bytes[..<end])
    }
}
