import Glibc
import Synchronization

/// A TCP connection that one thread reads and writes, and that any thread can cut.
final class VPCDSocket: Sendable {
    /// Why reading or writing ended.
    enum Failure: Error, Hashable {
        case closed
        case errno(Int32)
    }

    /// The descriptor; only the thread that uses the socket may close it, so its number cannot be re-used meanwhile.
    private let descriptor: Int32
    private let isOpen = Mutex(true)

    /// A socket that does not block while it connects.
    init(family: Int32) throws(Failure) {
        descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw .errno(Glibc.errno) }
    }

    deinit {
        close()
    }

    /// Makes a read or a connection attempt that waits return at once. Harmless when closed.
    func cut() {
        isOpen.withLock { if $0 { _ = shutdown(descriptor, Int32(SHUT_RDWR)) } }
    }

    /// Closes the socket; a second call does nothing.
    func close() {
        isOpen.withLock {
            if $0 && descriptor >= 0 { _ = Glibc.close(descriptor) }
            $0 = false
        }
    }

    /// Connects within a number of milliseconds and makes the socket a blocking one without delayed segments.
    func connect(to address: UnsafePointer<sockaddr>, length: socklen_t, timeout: Int32) throws(Failure) {
        if Glibc.connect(descriptor, address, length) != 0 {
            let code = Glibc.errno
            guard code == EINPROGRESS || code == EINTR else { throw .errno(code) }
            try awaitConnection(timeout: timeout)
        }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
        setOption(TCP_NODELAY)
    }

    /// Reads exactly `count` bytes, in as many pieces as they come.
    func read(_ count: Int) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count {
            bytes += try readSome(atMost: count - bytes.count)
        }
        return bytes
    }

    /// Writes all bytes.
    func write(_ bytes: [UInt8]) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if sent >= 0 {
                rest = rest.dropFirst(sent)
            } else if Glibc.errno != EINTR {
                throw .errno(Glibc.errno)
            }
        }
    }

    private func readSome(atMost count: Int) throws(Failure) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: count)
        while true {
            // vpcd sends length and body apart; without this, each read waits for a delayed acknowledgement of 40 ms.
            setOption(TCP_QUICKACK)
            let received = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
            if received > 0 { return Array(buffer.prefix(received)) }
            if received == 0 { throw .closed }
            if Glibc.errno != EINTR { throw .errno(Glibc.errno) }
        }
    }

    private func awaitConnection(timeout: Int32) throws(Failure) {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        var ready = poll(&waiting, 1, timeout)
        while ready < 0 && Glibc.errno == EINTR { ready = poll(&waiting, 1, timeout) }
        guard ready != 0 else { throw .errno(ETIMEDOUT) }
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        _ = getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
        guard code == 0 else { throw .errno(code) }
        // A socket cut while it connected is writable too, without an error.
        guard waiting.revents & Int16(POLLHUP) == 0 else { throw .closed }
    }

    private func setOption(_ option: Int32) {
        var on: Int32 = 1
        _ = setsockopt(descriptor, Int32(IPPROTO_TCP), option, &on, socklen_t(MemoryLayout<Int32>.size))
    }
}
