import ArgumentParser
import NFCClient
import NFCProtocol
import NFCTypes

/// The options of the commands that operate on a tag.
struct TagOptions: ParsableArguments {
    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var password: TagPasswordOptions
    @OptionGroup var session: SessionOptions
}

/// The option for the password of a tag, given on the command line or in a file.
struct TagPasswordOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The tag's password in hexadecimal: 4 bytes, or the AES key of a MIFARE Ultralight AES; visible in the process list.",
            valueName: "hex"))
    var tagPassword: String?

    @Option(
        help: ArgumentHelp("Read the password from this file; - is standard input.", valueName: "file"),
        completion: .file())
    var tagPasswordFile: String?

    @Option(
        help: ArgumentHelp(
            "Which password of an ICODE SLIX2 that is; repeat it for several.",
            valueName: "kind"))
    var tagPasswordKind: [PasswordKindOption] = []

    /// The maximum size of a password file, in bytes.
    private static let maximumFileSize = 1024

    func validate() throws {
        if !tagPasswordKind.isEmpty, !isGiven {
            throw ValidationError("--tag-password-kind requires --tag-password-file")
        }
        guard let tagPassword else { return }
        if tagPasswordFile != nil {
            throw ValidationError("--tag-password and --tag-password-file cannot be combined; give one of them")
        }
        if HexBytes(typed: tagPassword) == nil { throw ValidationError("--tag-password requires bytes in hexadecimal") }
    }

    /// The password; nil if none is given.
    ///
    /// - Throws: `ExitCode`, after printing the reason: 66 if the file cannot be read, 65 if it contains no password.
    func read() throws -> HexBytes? {
        if let tagPassword { return HexBytes(typed: tagPassword) }
        return try tagPasswordFile.map(Self.read(from:))
    }

    /// Gives a tag the password, as each of the kinds.
    func give(_ password: HexBytes?, to tag: RemoteTag) async throws {
        guard let password else { return }
        if tagPasswordKind.isEmpty { try await tag.authenticate(password.bytes) }
        for kind in tagPasswordKind { try await tag.authenticate(password.bytes, kind: kind.kind) }
    }

    /// Whether a password is given.
    var isGiven: Bool { tagPassword != nil || tagPasswordFile != nil }

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
