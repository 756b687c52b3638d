import ArgumentParser
import NFCClient
import NFCProtocol

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// `nfcctl lock`: makes a tag permanently read-only.
struct LockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock",
        abstract: "Make the next tag permanently read-only.",
        discussion: """
            The tag cannot be written to again, and this cannot be undone. It asks for confirmation, unless --yes is given.

            Examples:
              nfcctl lock
              nfcctl lock --yes
            """)

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    @OptionGroup var options: TagOptions

    func validate() throws {
        if !yes, isatty(STDIN_FILENO) == 0 { throw ValidationError("locking cannot be undone; confirm it with --yes") }
    }

    func run() async throws {
        guard yes || confirmed() else {
            Terminal.error("No tag was locked.")
            throw ExitCode.interrupted
        }
        let json = options.json
        try await TagOperation(options: options).run { tag in
            try await tag.writeLock()
            tag.report("locked", "Locked \(tag.summary); it is permanently read-only", json: json)
        }
    }

    private func confirmed() -> Bool {
        Terminal.error("The next tag will become permanently read-only. Type \"lock\" to continue:")
        return readLine() == "lock"
    }
}
