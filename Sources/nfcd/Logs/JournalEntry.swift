import Logging

/// A message as the journal takes it: fields, each with its name (systemd's "Native Journal Protocol").
struct JournalEntry {
    /// A datagram that is too long is not taken; these together are far below the limit of a socket.
    private static let longestMessage = 48 * 1024
    private static let longestField = 1024
    private static let longestName = 64
    private static let mostFields = 32

    private(set) var bytes: [UInt8] = []

    /// - Parameters:
    ///   - event: a message whose metadata become fields: `session` is NFCD_SESSION.
    ///   - label: what the journal shows as the sender.
    init(_ event: LogEvent, label: String) {
        add("MESSAGE", "\(event.message)", limit: Self.longestMessage)
        add("PRIORITY", "\(event.level.syslogSeverity)")
        add("SYSLOG_IDENTIFIER", label)
        add("CODE_FILE", event.file)
        add("CODE_LINE", "\(event.line)")
        add("CODE_FUNC", event.function)
        if let error = event.error { add("NFCD_ERROR", "\(error)") }
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

    /// A value with line ends has its length in front of it, 64 bits, the low byte first.
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
        // A byte of the form 10xxxxxx goes on with a character.
        var end = limit
        while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return Array(bytes[..<end])
    }
}
