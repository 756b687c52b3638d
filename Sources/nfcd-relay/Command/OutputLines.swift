import NFCTypes

/// The output of a command, line by line, within limits; what is over them is counted and dropped.
struct OutputLines {
    private static let longestLine = 4 * 1024
    private static let mostBytes = 64 * 1024
    /// What the log adds to a line, at least: a short line costs as much.
    private static let lineCost = 128

    private let write: @Sendable (String) -> Void
    private var line: [UInt8] = []
    private var written = 0
    private var dropped = 0

    init(_ write: @escaping @Sendable (String) -> Void) {
        self.write = write
    }

    /// Takes bytes, and writes the lines that they complete.
    mutating func take(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                finishLine()
            } else if line.count < Self.longestLine, written + line.count < Self.mostBytes {
                line.append(byte)
            } else {
                dropped += 1
            }
        }
    }

    /// Writes what is left, and how much was dropped.
    mutating func finish() {
        finishLine()
        if dropped > 0 { write("(\(dropped) more bytes of output were dropped)") }
    }

    private mutating func finishLine() {
        guard !line.isEmpty else { return }
        written += line.count + Self.lineCost
        write(String(decoding: line, as: UTF8.self).printable)
        line = []
    }
}
