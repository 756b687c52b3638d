import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

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
