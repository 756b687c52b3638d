import FoundationEssentials
import NFCTypes
import ServiceSupport
import TagProofs
import Threading

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The records of tags that are set up: one file for each tag, named after its UID. They hold names and versions of keys, and no key.
///
/// A record gets its name when it is on the disk whole; where ``save(_:)`` returns, it survives a loss of power.
struct SetUpRecordFolder: SetUpRecords {
    /// The most bytes of a record.
    static let longest = 16_384

    /// What is done to save a record, in this order.
    enum Step: Sendable, Hashable, CaseIterable {
        case writeDraft, syncDraft, rename, syncFolder
    }

    /// Why there is no record: what failed, on which file, and what to do.
    struct Failure: Error, Equatable, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    /// Nil where the instance has no directory for it.
    private let path: String?
    private let before: @Sendable (Step) throws -> Void

    /// Records in a folder, which is made with the first one.
    ///
    /// - Parameters:
    ///   - path: the folder; nil where the instance has no directory for it.
    ///   - before: is called before each step of a save, which ends if it throws.
    init(_ path: String?, before: @escaping @Sendable (Step) throws -> Void = { _ in }) {
        (self.path, self.before) = (path, before)
    }

    func load(_ uid: [UInt8]) async throws -> SetUpRecord? {
        let file = try file(of: uid)
        return try await Self.blocking { try Self.read(file, uid) }
    }

    func save(_ record: SetUpRecord) async throws {
        let file = try file(of: record.uid)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let bytes = try [UInt8](encoder.encode(StoredRecord(record)))
        try await Self.blocking { [before] in
            // A broken record is the trace of something that nfcd does not know; a person decides.
            _ = try Self.read(file, record.uid)
            try Self.store(bytes, in: file, before)
        }
    }

    func remove(_ uid: [UInt8]) async throws {
        let file = try file(of: uid)
        try await Self.blocking {
            guard unlink(file) == 0 || errno == ENOENT else { throw Self.failure("removed", file) }
            try Self.syncFolder(of: file)
        }
    }

    private func file(of uid: [UInt8]) throws(Failure) -> String {
        guard let path else {
            throw Failure("HOME is not set, and path in [journal] of nfcd.toml neither; set one of them")
        }
        return "\(path)/\(Hexadecimal.string(uid)).json"
    }

    /// Runs a function that waits for the disk on a separate thread.
    private static func blocking<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            ThreadExecutor().run { continuation.resume(with: Result(catching: body)) }
        }
    }

    // MARK: Files

    private static func read(_ file: String, _ uid: [UInt8]) throws -> SetUpRecord? {
        guard access(file, F_OK) == 0 || errno != ENOENT else { return nil }
        let found: [UInt8]?
        do throws(FileBytes.Failure) { found = try FileBytes.read(file, atMost: longest) } catch {
            throw Failure("\(file) cannot be read: \(error.reason); make it readable for nfcd")
        }
        guard let found, let stored = try? JSONDecoder().decode(StoredRecord.self, from: Data(found)),
            stored.isKnown, stored.record.uid == uid
        else {
            throw Failure(
                "\(file) is broken, or of a newer nfcd, and stays as it is: restore it, or move it away; then the versions of the tag's keys"
                    + " are enough")
        }
        return stored.record
    }

    private static func store(_ bytes: [UInt8], in file: String, _ before: (Step) throws -> Void) throws {
        guard bytes.count <= longest else {
            throw Failure("a record of \(bytes.count) bytes is too long; shorten the names of keys")
        }
        try makeFolder(of: file)
        let draft = "\(file).new"
        // Left by an nfcd that was killed.
        unlink(draft)
        try before(.writeDraft)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR)
        guard descriptor >= 0 else { throw failure("made", draft) }
        defer { close(descriptor) }
        guard write(descriptor, bytes, bytes.count) == bytes.count else { throw failure("written", draft) }
        try before(.syncDraft)
        guard fsync(descriptor) == 0 else { throw failure("written", draft) }
        try before(.rename)
        guard rename(draft, file) == 0 else { throw failure("written", file) }
        try before(.syncFolder)
        try syncFolder(of: file)
    }

    private static func makeFolder(of file: String) throws {
        let folder = folder(of: file)
        guard access(folder, F_OK) != 0 else { return }
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw failure("made", folder)
        }
        try syncFolder(of: folder)
    }

    private static func syncFolder(of file: String) throws {
        let folder = folder(of: file)
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("opened", folder) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("written", folder) }
    }

    private static func folder(of file: String) -> String {
        let folder = file[..<(file.lastIndex(of: "/") ?? file.startIndex)]
        return folder.isEmpty ? "/" : String(folder)
    }

    private static func failure(_ verb: String, _ file: String) -> Failure {
        Failure(
            "\(file) cannot be \(verb): \(String(cString: strerror(errno))); make its directory writable for nfcd, or free space on its disk"
        )
    }
}

/// A record as its file has it.
private struct StoredRecord: Codable {
    private static let known = 1

    /// A file with another one is of another nfcd.
    let format: Int
    let record: SetUpRecord

    init(_ record: SetUpRecord) { (format, self.record) = (Self.known, record) }

    var isKnown: Bool { format == Self.known }
}
