import Crypto
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

    private let key: SymmetricKey

    /// Why there is no key: what failed, on which file, and what to do.
    struct Failure: Error, Equatable, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    /// Reads the key; where the file does not exist, makes one.
    init(file: String) throws(Failure) {
        if access(file, F_OK) != 0, errno == ENOENT { try Self.make(file) }
        if let objection = Self.objection(to: file) { throw Failure("\(file) \(objection)") }
        guard let bytes = try? Data(contentsOf: URL(filePath: file)), bytes.count == Self.length else {
            throw Failure("\(file) cannot be read; run chown nfcd \(file), or restore the file")
        }
        key = SymmetricKey(data: bytes)
    }

    init(bytes: [UInt8]) { key = SymmetricKey(data: bytes) }

    /// The first 16 bytes of an HMAC-SHA256.
    func hash(_ identifier: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: identifier, using: key).prefix(Self.hashLength))
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

    private static func make(_ file: String) throws(Failure) {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let folder = String(file[..<(file.lastIndex(of: "/") ?? file.startIndex)])
        // Where this fails, making the file fails with the cause.
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR)
        guard descriptor >= 0 else {
            throw Failure("\(file) cannot be made: \(String(cString: strerror(errno))); make its directory writable")
        }
        defer { close(descriptor) }
        guard write(descriptor, bytes, length) == length, fsync(descriptor) == 0 else {
            let reason = String(cString: strerror(errno))
            unlink(file)
            throw Failure("\(file) cannot be written: \(reason); free space on its disk")
        }
    }
}
