import FoundationEssentials
import ServiceSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A secret: its lines, which no message shows.
struct Secret: Sendable, CustomStringConvertible, CustomReflectable {
    /// The lines that are not empty, without spaces around them.
    let lines: [String]

    var description: String { "(secret)" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

/// Reads secrets from files and from the credentials of systemd (systemd.exec(5)), never from relay.toml itself.
struct SecretReader: Sendable {
    private static let longest = 64 * 1024

    /// Where systemd puts the credentials of this service; nil where it passed none.
    let credentials: String?
    /// Whether relay.toml is only checked: a credential that was not passed is no error then.
    let isCheck: Bool

    init(credentials: String?, isCheck: Bool = false) {
        self.credentials = credentials
        self.isCheck = isCheck
    }

    /// The secret of a table: `KEY-file = "/path"`, or `KEY-credential = "name"`; nil where it has neither.
    func secret(
        _ key: String, in table: String, of source: inout ConfigurationSource
    ) throws(ConfigurationError) -> Secret? {
        let (fileKey, credentialKey) = ("\(table).\(key)-file", "\(table).\(key)-credential")
        let (file, credential) = (try source.path(fileKey), try source.string(credentialKey))
        switch (file, credential) {
        case (let file?, nil): return try read(file, for: fileKey, source)
        case (nil, let name?): return try self.credential(name, for: credentialKey, source)
        case (nil, nil): return nil
        case (_?, _?): throw source.wrong(credentialKey, "there is a \(key)-file already; keep one of them")
        }
    }

    /// Reads a file that other users cannot read.
    func read(
        _ file: String, for key: String, _ source: ConfigurationSource
    ) throws(ConfigurationError) -> Secret {
        try checkMode(of: file, for: key, source)
        try ConfigurationOwnership.checkWay(to: file)
        return try lines(of: file, for: key, source)
    }

    /// Refuses a file that other users can read or change.
    func checkMode(
        of file: String, for key: String, _ source: ConfigurationSource
    ) throws(ConfigurationError) {
        var status = stat()
        guard stat(file, &status) == 0 else {
            throw source.wrong(key, "\(file) cannot be read: \(String(cString: strerror(errno)))")
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw source.wrong(key, "\(file) is not a file") }
        guard status.st_mode & (S_IROTH | S_IWOTH | S_IWGRP) == 0 else {
            throw source.wrong(key, "\(file) can be read or changed by other users; run chmod 0640 \(file)")
        }
    }

    private func credential(
        _ name: String, for key: String, _ source: ConfigurationSource
    ) throws(ConfigurationError) -> Secret {
        guard !name.contains("/"), name != ".." else { throw source.wrong(key, "expected the name of a credential") }
        guard let credentials else {
            guard !isCheck else { return Secret(lines: []) }
            throw source.wrong(
                key, "the service manager passed no credentials; add LoadCredential=\(name):/path to nfcd-relay.service"
            )
        }
        return try lines(of: "\(credentials)/\(name)", for: key, source)
    }

    private func lines(
        of file: String, for key: String, _ source: ConfigurationSource
    ) throws(ConfigurationError) -> Secret {
        let read: [UInt8]?
        do throws(FileBytes.Failure) {
            read = try FileBytes.read(file, atMost: Self.longest)
        } catch {
            throw source.wrong(key, "\(file) cannot be read: \(error.reason)")
        }
        var bytes = read ?? []
        defer { FileBytes.wipe(&bytes) }
        guard read != nil, let text = String(validating: bytes, as: UTF8.self) else {
            throw source.wrong(key, "\(file) is not a text file of at most 64 KiB")
        }
        let lines = text.split { $0.isNewline }.map { line in
            String(line.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
        }.filter { !$0.isEmpty }
        guard !lines.isEmpty else { throw source.wrong(key, "\(file) is empty; write the secret into it") }
        return Secret(lines: lines)
    }
}
