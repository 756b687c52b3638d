import ArgumentParser
import NDEF
import NFCClient
import NFCProtocol

/// `nfcctl write`: puts a message on one tag.
struct WriteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "write",
        abstract: "Write a message to the next tag, in place of the one on it.",
        discussion: """
            The options for records are those of nfcctl ndef encode. However the tag is pulled away, it holds the old \
            message, none, or the new one afterwards; the error says which.

            Examples:
              nfcctl write --uri https://example.com
              nfcctl write --text Hello --language de --text Hallo --verify
              nfcctl write --ndef D1010C55046578616D706C652E636F6D
              nfcctl write --uri https://example.com --tag-password-file door.key
            """)

    @Flag(help: "Read back what was written and compare.")
    var verify = false

    @Flag(help: "Format the tag first, if it holds no NDEF; on most tags that cannot be undone.")
    var format = false

    @OptionGroup var content: NDEFOptions
    @OptionGroup var options: TagOptions

    private struct Written: Encodable {
        let bytes: Int
        let verified: Bool
    }

    func validate() throws {
        if !content.isGiven { throw ValidationError("say what to write, such as --uri https://example.com") }
    }

    func run() async throws {
        guard let bytes = try content.message(for: "write") else { throw ExitCode.badData }
        let message = bytes.isEmpty ? NDEFMessage() : try NDEFMessage(decoding: bytes)
        let (verify, format, json) = (verify, format, options.json)
        try await TagErrand(options: options).run { tag in
            if format { try await tag.formatUnlessFormatted() }
            let parameters = TagWriteNDEF<NDEFMessage>.Parameters(
                session: tag.session, tag: tag.tag.tag, message: message, verify: verify)
            _ = try await tag.call(TagWriteNDEF<NDEFMessage>.self, parameters, showing: "Writing")
            if json {
                let written = Written(bytes: bytes.count, verified: verify)
                Terminal.print(json: TagEvent(event: "written", tag: tag.tag, extra: written))
            } else {
                let verified = verify ? ", and read back the same" : ""
                Terminal.print("Wrote \(bytes.count) bytes to \(tag.words)\(verified)")
            }
        }
    }
}

extension ConnectedTag {
    fileprivate func formatUnlessFormatted() async throws {
        guard try await client.call(TagQueryNDEFStatus.self, address).status == .notSupported else { return }
        _ = try await client.call(TagFormat.self, address)
    }
}

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
