import ArgumentParser
import NFCProtocol

/// The options of every command that wants one tag.
struct TagOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Only this reader, by id or name; may be repeated.", valueName: "reader"))
    var reader: [String] = []

    @Option(
        help: ArgumentHelp("Wait this long for a tag (default: the daemon's limit).", valueName: "seconds"))
    var timeout: Double?

    @Flag(help: "Wait for a reader, and for one's turn, instead of failing.")
    var wait = false

    @Flag(help: "One line of JSON.")
    var json = false

    @OptionGroup var password: TagPassword
    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        if let timeout, !(timeout > 0 && timeout <= 86_400) {
            throw ValidationError("--timeout takes more than 0 and at most 86400 seconds")
        }
    }

    /// The session that is asked for.
    func request(_ kind: SessionKind) -> SessionBegin.Parameters {
        SessionBegin.Parameters(
            kind: kind, detection: kind == .ndef ? .tags : nil, readers: reader.isEmpty ? nil : reader,
            whenBusy: wait ? .queue : .fail, waitForReader: wait, timeout: timeout)
    }
}

/// The password of a tag, from the command line or from a file.
struct TagPassword: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The tag's password in hexadecimal, 4 bytes for NTAG and Ultralight; others see it in the process list.",
            valueName: "hex"))
    var tagPassword: String?

    @Option(
        help: ArgumentHelp("The same from a file; - is standard input.", valueName: "file"), completion: .file())
    var tagPasswordFile: String?

    /// More is no password.
    private static let longest = 1024

    func validate() throws {
        guard let tagPassword else { return }
        if tagPasswordFile != nil {
            throw ValidationError("--tag-password and --tag-password-file are the same thing: give one")
        }
        if HexBytes(typed: tagPassword) == nil { throw ValidationError("--tag-password takes bytes in hexadecimal") }
    }

    /// The password; nil where none is given.
    ///
    /// - Throws: `ExitCode`, after the reason was said: 66 where the file cannot be read, 65 where there is no password in it.
    func read() throws -> HexBytes? {
        if let tagPassword { return HexBytes(typed: tagPassword) }
        guard let tagPasswordFile else { return nil }
        let file = InputFile(path: tagPasswordFile)
        let content = try file.read(limit: Self.longest)
        guard let password = HexBytes(typed: String(decoding: content, as: UTF8.self)) else {
            Terminal.error("nfcctl: \(file.name) holds no password: bytes in hexadecimal, and nothing else")
            throw ExitCode.badData
        }
        return password
    }
}

extension HexBytes {
    /// Bytes as people type them: white space and colons between the digits do not matter. Nil where there are none, or
    /// something else stands there.
    init?(typed text: String) {
        self.init(text.filter { !$0.isWhitespace && $0 != ":" })
        if bytes.isEmpty { return nil }
    }
}
