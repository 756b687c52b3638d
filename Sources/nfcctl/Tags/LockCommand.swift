import ArgumentParser
import NDEF
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

    func validate() throws {
        if !yes, !Terminal.isInput { throw ValidationError("locking cannot be undone; confirm it with --yes") }
    }

    func run() async throws {
        let json = options.json
        let operation = TagOperation(options: options, requires: TagWriteLock.requirement)
        try await operation.run(confirming: yes ? nil : Self.isConfirmed) { tag in
            try await tag.writeLock()
            tag.report("locked", "Locked \(tag.summary); it is permanently read-only", json: json)
        }
    }

    /// Shows a tag with its content, and asks whether to lock it.
    private static func isConfirmed(_ tag: RemoteTag) async -> Bool {
        Terminal.error(tag.summary)
        for record in ((try? await tag.readNDEF())?.message.records ?? []).enumerated() {
            Terminal.error("  \(record.offset + 1)  \(record.element)")
        }
        let question = "It will become permanently read-only. Type \"lock\" to continue:"
        return await Confirmation.isGiven(question, answer: "lock")
    }
}
