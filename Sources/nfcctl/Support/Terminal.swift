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
