import ArgumentParser
import NDEF

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file to be read whole; `-` is standard input.
struct InputFile {
    let path: String

    static let standardInput = InputFile(path: "-")

    /// What messages call it.
    var name: String { path == "-" ? "standard input" : path.escaped }

    /// - Throws: `ExitCode`, after the reason was said: 66 where the file cannot be read, 65 where it is over the limit.
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
        Terminal.error("nfcctl: \(name) cannot be read: \(systemMessage(number))")
        return .noInput
    }

    private func tooLong(_ limit: Int) -> ExitCode {
        Terminal.error("nfcctl: \(name) is longer than \(limit) bytes, the most that is read here")
        return .badData
    }
}
