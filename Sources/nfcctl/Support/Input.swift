import ArgumentParser
import NDEF

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An input file; `-` is standard input.
struct InputFile {
    let path: String

    static let standardInput = InputFile(path: "-")

    /// The name in messages.
    var name: String { path == "-" ? "standard input" : path.escaped }

    /// Reads the whole file.
    ///
    /// - Throws: `ExitCode`, after printing the reason: 66 if the file cannot be read, 65 if it exceeds the limit.
    func read(limit: Int) throws -> [UInt8] {
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(errno) }
        defer { if path != "-" { close(descriptor) } }
        var content: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)
        defer { buffer.deallocate() }
        while true {
            let count = readRetrying(descriptor, into: buffer)
            guard count >= 0 else { throw failure(errno) }
            if count == 0 { return content }
            content += buffer.prefix(count)
            guard content.count <= limit else { throw tooLong(limit) }
        }
    }

    private func failure(_ number: Int32) -> ExitCode {
        Terminal.error("nfcctl: cannot read \(name): \(errorMessage(number))")
        return .noInput
    }

    private func tooLong(_ limit: Int) -> ExitCode {
        Terminal.error("nfcctl: \(name) exceeds the limit of \(limit) bytes")
        return .badData
    }
}

/// The size limits of inputs, in bytes.
enum InputLimits {
    /// A message, including the headers of its records.
    static let message = NDEFLimits.default.maximumPayloadLength + 1_048_576

    /// A message in plain hexadecimal, without separators.
    static let hexadecimalLine = 2 * message

    /// A message in any notation: `0xD1, ` takes six characters for a byte.
    static let text = 6 * message

    /// The JSON form of a message: the payload in hexadecimal, and its decoded form with every character escaped.
    static let json = 8 * message
}

/// Reads lines from a file descriptor, with a maximum line length.
struct BoundedLineReader {
    /// A line without its newline and carriage return, or a placeholder for one that exceeds the limit.
    enum Line: Equatable {
        case line([UInt8])
        case tooLong
    }

    /// The error number of a failed read; nil at end of file.
    private(set) var failure: Int32?

    private let descriptor: Int32
    private let limit: Int
    private var buffer = [UInt8](repeating: 0, count: 65_536)
    private var unread = 0..<0
    private var isAtStart = true

    /// The byte order mark of UTF-8, which some programs write before the first line.
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    init(descriptor: Int32, limit: Int) {
        self.descriptor = descriptor
        self.limit = limit
    }

    /// The next line; nil at end of file. A last line without a newline is also returned.
    ///
    /// - Parameter beforeReading: called before each read, which may block.
    mutating func next(beforeReading: () throws -> Void = {}) rethrows -> Line? {
        var line: [UInt8] = []
        var isTooLong = false
        while true {
            let newline = buffer[unread].firstIndex(of: UInt8(ascii: "\n"))
            let part = buffer[unread.lowerBound..<(newline ?? unread.upperBound)]
            if line.count + part.count > limit { isTooLong = true } else { line += part }
            if let newline {
                unread = newline + 1..<unread.upperBound
                return finish(line, isTooLong)
            }
            try beforeReading()
            guard refill() else { return line.isEmpty && !isTooLong ? nil : finish(line, isTooLong) }
        }
    }

    private mutating func finish(_ line: [UInt8], _ isTooLong: Bool) -> Line {
        let start = isAtStart && line.starts(with: Self.mark) ? Self.mark.count : 0
        isAtStart = false
        return isTooLong
            ? .tooLong : .line(Array(line.dropFirst(start).dropLast(line.last == UInt8(ascii: "\r") ? 1 : 0)))
    }

    private mutating func refill() -> Bool {
        let count = buffer.withUnsafeMutableBytes { readRetrying(descriptor, into: $0) }
        unread = 0..<max(0, count)
        if count < 0 { failure = errno }
        return count > 0
    }
}

/// Calls read(2), and repeats it when a signal interrupts it.
func readRetrying(_ descriptor: Int32, into space: UnsafeMutableRawBufferPointer) -> Int {
    while true {
        let count = read(descriptor, space.baseAddress, space.count)
        if count >= 0 || errno != EINTR { return count }
    }
}
