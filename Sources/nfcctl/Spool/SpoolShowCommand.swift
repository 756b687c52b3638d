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
            Of an OpenPrintTag, it also shows the UUIDs that follow from other fields, and what its specification finds \
            wrong: errors, warnings and notes.

            With --json, the fields have the names of the format's specification; those of OpenPrintTag are in spool.data, \
            as its own tools print them, the UUIDs in uuids, and what is wrong in check.

            Examples:
              nfcctl spool show
              nfcctl spool show --json | jq .spool.data.main.material_type
              nfcctl spool show --json | jq -r .uuids.material_uuid
            """)

    @OptionGroup var options: TagOptions

    func run() async throws {
        let json = options.json
        try await options.spoolOperation(
            changes: false, requires: TagReadNDEF.requirement, TagDumpMemory.requirement
        ).run { tag in
            try SpoolReport(try await SpoolOnTag.read(tag), identifier: tag.identifier).show("spool", tag, json: json)
        }
    }
}
