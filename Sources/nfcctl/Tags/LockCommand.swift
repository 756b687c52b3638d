import ArgumentParser
import NFCClient
import NFCProtocol

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// `nfcctl lock`: makes one tag read-only, for ever.
struct LockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock",
        abstract: "Make the next tag read-only, for ever.",
        discussion: """
            Nothing and nobody can write to the tag afterwards. It asks first, unless --yes is given.

            Examples:
              nfcctl lock
              nfcctl lock --yes
            """)

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var options: TagOptions

    func validate() throws {
        if !yes, isatty(STDIN_FILENO) == 0 { throw ValidationError("locking cannot be undone: confirm it with --yes") }
    }

    func run() async throws {
        guard yes || confirmed() else {
            Terminal.error("Nothing was locked.")
            throw ExitCode.interrupted
        }
        let json = options.json
        try await TagErrand(options: options).run { tag in
            _ = try await tag.client.call(TagWriteLock.self, tag.address)
            tag.report("locked", "Locked \(tag.words); it is read-only from now on", json: json)
        }
    }

    private func confirmed() -> Bool {
        Terminal.error("The next tag becomes read-only for ever. Type \"lock\" to go on:")
        return readLine() == "lock"
    }
}
