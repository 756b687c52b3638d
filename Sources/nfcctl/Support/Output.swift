import ArgumentParser
import NDEF

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Where a result goes: a file, or standard output.
struct OutputFile {
    /// Nil is standard output.
    let path: String?
    /// Whether a file that is there is replaced, or refused.
    var replaces = true

    /// Writes all there is.
    ///
    /// - Throws: `ExitCode`, after the reason was said: 73 where there can be no such file, 74 where it cannot be written.
    func write(_ bytes: [UInt8]) throws {
        guard let path else { return try Self.write(bytes, OutputBuffer()) }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (replaces ? O_TRUNC : O_EXCL), 0o666)
        guard descriptor >= 0 else {
            Terminal.error("nfcctl: \(path.escaped) cannot be made: \(systemMessage(errno))")
            throw ExitCode.cannotCreate
        }
        defer { close(descriptor) }
        try Self.write(bytes, OutputBuffer(descriptor: descriptor, name: path.escaped))
    }

    private static func write(_ bytes: [UInt8], _ buffer: OutputBuffer) throws {
        try buffer.put(bytes)
        try buffer.flush()
    }
}

/// Writes to a file descriptor in large pieces.
final class OutputBuffer {
    private static let pieceLength = 65_536

    private let descriptor: Int32
    private let name: String
    private var waiting: [UInt8] = []

    /// - Parameter name: what an error calls the place.
    init(descriptor: Int32 = STDOUT_FILENO, name: String = "standard output") {
        self.descriptor = descriptor
        self.name = name
    }

    /// A line, given without its newline.
    func put(line: String) throws {
        waiting += line.utf8
        try put(CollectionOfOne(UInt8(ascii: "\n")))
    }

    func put(_ bytes: some Collection<UInt8>) throws {
        waiting += bytes
        if waiting.count >= Self.pieceLength { try flush() }
    }

    /// Writes what waits.
    ///
    /// - Throws: `ExitCode`, after the reason was said; nothing is said where the reader went away.
    func flush() throws {
        defer { waiting.removeAll(keepingCapacity: true) }
        var start = 0
        while start < waiting.count {
            let written = waiting.withUnsafeBytes {
                write(descriptor, $0.baseAddress?.advanced(by: start), $0.count - start)
            }
            if written > 0 {
                start += written
            } else if errno != EINTR {
                throw failure(errno)
            }
        }
    }

    private func failure(_ number: Int32) -> ExitCode {
        if number == EPIPE { return .brokenPipe }
        Terminal.error("nfcctl: \(name): \(systemMessage(number))")
        return .ioError
    }
}
