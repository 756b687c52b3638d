import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The files of a system, to be looked at. Nothing here fails loudly: what is not there or may not be read is nil.
protocol SystemTree: Sendable {
    /// A file's content, up to `limit` bytes of it.
    func bytes(_ path: String, limit: Int) -> [UInt8]?

    /// The names in a folder, in order, up to ``mostNames``.
    func names(in folder: String) -> [String]

    /// The last part of where a symbolic link leads.
    func linkedName(_ path: String) -> String?

    /// Whether we may read a file or folder.
    func canRead(_ path: String) -> Bool

    /// Whether it is a program that we may run.
    func canRun(_ path: String) -> Bool

    /// Owner and mode.
    func facts(_ path: String) -> FileFacts?
}

/// What the file system says about a file.
struct FileFacts: Sendable, Equatable {
    /// The permission bits (chmod(2)).
    let mode: UInt32
    let user: UInt32
    let group: UInt32
    let isFolder: Bool
}

extension SystemTree {
    /// The most that is read of a file, in bytes.
    static var largestFile: Int { 1 << 20 }
    /// The most that is read of a file of one word, in bytes.
    static var longestWord: Int { 4096 }
    /// The most names that are taken from a folder.
    static var mostNames: Int { 32_768 }

    /// Whether there is such a file or folder, as far as we may see.
    func exists(_ path: String) -> Bool { facts(path) != nil }

    /// The lines of a file that have anything in them, without white space around them.
    func lines(_ path: String, limit: Int = Self.largestFile) -> [String] {
        (bytes(path, limit: limit) ?? []).split(separator: UInt8(ascii: "\n")).map {
            String(String(decoding: $0, as: UTF8.self).trimmed)
        }
    }

    /// Whether a text stands somewhere in a file of text.
    func contains(_ text: String, in path: String) -> Bool {
        let content = String(decoding: bytes(path, limit: Self.largestFile) ?? [], as: UTF8.self)
        return content.withCString { content in text.withCString { strstr(content, $0) != nil } }
    }

    /// The first line of a file of one line, such as those of sysfs.
    func word(_ path: String) -> String? {
        lines(path, limit: Self.longestWord).first.flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension StringProtocol {
    /// Without white space at its ends.
    var trimmed: SubSequence {
        let start = self.drop { $0.isWhitespace }
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return start }
        return start[...end]
    }
}

/// The files of the machine that this runs on.
struct MachineFiles: SystemTree {
    func bytes(_ path: String, limit: Int) -> [UInt8]? {
        // A named pipe that nobody writes to must not hold us.
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
        return names.prefix(Self.mostNames).sorted()
    }

    func linkedName(_ path: String) -> String? {
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
        return target?.split(separator: "/").last.map(String.init)
    }

    func canRead(_ path: String) -> Bool { access(path, R_OK) == 0 }

    func canRun(_ path: String) -> Bool { access(path, X_OK) == 0 && facts(path)?.isFolder == false }

    func facts(_ path: String) -> FileFacts? {
        var info = stat()
        guard stat(path, &info) == 0 else { return nil }
        return FileFacts(
            mode: info.st_mode & 0o7777, user: info.st_uid, group: info.st_gid,
            isFolder: info.st_mode & S_IFMT == S_IFDIR)
    }
}
