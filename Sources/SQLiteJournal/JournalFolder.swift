import SQLite
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The folder of a journal, by the path of its database.
struct JournalFolder: Sendable {
    /// The database.
    let file: DatabaseFile

    private var folder: String { file.folder }
    private var path: String { file.path }

    /// The folder of a database.
    init(path: String) {
        file = DatabaseFile(path: path)
    }

    /// The free space of the disk for this user, in bytes; nil where the system does not report it.
    var freeSpace: Int64? {
        var information = statvfs()
        guard statvfs(folder.isEmpty ? "/" : folder, &information) == 0 else { return nil }
        return Int64(
            clamping: UInt64(information.f_bavail).multipliedReportingOverflow(by: UInt64(information.f_frsize))
                .partialValue)
    }

    /// Makes the folder (0700), where it is missing.
    func make() {
        makeFolders(folder)
    }

    /// Makes the file (0600), where it is missing. A file that exists is not touched, nor one that a link names.
    func makeFile() throws(FileFailure) {
        guard file.size == nil else { return }
        close(try check(open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600), path))
    }

    /// Takes the permissions of others from the file, once it is known to be a journal.
    func protect() { chmod(path, 0o600) }

    private func makeFolders(_ folder: String) {
        guard !folder.isEmpty, access(folder, F_OK) != 0 else { return }
        if let slash = folder.lastIndex(of: "/") { makeFolders(String(folder[..<slash])) }
        // Where this fails, opening the file in it fails with the cause.
        mkdir(folder, 0o700)
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

    private func check(_ descriptor: Int32, _ path: String) throws(FileFailure) -> Int32 {
        guard descriptor >= 0 else { throw FileFailure(errno, path) }
        return descriptor
    }
}

/// The lock that only one journal of a path can have. The file stays; the lock ends with the process at the latest.
///
/// Text in it shows that there was a journal at that path, also where its first bytes are damaged, and how many counters it had.
final class JournalLock: Sendable {
    private let descriptor: Int32
    /// What was noted of the journal before; nil if there was none.
    let mark: JournalMark?
    private let noted = Mutex<JournalMark?>(nil)

    /// Takes the lock; nil where another journal has it.
    init?(path: String) throws(FileFailure) {
        let path = path + ".lock"
        descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw FileFailure(errno, path) }
        mark = JournalMark(of: descriptor)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
    }

    deinit {
        close(descriptor)
    }

    /// Notes that there is a journal, and how many counters it has stored.
    func note(_ mark: JournalMark) {
        let isNew = noted.withLock { noted in
            defer { noted = mark }
            return noted != mark
        }
        guard isNew else { return }
        let text = Array(mark.text.utf8)
        _ = pwrite(descriptor, text, text.count, 0)
        // After a power cut, this may be all that shows it.
        if self.mark == nil { fsync(descriptor) }
    }
}

/// What is noted beside a journal, so that an older copy of it is recognised.
struct JournalMark: Sendable, Equatable {
    private static let first = "journal"

    /// The epoch of the journal; empty if an older nfcd noted it.
    let epoch: String
    /// How many counters it had stored.
    let counters: Int64

    init(epoch: String, counters: Int64) {
        self.epoch = epoch
        self.counters = counters
    }

    /// What a file says; nil if it is empty.
    fileprivate init?(of descriptor: Int32) {
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        let lines = String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n")
        let isWhole = lines.count == 3 && lines[0] == Self.first
        self.init(
            epoch: isWhole ? String(lines[1]) : "", counters: isWhole ? Int64(lines[2]).map { max(0, $0) } ?? 0 : 0)
    }

    /// Whether a journal lacks counters that were stored.
    func isAhead(of epoch: String, counters: Int64) -> Bool {
        !self.epoch.isEmpty && self.counters > (self.epoch == epoch ? counters : 0)
    }

    /// Always of the same length, so that a longer text never shows through.
    fileprivate var text: String {
        let digits = String(counters)
        return "\(Self.first)\n\(epoch)\n\(String(repeating: "0", count: 19 - digits.count))\(digits)\n"
    }
}
