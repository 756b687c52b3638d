#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The file of a database and the files that SQLite keeps beside it, by their paths.
///
/// A program judges its file here before SQLite opens it: a file that another program or a person left at the path is not
/// replaced, and a damaged one is kept. None of this while SQLite has the file open in this process: closing another descriptor of a
/// file drops its locks (howtocorrupt.html, 2.2).
package struct DatabaseFile: Sendable {
    /// The path of the database.
    package let path: String

    private static let damagedKept = 2
    private static let companions = ["", "-wal", "-shm"]

    /// A file that may not exist yet.
    package init(path: String) {
        self.path = path
    }

    /// The folder of the file.
    package var folder: String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "." }
    private var name: String { path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path }

    /// The size of the file in bytes; nil if there is no file.
    package var size: Int64? { Self.size(path) }
    private var hasLog: Bool { (Self.size(path + "-wal") ?? 0) > 0 }

    private static func size(_ path: String) -> Int64? {
        var information = stat()
        return stat(path, &information) == 0 ? Int64(information.st_size) : nil
    }
}

// MARK: Where the file is

extension DatabaseFile {
    /// Whether the file really is below a folder, whatever links and `..` the two paths have. Neither has to exist.
    package func isInside(_ folder: String) -> Bool {
        guard let folder = Self.resolved(folder), let file = Self.resolved(path) else { return false }
        return file.hasPrefix(folder == "/" ? folder : folder + "/")
    }

    /// A path without links and dots. What does not exist is taken as it is.
    ///
    /// - Returns: nil for a path that the system would not find: a link to nothing, or `..` behind a folder that does not exist.
    private static func resolved(_ path: String) -> String? {
        if let real = realpath(path, nil) {
            defer { free(real) }
            return String(cString: real)
        }
        var information = stat()
        guard errno == ENOENT, lstat(path, &information) != 0, let slash = path.lastIndex(of: "/") else { return nil }
        let (parent, name) = (path[..<slash], path[path.index(after: slash)...])
        guard name != "..", let folder = resolved(parent.isEmpty ? "/" : String(parent)) else { return nil }
        if name.isEmpty || name == "." { return folder }
        return folder == "/" ? "/\(name)" : "\(folder)/\(name)"
    }
}

// MARK: What the file is

extension DatabaseFile {
    /// What can be seen of a file before SQLite opens it.
    package enum Kind: Sendable, Hashable {
        /// There is no file, or an empty one that never was a database.
        case new
        /// It is a database, or may be one with its log.
        ///
        /// - Parameter isOurs: whether it may be moved aside where SQLite finds it damaged.
        case database(isOurs: Bool)
        /// It is damaged, SQLite cannot recover it, and it is this program's.
        case damaged
        /// It is something else, and stays.
        case foreign
        /// It is the database of another program, and stays.
        case foreignDatabase
    }

    /// Reads the header of the file (fileformat2.html, 1.3).
    ///
    /// - Parameters:
    ///   - applicationID: that of this program's files.
    ///   - isInOwnFolder: whether no other program keeps its files in that folder.
    ///   - wasDatabase: whether this program had a database at that path before.
    package func kind(
        applicationID: Int32, isInOwnFolder: Bool, wasDatabase: Bool
    ) throws(FileFailure) -> Kind {
        guard let size else { return try kindWithoutFile(isOurs: isInOwnFolder || wasDatabase) }
        let header = try start(count: 100)
        let id = header.count >= 72 ? header[68..<72].reduce(0) { $0 << 8 | UInt32($1) } : 0
        let isOurs = isInOwnFolder || wasDatabase || id == UInt32(bitPattern: applicationID)
        if header.isEmpty {
            // SQLite deletes the log of an empty file, with everything that was stored last.
            if hasLog { return isOurs ? .damaged : .foreign }
            return wasDatabase ? .damaged : .new
        }
        // A power cut in a checkpoint can tear a page while the log has it: SQLite recovers it, or reports what is damaged.
        if isOurs, hasLog { return .database(isOurs: true) }
        guard header.count == 100, header.starts(with: Array("SQLite format 3\0".utf8)) else {
            return isOurs ? .damaged : .foreign
        }
        // SQLite reads the missing end of a page as zeros, and finds nothing wrong with them in the middle of a value.
        let pageSize = Int64(header[16]) << 8 | Int64(header[17] == 1 && header[16] == 0 ? 0 : header[17])
        let isWhole = size % (pageSize == 0 ? 65_536 : pageSize) == 0
        if isOurs { return isWhole ? .database(isOurs: true) : .damaged }
        // Its header names another program, or it has tables of one that gives no name: it is not opened, which could change it.
        let isEmpty = id == 0 && size <= (pageSize == 0 ? 65_536 : pageSize)
        return isEmpty ? .database(isOurs: false) : .foreignDatabase
    }

    /// SQLite deletes a log without its database.
    private func kindWithoutFile(isOurs: Bool) throws(FileFailure) -> Kind {
        guard errno == ENOENT else { throw FileFailure(errno, path) }
        guard hasLog else { return .new }
        return isOurs ? .damaged : .foreign
    }

    private func start(count: Int) throws(FileFailure) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw FileFailure(errno, path) }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: count)
        let read = bytes.withUnsafeMutableBytes { pread(file, $0.baseAddress, count, 0) }
        guard read >= 0 else { throw FileFailure(errno, path) }
        return Array(bytes.prefix(read))
    }
}

// MARK: Damaged files

extension DatabaseFile {
    /// The damaged files beside this one, the oldest first.
    package var damaged: [String] {
        guard let stream = opendir(folder.isEmpty ? "/" : folder) else { return [] }
        defer { closedir(stream) }
        var names: Set<String> = []
        while let entry = readdir(stream) {
            let entryName = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard entryName.hasPrefix(name + ".corrupt-") else { continue }
            let companion = Self.companions.dropFirst().first { entryName.hasSuffix($0) }
            names.insert(String(entryName.dropLast(companion?.count ?? 0)))
        }
        return names.sorted().map { folder + "/" + $0 }
    }

    /// Renames the database and what belongs to it, and deletes all but the newest damaged files.
    ///
    /// - Parameter milliseconds: since 1970; part of the new name.
    /// - Returns: the new path.
    package func moveAside(milliseconds: Int64) throws(FileFailure) -> String {
        let hasContent = (size ?? 0) > 0 || hasLog
        let stem = path + ".corrupt-" + Self.timestamp(milliseconds)
        let target =
            (0..<100).map { $0 == 0 ? stem : "\(stem).\($0 < 10 ? "0" : "")\($0)" }.first { name in
                Self.companions.allSatisfy { access(name + $0, F_OK) != 0 }
            } ?? stem
        for companion in Self.companions where access(path + companion, F_OK) == 0 {
            guard rename(path + companion, target + companion) == 0 else { throw FileFailure(errno, path + companion) }
        }
        // An empty file takes no place from those that can be recovered.
        guard hasContent else { return target }
        for old in damaged.dropLast(Self.damagedKept) {
            for companion in Self.companions { unlink(old + companion) }
        }
        return target
    }

    private static func timestamp(_ milliseconds: Int64) -> String {
        var seconds = time_t(milliseconds / 1000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 32)
        let count = strftime(&text, text.count, "%Y%m%dT%H%M%SZ", &parts)
        return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// Why a file could not be used.
package struct FileFailure: Error, Sendable, CustomStringConvertible {
    /// The system's number of the error.
    package let code: Int32
    /// The path of the file.
    package let path: String

    /// A failure.
    package init(_ code: Int32, _ path: String) {
        (self.code, self.path) = (code, path)
    }

    package var description: String { "\(path): \(String(cString: strerror(code)))" }
}
