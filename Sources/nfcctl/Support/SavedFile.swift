import ArgumentParser
import CommandSupport
import NDEF
import ServiceSupport

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

    /// Checks that the file does not exist, and that its folder takes files, before waiting for a tag.
    ///
    /// - Throws: `ExitCode` 73, after printing the reason.
    func check() throws {
        // A symbolic link to nothing is a file that exists, too.
        var named = stat()
        if !replaces, lstat(path, &named) == 0 { throw exists }
        guard let place = try place() else { return }
        guard access(FolderPath.folder(of: place.target), W_OK | X_OK) == 0 else { throw cannotCreate(errno) }
    }

    /// Creates the draft of a file whose content comes later. It is removed unless the file is finished.
    ///
    /// - Throws: `ExitCode` 73, after printing the reason.
    func begin() throws -> BegunFile {
        try check()
        return BegunFile(file: self, draft: try draft())
    }

    /// Writes the file.
    ///
    /// - Throws: `ExitCode`, after printing the reason: 73 if the file cannot be created, 74 if it cannot be written.
    func write(_ bytes: [UInt8]) throws {
        guard let draft = try draft() else { return try OutputFile(path: path).write(bytes) }
        try write(bytes, to: draft)
    }

    private func write(_ bytes: [UInt8], to draft: Draft) throws {
        try draft.buffer.put(bytes)
        try draft.buffer.flush()
        try publish(draft)
    }

    /// A file whose content comes at the end of a long time.
    struct BegunFile {
        fileprivate let file: SavedFile
        /// Nil for a device or a pipe.
        fileprivate let draft: Draft?

        /// Writes the file. Where that fails, the draft stays, and is named.
        ///
        /// - Throws: as ``SavedFile/write(_:)``.
        func finish(_ bytes: [UInt8]) throws {
            guard let draft else { return try OutputFile(path: file.path).write(bytes) }
            do {
                try file.write(bytes, to: draft)
            } catch {
                draft.keep()
                Terminal.error("nfcctl: what could be written is in \(draft.temporary.escaped)")
                throw error
            }
        }
    }

    /// Runs `body` with a buffer in front of the file. Where it fails, the file is as it was before; where it is cancelled, the file
    /// has what was flushed.
    ///
    /// - Throws: as ``write(_:)``, and what `body` throws.
    func withBuffer<Value>(_ body: (OutputBuffer) async throws -> Value) async throws -> Value {
        guard let draft = try draft() else { return try await OutputFile(path: path).withBuffer(body) }
        do {
            let value = try await body(draft.buffer)
            try draft.buffer.flush()
            try publish(draft)
            return value
        } catch let error as CancellationError {
            if !draft.isEmpty { try publish(draft) }
            throw error
        }
    }

    /// A file beside the target, which it becomes.
    fileprivate final class Draft {
        let target: String
        let buffer: OutputBuffer
        private let descriptor: Int32
        let temporary: String
        private var isKept = false

        /// - Returns: nil, with the reason in errno(3).
        init?(beside target: String, name: String, mode: mode_t) {
            var template = Array("\(target).XXXXXX".utf8CString)
            descriptor = mkstemp(&template)
            guard descriptor >= 0 else { return nil }
            temporary = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            buffer = OutputBuffer(descriptor: descriptor, name: name)
            self.target = target
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            _ = fchmod(descriptor, mode)
        }

        deinit {
            guard descriptor >= 0 else { return }
            close(descriptor)
            if !isKept { unlink(temporary) }
        }

        func keep() { isKept = true }

        var isEmpty: Bool {
            var status = stat()
            return fstat(descriptor, &status) == 0 && status.st_size == 0
        }

        func sync() -> Bool { fsync(descriptor) == 0 }

        /// Takes the place of the target; a file that has appeared in the meantime only if that is replaced.
        func move(replaces: Bool) -> Bool {
            if replaces { return rename(temporary, target) == 0 }
            return link(temporary, target) == 0 || errno != EEXIST && moveWithoutLink()
        }

        /// The same on a file system without hard links, such as FAT: takes the place of an empty file that it has created itself.
        private func moveWithoutLink() -> Bool {
            let reserved = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard reserved >= 0 else { return false }
            close(reserved)
            guard rename(temporary, target) != 0 else { return true }
            let number = errno
            unlink(target)
            errno = number
            return false
        }
    }

    /// Where the file comes to be.
    private struct Place {
        /// The path behind a symbolic link.
        let target: String
        let mode: mode_t
    }

    /// - Returns: nil for a device or a pipe, which has no place beside it and is not replaced.
    private func place() throws -> Place? {
        var status = stat()
        guard stat(path, &status) == 0 else { return Place(target: path, mode: 0o666 & ~Self.mask()) }
        guard replaces else { throw exists }
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Place(target: resolved, mode: status.st_mode & 0o7777)
    }

    /// - Returns: nil for a device or a pipe.
    private func draft() throws -> Draft? {
        guard let place = try place() else { return nil }
        guard let draft = Draft(beside: place.target, name: name, mode: place.mode) else { throw cannotCreate(errno) }
        return draft
    }

    private func publish(_ draft: Draft) throws {
        guard draft.sync() else { throw failed(errno) }
        guard draft.move(replaces: replaces) else { throw errno == EEXIST ? exists : cannotCreate(errno) }
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
