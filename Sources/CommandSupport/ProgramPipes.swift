import CLinux

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The pipes to the standard input of a program and from its output. The ends of the program block, as programs expect; those here do not.
package final class ProgramPipes {
    private let toProgram: Pipe
    private let fromProgram: Pipe

    /// - Throws: ``KeptProgram/StartError`` if the system has no pipes left.
    package init() throws(KeptProgram.StartError) {
        toProgram = try Pipe()
        fromProgram = try Pipe()
    }

    /// The streams of the program.
    ///
    /// - Parameter output: a descriptor that takes its output and its errors instead of the pipe.
    package func streams(output: Int32? = nil) -> KeptProgram.Streams {
        let output = output ?? fromProgram.writeEnd
        return KeptProgram.Streams(input: toProgram.readEnd, output: output, errors: output)
    }

    /// Closes the ends of the program, which has been started and has them.
    package func keepOwnEnds() {
        toProgram.closeReadEnd()
        fromProgram.closeWriteEnd()
        for end in [toProgram.writeEnd, fromProgram.readEnd] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    }

    /// Writes what the program takes for the moment, and ends its input after the last byte. One that does not read all of it has not failed.
    package func feed(_ rest: inout ArraySlice<UInt8>) {
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(toProgram.writeEnd, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return }
            rest = count > 0 ? rest.dropFirst(count) : []
        }
        toProgram.closeWriteEnd()
    }

    /// Reads what the program has written, but not endlessly from one that never stops.
    package func drain(_ take: (ArraySlice<UInt8>) -> Void) {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        for _ in 0..<16 where fromProgram.readEnd >= 0 {
            let count = read(fromProgram.readEnd, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                if count == 0 { fromProgram.closeReadEnd() }
                return
            }
            take(buffer.prefix(count))
        }
    }

    /// Waits until something can be read or written, until the program has ended, or a moment.
    ///
    /// - Parameters:
    ///   - ended: ``KeptProgram/ended``.
    ///   - hasInput: whether input is left.
    package func wait(for ended: Int32, hasInput: Bool) {
        // A negative descriptor is ignored.
        var places = [
            pollfd(fd: fromProgram.readEnd, events: Int16(POLLIN), revents: 0),
            pollfd(fd: ended, events: Int16(POLLIN), revents: 0),
            pollfd(fd: hasInput ? toProgram.writeEnd : -1, events: Int16(POLLOUT), revents: 0),
        ]
        _ = poll(&places, nfds_t(places.count), 250)
    }
}

/// A pipe whose ends are not inherited.
private final class Pipe {
    private(set) var readEnd: Int32
    private(set) var writeEnd: Int32

    init() throws(KeptProgram.StartError) {
        var ends: [Int32] = [-1, -1]
        guard cspawn_pipe(&ends) == 0 else { throw KeptProgram.StartError(code: errno) }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    deinit {
        closeReadEnd()
        closeWriteEnd()
    }

    func closeReadEnd() {
        if readEnd >= 0 { close(readEnd) }
        readEnd = -1
    }

    func closeWriteEnd() {
        if writeEnd >= 0 { close(writeEnd) }
        writeEnd = -1
    }
}
