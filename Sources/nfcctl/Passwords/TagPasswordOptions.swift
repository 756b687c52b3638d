import ArgumentParser
import NFCClient
import NFCProtocol
import NFCTypes

/// The options for the passwords of a tag, given on the command line or in files.
struct TagPasswordOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The tag's password in hexadecimal: 4 bytes, or the AES key of a MIFARE Ultralight AES; visible in the process list. KIND=HEX names one of an ICODE SLIX2.",
            valueName: "hex"))
    var tagPassword: [String] = []

    @Option(
        help: ArgumentHelp(
            "Read the password from this file; - is standard input. KIND=FILE names one of an ICODE SLIX2, such as read=FILE; repeat it for others.",
            valueName: "file"),
        completion: .file())
    var tagPasswordFile: [String] = []

    @Option(
        help: ArgumentHelp(
            "As which password of an ICODE SLIX2 one without a kind is given; repeat it if several are the same.",
            valueName: "kind"))
    var tagPasswordKind: [PasswordKindOption] = []

    /// The maximum size of a password file, in bytes.
    private static let maximumFileSize = 1024

    /// What was given for one password: the file or the bytes, and the kind in front of it.
    private struct Part {
        let option: String
        let kind: PasswordKindOption?
        let value: String
        let isFile: Bool

        /// A value whose first `=` follows no kind is a file with such a name.
        init(_ text: String, option: String, isFile: Bool) {
            let pieces = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let kind = pieces.count == 2 ? PasswordKindOption(argument: String(pieces[0])) : nil
            (self.option, self.kind, self.isFile) = (option, kind, isFile)
            value = kind == nil ? text : String(pieces[1])
        }
    }

    private var parts: [Part] {
        tagPassword.map { Part($0, option: "--tag-password", isFile: false) }
            + tagPasswordFile.map { Part($0, option: "--tag-password-file", isFile: true) }
    }

    func validate() throws {
        let parts = parts
        let plain = parts.filter { $0.kind == nil }
        if let first = plain.first, plain.count > 1 {
            throw ValidationError(
                "\(first.option) is given for several passwords without their kinds; name the kind of each, as in --tag-password-file read=FILE"
            )
        }
        if !tagPasswordKind.isEmpty, plain.isEmpty {
            throw ValidationError("--tag-password-kind requires --tag-password-file with a file and no kind")
        }
        if let first = plain.first, parts.count > 1, tagPasswordKind.isEmpty {
            throw ValidationError(
                "\(first.option) gives several passwords, one of them without a kind; name it, as in --tag-password-file write=FILE"
            )
        }
        let kinds = parts.compactMap(\.kind) + tagPasswordKind
        if let twice = kinds.first(where: { kind in kinds.count { $0 == kind } > 1 }) {
            throw ValidationError("the \(twice.rawValue) password is given twice; give one of them")
        }
        if parts.count(where: { $0.isFile && $0.value == "-" }) > 1 {
            throw ValidationError("--tag-password-file - can be given once: standard input has one password")
        }
        for part in parts where part.value.isEmpty {
            throw ValidationError("\(part.option) \(part.kind?.rawValue ?? "")= names no password")
        }
        for part in parts where !part.isFile && HexBytes(typed: part.value) == nil {
            throw ValidationError("--tag-password requires bytes in hexadecimal")
        }
    }

    /// The passwords, in the order in which the tag is given them.
    ///
    /// - Throws: `ExitCode`, after printing the reason: 66 if a file cannot be read, 65 if it contains no password.
    func read() throws -> TagPasswords {
        var found: [TagPasswords.Entry] = []
        for part in parts {
            guard let password = try part.isFile ? Self.read(from: part.value) : HexBytes(typed: part.value) else {
                continue
            }
            let kinds = part.kind.map { [$0] } ?? tagPasswordKind
            found += kinds.isEmpty ? [.init(password: password)] : kinds.map { .init(password: password, kind: $0) }
        }
        return TagPasswords(entries: found)
    }

    /// Whether a password is given.
    var isGiven: Bool { !tagPassword.isEmpty || !tagPasswordFile.isEmpty }

    /// Whether the password of a kind is given by its name.
    func names(_ kind: PasswordKindOption) -> Bool {
        tagPasswordKind.contains(kind) || parts.contains { $0.kind == kind }
    }

    /// The same, where a password without a kind is that of the given one.
    func naming(_ kind: PasswordKindOption) -> TagPasswordOptions {
        guard tagPasswordKind.isEmpty, parts.contains(where: { $0.kind == nil }) else { return self }
        var options = self
        options.tagPasswordKind = [kind]
        return options
    }

    /// The password in a file.
    ///
    /// - Throws: `ExitCode`, after printing the reason: 66 if the file cannot be read, 65 if it contains no password.
    static func read(from path: String) throws -> HexBytes {
        let file = InputFile(path: path)
        guard let password = HexBytes(typed: try file.readText(limit: Self.maximumFileSize).text) else {
            Terminal.error("nfcctl: no password in \(file.name): the file must contain only bytes in hexadecimal")
            throw ExitCode.badData
        }
        return password
    }
}

/// The passwords that a tag is given before a command.
struct TagPasswords: Sendable {
    struct Entry: Sendable {
        let password: HexBytes
        /// Which password of an ICODE SLIX2; nil for the usual one.
        var kind: PasswordKindOption?
    }

    var entries: [Entry] = []

    /// Gives the tag each of them.
    func give(to tag: RemoteTag) async throws {
        for entry in entries {
            if let kind = entry.kind {
                try await tag.authenticate(entry.password.bytes, kind: kind.kind)
            } else {
                try await tag.authenticate(entry.password.bytes)
            }
        }
    }
}

/// The passwords of an ICODE SLIX2.
enum PasswordKindOption: String, CaseIterable, ExpressibleByArgument {
    case read, write, privacy, destroy, easAFI

    var kind: PasswordKind {
        switch self {
        case .read: .read
        case .write: .write
        case .privacy: .privacy
        case .destroy: .destroy
        case .easAFI: .easAFI
        }
    }
}

extension HexBytes {
    /// Parses hexadecimal with optional white space and colons between the digits. Returns nil for any other text, and if
    /// there are no bytes.
    init?(typed text: String) {
        self.init(text.filter { !$0.isWhitespace && $0 != ":" })
        if bytes.isEmpty { return nil }
    }
}
