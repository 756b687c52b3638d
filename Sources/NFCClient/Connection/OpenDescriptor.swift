#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file descriptor that is closed when it is no longer used.
package final class OpenDescriptor: Sendable {
    package let number: CInt

    init(_ number: CInt) {
        self.number = number
    }

    /// A socket that is connected to a path.
    ///
    /// - Parameter patience: how many seconds the listener may take to accept the connection.
    /// - Throws: `NFCClientError`.
    package convenience init(connectedTo path: String, patience: Double) throws {
        self.init(socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
        guard number >= 0 else { throw NFCClientError(connecting: errno, path: path) }
        var limit = timeval(tv_sec: Int(patience), tv_usec: Int(patience * 1_000_000) % 1_000_000)
        setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw NFCClientError(connecting: ENAMETOOLONG, path: path)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        try connect(to: &address, path, patience)
    }

    deinit {
        if number >= 0 { close(number) }
    }

    private func connect(to address: inout sockaddr_un, _ path: String, _ patience: Double) throws {
        let status = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                var status: CInt
                repeat {
                    status = Glibc.connect(number, address, socklen_t(MemoryLayout<sockaddr_un>.size))
                } while status != 0 && errno == EINTR
                return status
            }
        }
        guard status == 0 else { throw NFCClientError(connecting: errno, path: path, within: patience) }
    }
}

/// Wakes up a thread that waits in poll(2).
final class WakeUpPipe: Sendable {
    /// Is readable after a signal, until it is reset.
    let output: OpenDescriptor
    private let input: OpenDescriptor

    /// - Throws: `NFCClientError` where the process may open no more files.
    init(for path: String) throws {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { throw NFCClientError(connecting: errno, path: path) }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (output, input) = (OpenDescriptor(ends[0]), OpenDescriptor(ends[1]))
    }

    /// Has no effect where an earlier signal was not reset yet and the pipe is full.
    func signal() {
        _ = write(input.number, [1], 1)
    }

    func reset() {
        var bytes = [UInt8](repeating: 0, count: 64)
        _ = read(output.number, &bytes, bytes.count)
    }
}

/// A thread of its own for a function that blocks.
enum DetachedThread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    /// Starts a thread.
    ///
    /// - Parameter orFail: is called with the error code where the system has no thread left.
    static func run(_ body: @escaping @Sendable () -> Void, orFail: (CInt) -> Void) {
        let box = Unmanaged.passRetained(Body(body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { box in
                guard let box else { return nil }
                Unmanaged<Body>.fromOpaque(box).takeRetainedValue().run()
                return nil
            }, box.toOpaque())
        guard code == 0 else {
            box.release()
            return orFail(code)
        }
        pthread_detach(thread)
    }
}
