import ArgumentParser
import CommandSupport
import NDEF

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The destination of a result: a file, or standard output.
struct OutputFile {
    /// The path of the file; nil is standard output.
    let path: String?
    /// Whether an existing file is replaced.
    var replaces = true

    /// Writes the bytes.
    ///
    /// - Throws: `ExitCode`, after printing the reason: 73 if the file cannot be created, 74 if it cannot be written.
    func write(_ bytes: [UInt8]) throws {
        let (descriptor, buffer) = try open()
        defer { if let descriptor { close(descriptor) } }
        try buffer.put(bytes)
        try buffer.flush()
    }

    /// Runs `body` with a buffer in front of the file, and writes what is in it at the end.
    ///
    /// - Throws: as ``write(_:)``, and what `body` throws.
    func withBuffer<Value>(_ body: (OutputBuffer) async throws -> Value) async throws -> Value {
        let (descriptor, buffer) = try open()
        defer { if let descriptor { close(descriptor) } }
        let value = try await body(buffer)
        try buffer.flush()
        return value
    }

    /// The descriptor of the file, nil for standard output, and a buffer in front of it.
    private func open() throws -> (Int32?, OutputBuffer) {
        guard let path else { return (nil, OutputBuffer()) }
        let descriptor = Self.open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (replaces ? O_TRUNC : O_EXCL))
        guard descriptor >= 0 else {
            Terminal.error("nfcctl: cannot create \(path.escaped): \(errorMessage(errno))")
            throw ExitCode.cannotCreate
        }
        return (descriptor, OutputBuffer(descriptor: descriptor, name: path.escaped))
    }

    private static func open(_ path: String, _ flags: Int32) -> Int32 {
        #if canImport(Glibc)
            Glibc.open(path, flags, 0o666)
        #else
            Musl.open(path, flags, 0o666)
        #endif
    }
}

/// A buffer in front of a file descriptor.
final class OutputBuffer {
    private static let capacity = 65_536

    private let descriptor: Int32
    private let name: String
    private var buffer: [UInt8] = []

    /// - Parameter name: the name of the destination in error messages.
    init(descriptor: Int32 = STDOUT_FILENO, name: String = "standard output") {
        self.descriptor = descriptor
        self.name = name
    }

    /// Appends a line, given without its newline.
    func put(line: String) throws {
        buffer += line.utf8
        try put(CollectionOfOne(UInt8(ascii: "\n")))
    }

    /// Appends bytes.
    func put(_ bytes: some Collection<UInt8>) throws {
        buffer += bytes
        if buffer.count >= Self.capacity { try flush() }
    }

    /// Writes the buffered bytes.
    ///
    /// - Throws: `ExitCode`, after printing the reason, or silently if the reader of a pipe has closed it.
    func flush() throws {
        defer { buffer.removeAll(keepingCapacity: true) }
        do throws(OutputFailure) {
            try ProgramOutput.write(buffer, to: descriptor)
        } catch {
            if error.number != EPIPE { Terminal.error("nfcctl: cannot write to \(name): \(error.reason)") }
            throw ExitCode(error.status)
        }
    }
}
