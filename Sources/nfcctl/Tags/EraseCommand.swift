import ArgumentParser
import NDEF
import NFCClient
import NFCProtocol

/// `nfcctl erase`: takes the message off one tag.
struct EraseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Take the message off the next tag; it stays formatted.",
        discussion: """
            Only the length of the message is set to nothing: what stands behind it in the tag's memory is written over by \
            the next message, not before.

            Examples:
              nfcctl erase
              nfcctl erase --timeout 10 --json
            """)

    @OptionGroup var options: TagOptions

    func run() async throws {
        let json = options.json
        try await TagErrand(options: options).run { tag in
            let parameters = TagWriteNDEF<NDEFMessage>.Parameters(
                session: tag.session, tag: tag.tag.tag, message: NDEFMessage())
            _ = try await tag.client.call(TagWriteNDEF<NDEFMessage>.self, parameters)
            tag.report("erased", "Erased \(tag.words)", json: json)
        }
    }
}
