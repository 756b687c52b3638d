import ArgumentParser
import CommandSupport
import NDEF

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file that is there whole or not at all: its content is written beside it first.
struct SavedFile {
    let path: String
    /// Whether an existing file is replaced.
    let replaces: Bool

    /// The name in messages.
    var name: String { path.escaped }

    /// Checks that the file does not exist, before waiting for a tag.
    ///
    /// - Throws: `ExitCode` 73, after printing the reason.
    func check() throws {
        guard !replaces, access(path, F_OK) == 0 else { return }
        throw exists
    }

    /// Writes the file.
    ///
    /// - Throws: `ExitCode`, after printing the reason: 73 if the file cannot be created, 74 if it cannot be written.
    func write(_ bytes: [UInt8]) throws {
        var status = stat()
        let isThere = stat(path, &status) == 0
        if isThere, !replaces { throw exists }
        // A device or a pipe has no place beside it, and is not replaced.
        if isThere, status.st_mode & S_IFMT != S_IFREG { return try OutputFile(path: path).write(bytes) }
        let target = isThere ? resolved : path
        var template = Array("\(target).XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw cannotCreate(errno) }
        let temporary = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer {
            close(descriptor)
            unlink(temporary)
        }
        _ = fchmod(descriptor, isThere ? status.st_mode & 0o7777 : 0o666 & ~Self.mask())
        let buffer = OutputBuffer(descriptor: descriptor, name: name)
        try buffer.put(bytes)
        try buffer.flush()
        guard fsync(descriptor) == 0 else { throw failed(errno) }
        // A link is not created where a file has appeared in the meantime.
        guard (replaces ? rename(temporary, target) : link(temporary, target)) == 0 else {
            throw errno == EEXIST ? exists : cannotCreate(errno)
        }
    }

    /// The file behind a symbolic link, which stays.
    private var resolved: String {
        guard let found = realpath(path, nil) else { return path }
        defer { free(found) }
        return String(cString: found)
    }

    /// The bits that the user takes from new files; reading them sets them.
    private static func mask() -> mode_t {
        let mask = umask(0o077)
        umask(mask)
        return mask
    }

    private var exists: ExitCode {
        Terminal.error("nfcctl: cannot create \(name): it already exists; use --force to replace it")
        return .cannotCreate
    }

    private func cannotCreate(_ number: Int32) -> ExitCode {
        Terminal.error("nfcctl: cannot create \(name): \(errorMessage(number))")
        return .cannotCreate
    }

    private func failed(_ number: Int32) -> ExitCode {
        Terminal.error("nfcctl: cannot write to \(name): \(errorMessage(number))")
        return .ioError
    }
}
