import ArgumentParser
import NFCClient
import NFCProtocol

/// `nfcctl format`: makes one tag an NDEF tag.
struct FormatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "format",
        abstract: "Make the next tag one that can hold a message.",
        discussion: """
            A tag that is formatted already keeps its message. On most tags formatting cannot be undone.

            Examples:
              nfcctl format
              nfcctl format --timeout 10 --json
            """)

    @OptionGroup var options: TagOptions

    func run() async throws {
        let json = options.json
        try await TagErrand(options: options).run { tag in
            _ = try await tag.client.call(TagFormat.self, tag.address)
            tag.report("formatted", "Formatted \(tag.words)", json: json)
        }
    }
}
