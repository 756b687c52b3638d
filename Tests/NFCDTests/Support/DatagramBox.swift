import Glibc

/// A Unix socket that takes datagrams, in a folder of its own.
final class DatagramBox: Sendable {
    let path: String
    private let folder: String
    private let descriptor: Int32

    struct Failure: Error {}

    init() throws {
        var template = Array("/tmp/nfcd-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure() }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        path = "\(folder)/box"
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard code == 0 else { throw Failure() }
    }

    deinit {
        close(descriptor)
        unlink(path)
        rmdir(folder)
    }

    /// The next datagram that has come; nil: there is none.
    func next() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 256 * 1024)
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        return count < 0 ? nil : Array(buffer.prefix(count))
    }

    /// The next datagram as text.
    func nextText() -> String? { next().map { String(decoding: $0, as: UTF8.self) } }
}
