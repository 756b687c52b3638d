import Glibc

/// Plain calls of the C library on Unix sockets.
package enum UnixSocket {
    package struct Failure: Error {
        package let step: String
        package let code = errno

        package init(step: String) {
            self.step = step
        }
    }

    /// A socket that is connected to a path.
    package static func connected(to path: String) throws -> Int32 {
        let descriptor = try make()
        guard withAddress(path, { Glibc.connect(descriptor, $0, $1) }) == 0 else {
            defer { close(descriptor) }
            throw Failure(step: "connect")
        }
        return descriptor
    }

    /// A socket that is bound to a path; `listening` false leaves what a daemon that crashed leaves behind.
    package static func bound(to path: String, listening: Bool = true) throws -> Int32 {
        let descriptor = try make()
        guard withAddress(path, { bind(descriptor, $0, $1) }) == 0, !listening || listen(descriptor, 8) == 0 else {
            defer { close(descriptor) }
            throw Failure(step: "bind")
        }
        return descriptor
    }

    /// Writes everything. False: the other end is gone.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let count = send(descriptor, part.baseAddress, part.count, Int32(MSG_NOSIGNAL))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    /// Waits for some bytes; none: the other end is gone.
    package static func read(from descriptor: Int32) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            var got = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            while got < 0, errno == EINTR { got = recv(descriptor, buffer.baseAddress, buffer.count, 0) }
            count = max(got, 0)
        }
    }

    private static func make() throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(step: "socket") }
        return descriptor
    }

    private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

/// Closes a socket once it is no longer used; earlier, its number could be reused for another file.
package final class OpenSocket: Sendable {
    package let descriptor: Int32

    package init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }
}
