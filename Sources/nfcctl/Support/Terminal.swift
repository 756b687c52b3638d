import CommandSupport
import FoundationEssentials
import NFCProtocol

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Standard output and standard error.
enum Terminal {
    /// Prints a line to standard output. If it cannot be delivered, nfcctl ends with 74 (``ProgramOutput/deliver(_:program:)``).
    static func print(_ line: String) {
        ProgramOutput.deliver(line + "\n", program: "nfcctl")
    }

    /// Prints a value to standard output as one line of JSON, as ``print(_:)`` does.
    static func print(json value: some Encodable) {
        guard let line = try? JSONLine.printable(value) else {
            error("nfcctl: the result cannot be printed as JSON")
            exit(EX_SOFTWARE)
        }
        ProgramOutput.deliver(String(decoding: line, as: UTF8.self), program: "nfcctl")
    }

    /// Prints a line to standard error: progress or an error.
    static func error(_ line: String) {
        put(clearLine + line + "\n")
    }

    /// Shows a status line, which the next line replaces. Does nothing unless standard error is a terminal.
    static func status(_ line: String) {
        guard showsStatus else { return }
        // A line that wraps could not be erased.
        put(clearLine + TextLines.cut(line, to: (OutputStyle.errors.width ?? 80) - 1))
    }

    /// Erases the status line.
    static func clearStatus() {
        put(clearLine)
    }

    /// Whether standard input is a terminal.
    static var isInput: Bool { isatty(STDIN_FILENO) == 1 }

    /// Whether standard output is a terminal.
    static var isOutput: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether standard error is a terminal that can erase a line.
    static let showsStatus =
        isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"

    /// Moves the cursor to the left margin and erases the line.
    private static let clearLine = showsStatus ? "\r\u{1B}[K" : ""

    /// Nothing can report that standard error is closed.
    private static func put(_ text: String) {
        try? ProgramOutput.write(text.utf8, to: STDERR_FILENO)
    }
}

/// The time of day in the local time zone, for people.
enum TimeOfDay {
    /// The current time: `17:02:11`.
    static var now: String {
        var (now, parts) = (time(nil), tm())
        localtime_r(&now, &parts)
        return [parts.tm_hour, parts.tm_min, parts.tm_sec].map { $0 < 10 ? "0\($0)" : "\($0)" }
            .joined(separator: ":")
    }
}

/// The width and colors of the output: those of a terminal, or plain text.
struct OutputStyle: Sendable, Equatable {
    /// The SGR attributes of ECMA-48 that every terminal supports.
    enum Color: String, Sendable {
        case bold = "1"
        case red = "31"
        case green = "32"
        case yellow = "33"
        case blue = "34"
    }

    /// The number of columns; nil if lines are not truncated.
    let width: Int?
    let hasColors: Bool

    /// Neither truncated nor colored.
    static let plain = OutputStyle(isTerminal: false, environment: [:], window: nil)

    /// Standard output.
    static let output = OutputStyle(descriptor: STDOUT_FILENO)
    /// Standard error.
    static let errors = OutputStyle(descriptor: STDERR_FILENO)

    private static let widths = 20...1000
    private static let defaultWidth = 80

    /// - Parameters:
    ///   - environment: `COLUMNS` takes precedence over the terminal's width; a non-empty `NO_COLOR` and `TERM=dumb` turn
    ///     colors off.
    ///   - window: the number of columns that the terminal reports.
    init(isTerminal: Bool, environment: [String: String], window: Int?) {
        let columns = environment["COLUMNS"].flatMap { Int($0) } ?? window
        width = isTerminal ? columns.flatMap { Self.widths.contains($0) ? $0 : nil } ?? Self.defaultWidth : nil
        hasColors = isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    private init(descriptor: Int32) {
        var size = winsize()
        let hasSize = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        self.init(
            isTerminal: isatty(descriptor) == 1, environment: ProcessInfo.processInfo.environment,
            window: hasSize ? Int(size.ws_col) : nil)
    }

    /// The line, truncated to the width.
    func fit(_ line: String) -> String { width.map { TextLines.cut(line, to: $0) } ?? line }

    /// The text in a color, if colors are on.
    func paint(_ text: String, _ color: Color) -> String {
        hasColors ? "\u{1B}[\(color.rawValue)m\(text)\u{1B}[0m" : text
    }
}
