#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Ends the wait of a thread that polls descriptors.
final class WakeUp: Sendable {
    /// Readable once `signal` was called, until `clear`; -1 where the process has no descriptor left, and then the thread wakes up at
    /// its next tick.
    let descriptor: Int32
    private let writer: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        _ = socketpair(AF_UNIX, kind, 0, &ends)
        (descriptor, writer) = (ends[0], ends[1])
    }

    deinit {
        for end in [descriptor, writer] where end >= 0 { close(end) }
    }

    func signal() {
        var byte: UInt8 = 1
        _ = send(writer, &byte, 1, Int32(MSG_NOSIGNAL))
    }

    func clear() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while recv(descriptor, &bytes, bytes.count, 0) == bytes.count {}
    }
}
