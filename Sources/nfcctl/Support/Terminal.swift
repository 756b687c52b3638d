import FoundationEssentials
import NFCProtocol

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Standard output and standard error.
enum Terminal {
    /// A line of results.
    static func print(_ line: String) {
        put(line + "\n", on: STDOUT_FILENO)
    }

    /// A value as a line of JSON.
    static func print(json value: some Encodable) {
        guard let line = try? JSONLine.encode(value) else { return }
        put(String(decoding: line, as: UTF8.self), on: STDOUT_FILENO)
    }

    /// A line for people about what goes on or what went wrong.
    static func error(_ line: String) {
        put(clearLine + line + "\n", on: STDERR_FILENO)
    }

    /// A line that the next one replaces; nothing where nobody watches.
    static func status(_ line: String) {
        guard watchesStatus else { return }
        // One that is folded could not be taken away again.
        put(clearLine + TextLines.cut(line, to: (Look.errors.width ?? 80) - 1), on: STDERR_FILENO)
    }

    /// Takes the status line away.
    static func endStatus() {
        put(clearLine, on: STDERR_FILENO)
    }

    /// Whether a person types standard input.
    static var isInput: Bool { isatty(STDIN_FILENO) == 1 }

    /// Whether a person sees standard output.
    static var isOutput: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether a person sees standard error, on a terminal where a line can be taken away again.
    static let watchesStatus =
        isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"

    /// Back to the left edge, and away with what stands there.
    private static let clearLine = watchesStatus ? "\r\u{1B}[K" : ""

    /// Everything at once: a reader at the other end of a pipe sees whole lines as they come.
    private static func put(_ text: String, on descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if errno != EINTR {
                return
            }
        }
    }
}

/// How output looks where it goes: as wide as a terminal and in colours, or plain.
struct Look: Sendable, Equatable {
    /// Of ECMA-48's attributes (SGR) the few that every terminal has.
    enum Colour: String, Sendable {
        case bold = "1"
        case red = "31"
        case green = "32"
        case yellow = "33"
        case blue = "34"
    }

    /// The columns; nil where nothing is cut.
    let width: Int?
    let hasColours: Bool

    /// Neither cut nor coloured.
    static let plain = Look(isTerminal: false, environment: [:], window: nil)

    /// Standard output.
    static let output = Look(descriptor: STDOUT_FILENO)
    /// Standard error.
    static let errors = Look(descriptor: STDERR_FILENO)

    private static let widths = 20...1000
    private static let usualWidth = 80

    /// - Parameters:
    ///   - environment: `COLUMNS` goes before what the terminal says; `NO_COLOR` with anything in it, and `TERM=dumb`, take
    ///     the colours away.
    ///   - window: the columns that the terminal says it has.
    init(isTerminal: Bool, environment: [String: String], window: Int?) {
        let wanted = environment["COLUMNS"].flatMap { Int($0) } ?? window
        width = isTerminal ? wanted.flatMap { Self.widths.contains($0) ? $0 : nil } ?? Self.usualWidth : nil
        hasColours = isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    private init(descriptor: Int32) {
        var size = winsize()
        let hasSize = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        self.init(
            isTerminal: isatty(descriptor) == 1, environment: ProcessInfo.processInfo.environment,
            window: hasSize ? Int(size.ws_col) : nil)
    }

    /// A line, cut where it does not fit.
    func fit(_ line: String) -> String { width.map { TextLines.cut(line, to: $0) } ?? line }

    /// The text in a colour, where there are colours.
    func paint(_ text: String, _ colour: Colour) -> String {
        hasColours ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }
}
