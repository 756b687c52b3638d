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
