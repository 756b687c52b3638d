#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Who can change a configuration file: whoever can write it can grant anything.
package enum ConfigurationOwnership {
    /// Refuses a file that users other than root and the daemon's own can write or replace: the file itself, its directory, and
    /// the directory of a symbolic link to it.
    package static func check(_ file: String) throws(ConfigurationError) {
        try check(file, named: file, "the file", isDirectory: false)
        try check(directory(of: file), named: file, "its directory", isDirectory: true)
        guard let target = resolved(file), target != file else { return }
        try check(directory(of: target), named: file, "its directory", isDirectory: true)
    }

    /// A file that cannot be examined is left to reading it.
    private static func check(
        _ path: String, named file: String, _ what: String, isDirectory: Bool
    ) throws(ConfigurationError) {
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        guard [0, geteuid()].contains(status.st_uid) else {
            throw ConfigurationError(
                file: file,
                "\(what) \(path) belongs to user \(status.st_uid), who can change it; run chown root \(path), or keep the"
                    + " configuration elsewhere")
        }
        // In a directory with the sticky bit, such as /tmp, a user cannot replace the files of others.
        let isProtected = isDirectory && status.st_mode & S_ISVTX != 0
        guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 || isProtected else {
            throw ConfigurationError(
                file: file, "\(what) \(path) can be written by other users; run chmod go-w \(path)")
        }
    }

    private static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func resolved(_ path: String) -> String? {
        guard let target = realpath(path, nil) else { return nil }
        defer { free(target) }
        return String(cString: target)
    }
}
