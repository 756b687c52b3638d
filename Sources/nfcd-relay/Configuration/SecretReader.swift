import Cryptography
import FoundationEssentials
import ServiceSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A secret: its lines, which no message shows, and which are overwritten when the last copy of it ends.
struct Secret: Sendable, CustomStringConvertible, CustomReflectable {
    /// The lines that are not empty, without spaces around them.
    let lines: [SecretLine]

    /// Nil where the bytes are not text, or have a NUL character, which would end it early.
    init?(_ bytes: [UInt8]) {
        guard !bytes.contains(0), Self.isText(bytes) else { return nil }
        lines = bytes.split { (0x0A...0x0D).contains($0) }.map(Self.trimmed).filter { !$0.isEmpty }.map(SecretLine.init)
    }

    init(lines: [String]) {
        self.lines = lines.map { SecretLine($0.utf8) }
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        guard let first = line.firstIndex(where: { !isSpace($0) }), let last = line.lastIndex(where: { !isSpace($0) })
        else { return [] }
        return line[first...last]
    }

    /// Decodes UTF-8 without a copy of the text.
    private static func isText(_ bytes: [UInt8]) -> Bool {
        var (decoder, iterator) = (UTF8(), bytes.makeIterator())
        while true {
            switch decoder.decode(&iterator) {
            case .scalarValue: continue
            case .emptyInput: return true
            case .error: return false
            }
        }
    }

    var description: String { "(secret)" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

/// A line of a secret, in memory that is overwritten at its end, as that of a text of Swift cannot be.
struct SecretLine: Sendable, CustomStringConvertible, CustomReflectable {
    private let bytes: SecretBytes

    init(_ bytes: some Sequence<UInt8>) {
        var copy = Array(bytes)
        self.bytes = SecretBytes(copy)
        FileBytes.wipe(&copy)
    }

    /// The text, for what takes nothing else.
    var text: String { bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }

    /// Calls a function with the bytes and a NUL at their end, which are overwritten afterwards.
    func withCString<Value>(_ body: (UnsafePointer<CChar>?) -> Value) -> Value {
        var copy = bytes.withUnsafeBytes { Array($0) } + [0]
        defer { FileBytes.wipe(&copy) }
        return copy.withUnsafeBytes { body($0.bindMemory(to: CChar.self).baseAddress) }
    }

    /// The bytes behind a prefix, decoded as base64; nil where it is something else. The caller overwrites them.
    func base64(after prefix: String) -> Data? {
        bytes.withUnsafeBytes { bytes in
            guard bytes.starts(with: prefix.utf8) else { return nil }
            var rest = Data(bytes.dropFirst(prefix.utf8.count))
            defer { rest.resetBytes(in: 0..<rest.count) }
            return Data(base64Encoded: rest)
        }
    }

    var description: String { "(secret)" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

/// Reads secrets from files and from the credentials of systemd (systemd.exec(5)), never from relay.toml itself.
struct SecretReader: Sendable {
    private static let longest = 64 * 1024

    /// Where systemd puts the credentials of this service; nil where it passed none.
    let credentials: String?
    /// Whether relay.toml is only checked: a credential that was not passed is not an error then.
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
        guard read != nil, let secret = Secret(bytes) else {
            throw source.wrong(key, "\(file) is not a text file of at most 64 KiB")
        }
        guard !secret.lines.isEmpty else { throw source.wrong(key, "\(file) is empty; write the secret into it") }
        return secret
    }
}
