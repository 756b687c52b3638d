import Cryptography
import FoundationEssentials
import NFCSessions
import ServiceSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The key of the site with which UIDs are hashed: 32 bytes in a file that only nfcd can read.
struct IdentifierKey: Sendable {
    static let length = 32
    /// The bytes of a hash that are kept.
    private static let hashLength = 16

    private let key: SecretBytes

    /// Why there is no key: what failed, on which file, and what to do.
    struct Failure: Error, Equatable, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    /// Reads the key; where the file does not exist, makes one.
    init(file: String) throws(Failure) {
        if access(file, F_OK) != 0, errno == ENOENT { try Self.make(file) }
        if let objection = Self.objection(to: file) { throw Failure("\(file) \(objection)") }
        guard var bytes = try? FileBytes.read(file, atMost: Self.length), bytes.count == Self.length else {
            throw Failure("\(file) cannot be read; run chown nfcd \(file), or restore the file")
        }
        key = SecretBytes(bytes)
        FileBytes.wipe(&bytes)
    }

    init(bytes: [UInt8]) { key = SecretBytes(bytes) }

    /// The first 16 bytes of an HMAC-SHA256.
    func hash(_ identifier: [UInt8]) -> [UInt8] {
        Array(HMACSHA256.code(of: identifier, key: key).prefix(Self.hashLength))
    }

    /// What is wrong with a file that exists, and what to do; nil where it can be the key.
    static func objection(to file: String) -> String? {
        var status = stat()
        guard stat(file, &status) == 0 else { return nil }
        guard status.st_mode & S_IFMT == S_IFREG else { return "is not a file; name a file of \(length) random bytes" }
        guard status.st_size == off_t(length) else {
            return "has \(status.st_size) bytes, not \(length); restore the key, or remove the file to get a new one"
        }
        guard status.st_mode & (S_IRWXG | S_IRWXO) == 0 else {
            return "can be read by other users; run chmod 600 \(file)"
        }
        return nil
    }

    /// Makes the file whole: it gets its name when it is on the disk, and never replaces another.
    private static func make(_ file: String) throws(Failure) {
        let folder = String(file[..<(file.lastIndex(of: "/") ?? file.startIndex)])
        // Where this fails, making the file fails with the cause.
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let draft = "\(file).new-\(getpid())"
        // Left by a process of this number that was killed.
        unlink(draft)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR)
        guard descriptor >= 0 else {
            throw Failure("\(file) cannot be made: \(String(cString: strerror(errno))); make its directory writable")
        }
        defer {
            close(descriptor)
            unlink(draft)
        }
        let key = SecretBytes(randomCount: length)
        // Where another nfcd was faster, its key is the one.
        guard key.withUnsafeBytes({ write(descriptor, $0.baseAddress, $0.count) }) == length, fsync(descriptor) == 0,
            link(draft, file) == 0 || errno == EEXIST
        else { throw Failure("\(file) cannot be written: \(String(cString: strerror(errno))); free space on its disk") }
        sync(folder: folder)
    }

    /// Writes the names in a folder to the disk.
    private static func sync(folder: String) {
        let descriptor = open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
