import ArgumentParser
import NFCProtocol

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
