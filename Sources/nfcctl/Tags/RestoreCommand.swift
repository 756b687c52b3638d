import ArgumentParser
import NDEF
import NFCClient
import NFCProtocol

/// `nfcctl restore`: writes what a dump file holds to a tag.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Write the message or the memory in a dump file to the next tag.",
        discussion: """
            Reads the files that nfcctl dump writes: .nfc (Flipper), .json (proxmark3) and .bin (raw memory). Without an \
            option, it writes the NDEF message in the file, to a tag of any type, and verifies it. \
            UID, keys and everything else of a tag stay its own.

            Examples:
              nfcctl restore card.nfc
              nfcctl restore card.nfc --format
            """)

    @Argument(help: ArgumentHelp("The dump file; - is standard input.", valueName: "file"), completion: .file())
    var file: String

    @Flag(help: "Format the tag first if necessary; on most tags this cannot be undone.")
    var format = false

    @OptionGroup var options: TagOptions

    private struct Restored: Encodable {
        let file: String
        let message: NDEFMessage
    }

    func run() async throws {
        let dump = try DumpedTag(path: file)
        let message = try await dump.message()
        let (format, json, name) = (format, options.json, dump.name)
        let operation = TagOperation(
            options: options, requires: TagWriteNDEF.requirement, format ? TagFormat.requirement : .nothing)
        try await operation.run { tag in
            try await tag.write(message, verify: true, formatting: format)
            if json {
                Terminal.print(
                    json: TagEvent(event: "restored", tag: tag.facts, extra: Restored(file: name, message: message)))
            } else {
                let content =
                    message.records.isEmpty ? "no records" : message.records.map { "\($0)" }.joined(separator: "; ")
                Terminal.print("Restored \(content) from \(name) to \(tag.summary); verified")
            }
        }
    }
}
