#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The error number of a write(2) that failed.
package struct OutputFailure: Error, Equatable {
    package let number: Int32

    /// The exit status: 74 (EX_IOERR); 141, as a shell reports it for SIGPIPE, if the reader of a pipe has closed it.
    package var status: Int32 { number == EPIPE ? 128 + SIGPIPE : EX_IOERR }

    /// The system's message, such as `No space left on device`.
    package var reason: String { strerror(number).map { String(cString: $0) } ?? "error \(number)" }

    package init(number: Int32) {
        self.number = number
    }
}

/// Writes to file descriptors. Nothing else in the programs writes to standard output.
package enum ProgramOutput {
    /// Writes all bytes at once, so that the reader of a pipe receives whole lines.
    package static func write(_ bytes: some Collection<UInt8>, to descriptor: Int32) throws(OutputFailure) {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { libcWrite(descriptor, $0.baseAddress, $0.count) }
            if written >= 0 {
                rest = rest.dropFirst(written)
            } else if errno != EINTR {
                throw OutputFailure(number: errno)
            }
        }
    }

    /// Writes a text to standard output. If it cannot be delivered, prints why to standard error and exits with 74: a
    /// result that was not received is not a success.
    ///
    /// - Parameter program: the name of the program in the error message.
    package static func deliver(_ text: String, program: String) {
        do throws(OutputFailure) {
            try write(text.utf8, to: STDOUT_FILENO)
        } catch {
            if error.number != EPIPE { complain("\(program): cannot write to standard output: \(error.reason)") }
            exit(error.status)
        }
    }

    /// Prints a line to standard error. There is no place to report that this failed.
    package static func complain(_ line: String) {
        try? write("\(line)\n".utf8, to: STDERR_FILENO)
    }

    private static func libcWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        #if canImport(Glibc)
            Glibc.write(descriptor, bytes, count)
        #else
            Musl.write(descriptor, bytes, count)
        #endif
    }
}
