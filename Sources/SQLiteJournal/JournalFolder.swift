#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The files of a journal and those beside it, by their paths.
///
/// The database is never opened here while SQLite has it open: closing another descriptor of a file drops its locks
/// (howtocorrupt.html, 2.2).
struct JournalFolder: Sendable {
    /// The path of the database.
    let path: String

    private static let damagedKept = 2
    private static let companions = ["", "-wal", "-shm"]

    private var folder: String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "." }
    private var name: String { path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path }

    /// The free space of the disk for this user, in bytes; nil where the system does not report it.
    var freeSpace: Int64? {
        var information = statvfs()
        guard statvfs(folder.isEmpty ? "/" : folder, &information) == 0 else { return nil }
        return Int64(
            clamping: UInt64(information.f_bavail).multipliedReportingOverflow(by: UInt64(information.f_frsize))
                .partialValue)
    }

    /// The size of the database file; nil where there is none.
    var fileSize: Int64? { size(path) }

    /// Makes the folder (0700) and the file (0600), where they are missing.
    func prepare() throws(FileFailure) {
        makeFolders(folder)
        close(try check(open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600), path))
        // The file of another user stays as it is: opening it shows whether it can be used.
        chmod(path, 0o600)
    }

    private func makeFolders(_ folder: String) {
        guard !folder.isEmpty, access(folder, F_OK) != 0 else { return }
        if let slash = folder.lastIndex(of: "/") { makeFolders(String(folder[..<slash])) }
        // Where this fails, opening the file in it fails with the cause.
        mkdir(folder, 0o700)
    }
}

// MARK: Whether the file is ours

extension JournalFolder {
    /// What the start of the file says.
    enum Kind {
        /// It is empty.
        case new
        /// It is a database, or may be one with its log.
        case database
        /// It is no database, has no log, and there is a sign that it was a journal.
        case damaged
        /// It is something else.
        case foreign
    }

    /// Reads the header of the file (fileformat2.html, 1.3). Not while SQLite has it open.
    func kind(applicationID: Int32, wasJournal: Bool) throws(FileFailure) -> Kind {
        let header = try start(count: 100)
        if header.isEmpty { return .new }
        let magic = Array("SQLite format 3\0".utf8)
        if header.count == 100, header.starts(with: magic) { return .database }
        let id = header.count >= 72 ? header[68..<72].reduce(0) { $0 << 8 | UInt32($1) } : 0
        let isOurs = wasJournal || id == UInt32(bitPattern: applicationID)
        guard isOurs else { return .foreign }
        // A power cut in a checkpoint can tear the first page while the log has it: SQLite recovers it, or reports what is damaged.
        return (size(path + "-wal") ?? 0) > 0 ? .database : .damaged
    }

    private func start(count: Int) throws(FileFailure) -> [UInt8] {
        let file = try check(open(path, O_RDONLY | O_CLOEXEC), path)
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: count)
        let read = bytes.withUnsafeMutableBytes { pread(file, $0.baseAddress, count, 0) }
        guard read >= 0 else { throw FileFailure(errno, path) }
        return Array(bytes.prefix(read))
    }
}

// MARK: Damaged journals

extension JournalFolder {
    /// The damaged journals beside this one, the oldest first.
    var damaged: [String] {
        guard let stream = opendir(folder.isEmpty ? "/" : folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let entryName = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            let isMain = !entryName.hasSuffix("-wal") && !entryName.hasSuffix("-shm")
            if entryName.hasPrefix(name + ".corrupt-"), isMain { names.append(entryName) }
        }
        return names.sorted().map { folder + "/" + $0 }
    }

    /// Renames the database and what belongs to it, and deletes all but the newest damaged journals.
    ///
    /// - Parameter milliseconds: since 1970; part of the new name.
    /// - Returns: the new path.
    func moveAside(milliseconds: Int64) throws(FileFailure) -> String {
        let stem = path + ".corrupt-" + Self.timestamp(milliseconds)
        let target =
            (0..<100).map { $0 == 0 ? stem : "\(stem).\($0 < 10 ? "0" : "")\($0)" }.first { access($0, F_OK) != 0 }
            ?? stem
        for companion in Self.companions where access(path + companion, F_OK) == 0 {
            guard rename(path + companion, target + companion) == 0 else { throw FileFailure(errno, path + companion) }
        }
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

// MARK: Reserve

extension JournalFolder {
    private var reservePath: String { path + ".reserve" }

    /// Whether the space is reserved.
    var hasReserve: Bool { access(reservePath, F_OK) == 0 }

    /// Takes space from the disk, to be given up when it is full.
    func makeReserve(bytes: Int64) {
        guard bytes > 0, !hasReserve else { return }
        let file = open(reservePath, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        let result = posix_fallocate(file, 0, off_t(bytes))
        close(file)
        if result != 0 { unlink(reservePath) }
    }

    /// Gives the space back.
    func giveUpReserve() {
        unlink(reservePath)
    }

    private func size(_ path: String) -> Int64? {
        var information = stat()
        return stat(path, &information) == 0 ? Int64(information.st_size) : nil
    }

    private func check(_ descriptor: Int32, _ path: String) throws(FileFailure) -> Int32 {
        guard descriptor >= 0 else { throw FileFailure(errno, path) }
        return descriptor
    }
}

/// Why a file could not be used.
struct FileFailure: Error, CustomStringConvertible {
    let code: Int32
    let path: String

    init(_ code: Int32, _ path: String) {
        (self.code, self.path) = (code, path)
    }

    var description: String { "\(path): \(String(cString: strerror(code)))" }
}

/// The lock that only one journal of a path can have. The file stays; the lock ends with the process at the latest.
///
/// Text in it shows that there was a journal at that path, also where its first bytes are damaged.
final class JournalLock: Sendable {
    private let descriptor: Int32
    /// Whether there was a journal before.
    let wasJournal: Bool

    /// Takes the lock; nil where another journal has it.
    init?(path: String) throws(FileFailure) {
        let path = path + ".lock"
        descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileFailure(errno, path) }
        wasJournal = lseek(descriptor, 0, SEEK_END) > 0
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
    }

    deinit {
        close(descriptor)
    }

    /// Notes that there is a journal.
    func mark() {
        guard !wasJournal else { return }
        _ = pwrite(descriptor, "journal\n", 8, 0)
        // After a power cut, this may be all that shows it.
        fsync(descriptor)
    }
}
