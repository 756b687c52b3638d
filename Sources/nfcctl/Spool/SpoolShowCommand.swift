import ArgumentParser
import NDEF
import NFCClient
import NFCProtocol

/// `nfcctl spool show`: what the tag of a spool says.
struct SpoolShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show what the tag of a spool says.",
        discussion: """
            With --json, the fields have the names of the format's specification; those of OpenPrintTag are in spool.data, \
            as its own tools print them.

            Examples:
              nfcctl spool show
              nfcctl spool show --json | jq .spool.data.main.material_type
            """)

    @OptionGroup var options: TagOptions

    func run() async throws {
        try await options.reportReaders()
        let json = options.json
        try await TagOperation(options: options, requires: TagReadNDEF.requirement).run { tag in
            try SpoolReport(try await SpoolOnTag.read(tag)).show("spool", tag, json: json)
        }
    }
}
