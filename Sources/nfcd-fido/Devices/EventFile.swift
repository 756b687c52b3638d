import LocalSocket
import Threading

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An open file that carries one event for each read and write: `/dev/uhid`, or a Unix socket of type SOCK_SEQPACKET. It is closed
/// with its last reference.
final class EventFile: Sendable {
    private let descriptor: CInt

    /// Opens a character device, or connects to a socket.
    ///
    /// - Throws: ``SystemError``.
    init(path: String) throws(SystemError) {
        var facts = stat()
        guard stat(path, &facts) == 0 else { throw SystemError(errno) }
        guard facts.st_mode & S_IFMT == S_IFSOCK else {
            descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { throw SystemError(errno) }
            return
        }
        let kind = CInt(SOCK_SEQPACKET.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
        descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { throw SystemError(errno) }
        let failure = UnixAddress(path: path)?.failure(connecting: descriptor) ?? ENAMETOOLONG
        guard failure == 0 else {
            close(descriptor)
            throw SystemError(failure)
        }
    }

    deinit { close(descriptor) }

    /// Writes an event; false where it was not taken.
    @discardableResult
    func send(_ event: [UInt8]) -> Bool { write(descriptor, event, event.count) == event.count }

    /// Waits for an event.
    ///
    /// - Parameters:
    ///   - buffer: as long as the longest event.
    ///   - end: ends the wait.
    /// - Returns: the bytes of the event; nil after a signal, or where the file has ended.
    func receive(_ buffer: inout [UInt8], until end: WakeUp) -> ArraySlice<UInt8>? {
        let wanted = Int16(POLLIN)
        var files = [
            pollfd(fd: descriptor, events: wanted, revents: 0), pollfd(fd: end.descriptor, events: wanted, revents: 0),
        ]
        while true {
            guard poll(&files, nfds_t(files.count), -1) >= 0 || errno == EINTR else { return nil }
            guard files[1].revents == 0 else { return nil }
            let count = read(descriptor, &buffer, buffer.count)
            if count > 0 { return buffer[..<count] }
            guard count < 0, errno == EAGAIN || errno == EINTR else { return nil }
        }
    }
}

/// An error of the system (errno(3)).
struct SystemError: Error {
    let code: CInt

    init(_ code: CInt) { self.code = code }

    /// The text of the system.
    var text: String { String(cString: strerror(code)) }
}
