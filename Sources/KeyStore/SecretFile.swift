import Cryptography
import ServiceSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file with secrets: read into memory for secrets, and only where no other user could read or replace it.
enum SecretFile {
    /// The longest file.
    static let longest = 1024 * 1024

    /// Reads a file.
    ///
    /// - Parameter isCredential: whether systemd passed it: then its permissions are systemd's.
    /// - Throws: ``ConfigurationError`` with the file and what to do.
    static func read(_ file: String, isCredential: Bool = false) throws(ConfigurationError) -> SecretBytes {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (isCredential ? 0 : O_NOFOLLOW))
        guard descriptor >= 0 else { throw failure(file, errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw ConfigurationError(file: file, "is not a file")
        }
        if !isCredential { try check(file, status) }
        guard status.st_size <= off_t(longest) else { throw ConfigurationError(file: file, "is longer than 1 MiB") }
        return try bytes(descriptor, Int(status.st_size), file)
    }

    private static func check(_ file: String, _ status: stat) throws(ConfigurationError) {
        guard status.st_mode & (S_IRWXG | S_IRWXO) == 0 else {
            throw ConfigurationError(file: file, "other users could read or write it; run chmod 600 \(file)")
        }
        try ConfigurationOwnership.check(file)
    }

    private static func bytes(_ descriptor: Int32, _ count: Int, _ file: String) throws(ConfigurationError)
        -> SecretBytes
    {
        try SecretBytes(count: count) { memory throws(ConfigurationError) in
            var position = 0
            while position < count {
                let got = pread(
                    descriptor, memory.baseAddress?.advanced(by: position), count - position, off_t(position))
                if got < 0, errno == EINTR { continue }
                guard got > 0 else {
                    throw got < 0
                        ? failure(file, errno)
                        : ConfigurationError(file: file, "was changed while it was read; try again")
                }
                position += got
            }
        }
    }

    private static func failure(_ file: String, _ code: Int32) -> ConfigurationError {
        let advice = code == ELOOP ? "it is a symbolic link; name the file itself" : String(cString: strerror(code))
        return ConfigurationError(file: file, "cannot be read: \(advice)")
    }

    /// Replaces a file by new bytes, on the disk before its name changes, or makes one (0600). Its owner stays.
    static func write(_ parts: [SecretBytes], to file: String) throws(ConfigurationError) {
        let draft = "\(file).new-\(getpid())"
        unlink(draft)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            let code = errno
            guard code == ENOENT else {
                throw ConfigurationError(file: file, "cannot be written: \(String(cString: strerror(code)))")
            }
            let folder = FolderPath.folder(of: file)
            throw ConfigurationError(
                file: file, "cannot be written: there is no folder \(folder); make it with mkdir \(folder)")
        }
        defer {
            close(descriptor)
            unlink(draft)
        }
        var status = stat()
        if stat(file, &status) == 0 { fchown(descriptor, status.st_uid, status.st_gid) }
        for part in parts {
            let written = part.withUnsafeBytes { Self.write($0, to: descriptor) }
            guard written else {
                throw ConfigurationError(file: file, "cannot be written: \(String(cString: strerror(errno)))")
            }
        }
        guard fsync(descriptor) == 0, rename(draft, file) == 0 else {
            throw ConfigurationError(file: file, "cannot be replaced: \(String(cString: strerror(errno)))")
        }
        sync(folderOf: file)
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            #if canImport(Glibc)
                let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            #else
                let count = Musl.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            #endif
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Makes the folder of a file, if only that is missing.
    static func makeFolder(of file: String) throws(ConfigurationError) {
        let folder = FolderPath.folder(of: file)
        // The mode of mkdir is cut by the umask.
        if mkdir(folder, 0o755) == 0 {
            chmod(folder, 0o755)
        } else if errno != EEXIST {
            throw ConfigurationError(
                file: file, "the folder \(folder) cannot be made: \(String(cString: strerror(errno)))")
        }
    }

    private static func sync(folderOf file: String) {
        let descriptor = open(FolderPath.folder(of: file), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
