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
        guard let draft = try draft() else { return try OutputFile(path: path).write(bytes) }
        try draft.buffer.put(bytes)
        try draft.buffer.flush()
        try publish(draft)
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
    private final class Draft {
        let target: String
        let buffer: OutputBuffer
        private let descriptor: Int32
        private let temporary: String

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
            unlink(temporary)
        }

        var isEmpty: Bool {
            var status = stat()
            return fstat(descriptor, &status) == 0 && status.st_size == 0
        }

        func sync() -> Bool { fsync(descriptor) == 0 }

        /// Takes the place of the target; a file that has appeared in the meantime only if that is replaced.
        func move(replaces: Bool) -> Bool { (replaces ? rename(temporary, target) : link(temporary, target)) == 0 }
    }

    /// - Returns: nil for a device or a pipe, which has no place beside it and is not replaced.
    private func draft() throws -> Draft? {
        var status = stat()
        let isThere = stat(path, &status) == 0
        if isThere, !replaces { throw exists }
        if isThere, status.st_mode & S_IFMT != S_IFREG { return nil }
        let target = isThere ? resolved : path
        let mode = isThere ? status.st_mode & 0o7777 : 0o666 & ~Self.mask()
        guard let draft = Draft(beside: target, name: name, mode: mode) else { throw cannotCreate(errno) }
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
