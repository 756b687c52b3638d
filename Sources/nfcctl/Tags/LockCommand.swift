import ArgumentParser
import NFCClient
import NFCProtocol

/// `nfcctl lock`: makes a tag permanently read-only.
struct LockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock",
        abstract: "Make the next tag permanently read-only.",
        discussion: """
            The tag cannot be written to again, and this cannot be undone. It shows the tag and its content and asks for \
            confirmation, unless --yes is given.

            Examples:
              nfcctl lock
              nfcctl lock --yes
            """)

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    @OptionGroup var options: TagOptions

    func validate() throws { try Self.confirmation.validate(isGiven: yes) }

    func run() async throws {
        let json = options.json
        let operation = TagOperation(options: options, requires: TagWriteLock.requirement)
        try await operation.run(confirming: yes ? nil : Self.confirmation.isGiven(for:)) { tag in
            try await tag.writeLock()
            tag.report("locked", "Locked \(tag.summary); it is permanently read-only", json: json)
        }
    }

    private static let confirmation = Confirmation(
        of: "locking", warning: "It will become permanently read-only.", word: "lock")
}
