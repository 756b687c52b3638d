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
