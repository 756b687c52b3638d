import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Read-only access to the files of a system. Nothing throws: the result for a missing or unreadable file is nil.
protocol SystemFiles: Sendable {
    /// The first `limit` bytes of a file.
    func bytes(_ path: String, limit: Int) -> [UInt8]?

    /// The names in a directory, sorted, at most ``maximumNames``.
    func names(in folder: String) -> [String]

    /// The last path component of a symbolic link's target.
    func linkedName(_ path: String) -> String?

    /// Whether this process may read a file or directory.
    func canRead(_ path: String) -> Bool

    /// Whether the path is a program that this process may execute.
    func canRun(_ path: String) -> Bool

    /// The owner and mode of a file.
    func attributes(_ path: String) -> FileAttributes?
}

/// The owner, mode and kind of a file.
struct FileAttributes: Sendable, Equatable {
    /// The permission bits (chmod(2)).
    let mode: UInt32
    let user: UInt32
    let group: UInt32
    let isFolder: Bool
}

extension SystemFiles {
    /// The maximum number of bytes that are read of a file.
    static var largestFile: Int { 1 << 20 }
    /// The maximum number of bytes that are read of a file of one word.
    static var longestWord: Int { 4096 }
    /// The maximum number of names that are returned for a directory.
    static var maximumNames: Int { 32_768 }

    /// Whether a file or directory exists and is visible to this process.
    func exists(_ path: String) -> Bool { attributes(path) != nil }

    /// The lines of a file that are not empty, without surrounding white space.
    func lines(_ path: String, limit: Int = Self.largestFile) -> [String] {
        (bytes(path, limit: limit) ?? []).split(separator: UInt8(ascii: "\n")).map {
            String(String(decoding: $0, as: UTF8.self).trimmed)
        }
    }

    /// Whether a text file contains a text.
    func contains(_ text: String, in path: String) -> Bool {
        let content = String(decoding: bytes(path, limit: Self.largestFile) ?? [], as: UTF8.self)
        return content.withCString { content in text.withCString { strstr(content, $0) != nil } }
    }

    /// The first line of a file of one line, such as those of sysfs.
    func word(_ path: String) -> String? {
        lines(path, limit: Self.longestWord).first.flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// The files of the machine that this process runs on.
struct MachineFiles: SystemFiles {
    func bytes(_ path: String, limit: Int) -> [UInt8]? {
        // O_NONBLOCK: opening a named pipe without a writer must not block.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while content.count < limit {
            let count = buffer.withUnsafeMutableBytes { readRetrying(descriptor, into: $0) }
            guard count > 0 else { return count == 0 ? content : nil }
            content += buffer.prefix(min(count, limit - content.count))
        }
        return content
    }

    func names(in folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.prefix(Self.maximumNames).sorted()
    }

    func linkedName(_ path: String) -> String? {
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
        return target?.split(separator: "/").last.map(String.init)
    }

    func canRead(_ path: String) -> Bool { access(path, R_OK) == 0 }

    func canRun(_ path: String) -> Bool { access(path, X_OK) == 0 && attributes(path)?.isFolder == false }

    func attributes(_ path: String) -> FileAttributes? {
        var info = stat()
        guard stat(path, &info) == 0 else { return nil }
        return FileAttributes(
            mode: info.st_mode & 0o7777, user: info.st_uid, group: info.st_gid,
            isFolder: info.st_mode & S_IFMT == S_IFDIR)
    }
}
