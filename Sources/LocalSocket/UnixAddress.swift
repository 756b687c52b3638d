#if canImport(Glibc)
    package import Glibc
#elseif canImport(Musl)
    package import Musl
#endif

/// The address of a Unix socket (unix(7)).
package struct UnixAddress: Sendable {
    private static let header = MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: sockaddr_un().sun_path)

    private var address = sockaddr_un()
    private var length = socklen_t(MemoryLayout<sockaddr_un>.size)

    /// The address of a file; nil where the path is too long.
    package init?(path: String) {
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { space in
            guard path.utf8.count < space.count else { return false }
            space.copyBytes(from: path.utf8)
            return true
        }
        guard fits else { return nil }
    }

    /// The address of a file, or of an abstract name that begins with @; nil where the text is neither.
    package init?(pathOrName text: String) {
        let isName = text.utf8.first == UInt8(ascii: "@")
        guard isName || text.utf8.first == UInt8(ascii: "/") else { return nil }
        self.init(path: text)
        guard isName else { return }
        address.sun_path.0 = 0
        length = socklen_t(Self.header + text.utf8.count)
    }

    /// The path that a socket is bound to, or its abstract name with @ before it; empty where it has neither.
    package static func text(of socket: CInt) -> String {
        var address = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &length) }
        }
        guard code == 0, Int(length) > header else { return "" }
        let name = withUnsafeBytes(of: address.sun_path) { Array($0.prefix(Int(length) - header)) }
        guard name.first == 0 else { return String(decoding: name.prefix { $0 != 0 }, as: UTF8.self) }
        return "@" + String(decoding: name.dropFirst(), as: UTF8.self)
    }

    /// Connects a socket.
    ///
    /// - Returns: 0, or the code of errno(3).
    package func failure(connecting socket: CInt) -> CInt {
        withPointer { address, length in
            var status = connect(socket, address, length)
            while status != 0, errno == EINTR { status = connect(socket, address, length) }
            return status == 0 ? 0 : errno
        }
    }

    /// Calls a function with the form that the C library takes.
    package func withPointer<Value>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value {
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }
}
