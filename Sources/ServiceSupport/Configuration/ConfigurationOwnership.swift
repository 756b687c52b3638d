#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Who can change a configuration file: whoever can write it can grant anything.
package enum ConfigurationOwnership {
    private static let mostLinks = 40

    /// Refuses a file that users other than root and the daemon's own can write or replace: the file itself, every directory on the
    /// way to it, and every symbolic link.
    package static func check(_ file: String) throws(ConfigurationError) { try walk(to: file, includingFile: true) }

    /// Refuses a file that such users can replace by another; its own permissions are checked elsewhere.
    package static func checkWay(to file: String) throws(ConfigurationError) {
        try walk(to: file, includingFile: false)
    }

    /// Goes from the root to the file as the system does, and checks each step.
    private static func walk(to file: String, includingFile: Bool) throws(ConfigurationError) {
        var pending = ArraySlice(components(of: absolute(file)))
        var (current, links) = ([String](), 0)
        try check("/", named: file)
        while let next = pending.popFirst() {
            if next == ".." {
                _ = current.popLast()
                continue
            }
            let path = "/" + (current + [next]).joined(separator: "/")
            var status = stat()
            // What cannot be examined is left to reading it.
            guard lstat(path, &status) == 0 else { return }
            if status.st_mode & S_IFMT == S_IFLNK {
                links += 1
                guard links <= mostLinks, let target = target(of: path) else { return }
                try checkOwner(status, path, named: file, "the symbolic link")
                if target.hasPrefix("/") { current = [] }
                pending = components(of: target)[...] + pending
            } else {
                let isDirectory = status.st_mode & S_IFMT == S_IFDIR
                if isDirectory || includingFile { try check(path, named: file) }
                current.append(next)
            }
        }
    }

    private static func check(_ path: String, named file: String) throws(ConfigurationError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        let isDirectory = status.st_mode & S_IFMT == S_IFDIR
        let what = isDirectory ? "the directory" : "the file"
        try checkOwner(status, path, named: file, what)
        // In a directory with the sticky bit, such as /tmp, a user cannot replace the files of others.
        let isProtected = isDirectory && status.st_mode & S_ISVTX != 0
        guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 || isProtected else {
            throw ConfigurationError(
                file: file, "\(what) \(path) can be written by other users; run chmod go-w \(path)")
        }
    }

    private static func checkOwner(
        _ status: stat, _ path: String, named file: String, _ what: String
    ) throws(ConfigurationError) {
        guard ![0, geteuid()].contains(status.st_uid) else { return }
        throw ConfigurationError(
            file: file,
            "\(what) \(path) belongs to user \(status.st_uid), who can change it; run chown -h root \(path), or keep the"
                + " configuration elsewhere")
    }

    private static func components(of path: String) -> [String] {
        path.split(separator: "/").map(String.init).filter { $0 != "." }
    }

    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return "\(String(cString: folder))/\(path)"
    }

    private static func target(of link: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(link, &buffer, buffer.count)
        guard count > 0, count < buffer.count else { return nil }
        return String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
