import Glibc
import TestSupport

/// A folder for sockets, with a path that is short enough for them. It goes when it is let go of.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        var template = Array("\(P_tmpdir)/nfcd-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw UnixSocket.Failure(step: "mkdtemp") }
        path = template.withUnsafeBufferPointer { String(decoding: $0.dropLast().map(UInt8.init), as: UTF8.self) }
    }

    deinit {
        remove(path)
    }

    /// The path of a file in it.
    func file(_ name: String) -> String { "\(path)/\(name)" }

    private func remove(_ path: String) {
        if let directory = opendir(path) {
            var names: [String] = []
            while let entry = readdir(directory) {
                names.append(
                    withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
                )
            }
            closedir(directory)
            for name in names where name != "." && name != ".." { remove("\(path)/\(name)") }
        }
        _ = Glibc.remove(path)
    }
}
