import ArgumentParser
import NFCClient
import NFCProtocol

/// `nfcctl info`: what one tag is.
struct InfoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Show what the next tag is: product, memory, locks, NDEF.",
        discussion: """
            How much a tag tells depends on the reader: versions, signatures and counters need one that lets the tag's own \
            commands pass.

            Examples:
              nfcctl info
              nfcctl info --json | jq -r .product
            """)

    @OptionGroup var options: TagOptions

    func run() async throws {
        let json = options.json
        try await TagErrand(options: options).run { tag in
            let sheet = try await InfoSheet(of: tag)
            if json {
                Terminal.print(json: TagReport(event: "info", tag: tag.tag, extra: sheet))
            } else {
                for line in sheet.lines(of: tag) { Terminal.print(line) }
            }
        }
    }
}
