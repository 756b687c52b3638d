import ArgumentParser
import NDEF
import NFCClient
import NFCProtocol
import NFCTypes

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
        try await operation.run(confirming: yes ? nil : Self.isConfirmed) { tag in
            try await tag.writeLock()
            tag.report("locked", "Locked \(tag.summary); it is permanently read-only", json: json)
        }
    }

    private static let confirmation = confirmation()

    /// - Parameter consequence: what else follows for this tag, as sentences.
    private static func confirmation(_ consequence: String = "") -> Confirmation {
        Confirmation(of: "locking", warning: "It will become permanently read-only.\(consequence)", word: "lock")
    }

    @Sendable private static func isConfirmed(_ tag: RemoteTag) async -> Bool {
        await confirmation(tag.lossOfWeight.map { " \($0)" } ?? "").isGiven(for: tag)
    }
}

extension RemoteTag {
    /// That a spool cannot be weighed any more once its tag is locked, and how only what does not change with use is protected; nil for any
    /// other tag.
    fileprivate var lossOfWeight: String? {
        get async {
            guard let spool = (try? await readNDEF())?.message.openPrintTag?.record, spool.aux != nil else {
                return nil
            }
            let other = "nfcctl password set --before-page aux protects what does not change with use."
            return "This spool can then not be weighed any more.\(facts.type == .iso15693 ? " \(other)" : "")"
        }
    }
}
