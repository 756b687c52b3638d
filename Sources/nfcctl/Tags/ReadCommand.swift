import ArgumentParser
import NDEF
import NFCClient
import NFCProtocol

/// `nfcctl read`: the message on one tag.
struct ReadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read",
        abstract: "Read the message on the next tag.",
        discussion: """
            Waits for a tag and shows its message, how much it can hold, and whether it can be written.

            Examples:
              nfcctl read
              nfcctl read --json | jq -r '.message.records[].decoded.uri'
              nfcctl read --hex | nfcctl ndef decode
            """)

    @Flag(help: "The message's bytes in hexadecimal.")
    var hex = false

    @OptionGroup var options: TagOptions

    private struct Content: Encodable {
        let status: NDEFStatus
        let capacity: Int
        let message: NDEFMessage?
        let reason: String?

        private enum CodingKeys: String, CodingKey {
            case status, capacity, message, reason
        }

        func encode(to encoder: any Encoder) throws {
            var object = encoder.container(keyedBy: CodingKeys.self)
            try object.encode(status, forKey: .status)
            try object.encode(capacity, forKey: .capacity)
            // Null, not left out: whoever reads the line looks for it.
            try object.encode(message, forKey: .message)
            try object.encodeIfPresent(reason, forKey: .reason)
        }
    }

    func run() async throws {
        let (json, hex) = (options.json, hex)
        try await TagErrand(options: options).run { tag in
            let content = try await Self.content(of: tag)
            if json {
                Terminal.print(json: TagEvent(event: "read", tag: tag.tag, extra: content))
            } else if hex {
                Terminal.print(try content.message?.encoded().hexadecimal ?? "")
            } else {
                Self.show(content, tag)
            }
        }
    }

    /// The message and what is known with it; without a message, the tag is only asked for its status.
    private static func content(of tag: ConnectedTag) async throws -> Content {
        do {
            let read = try await tag.client.call(TagReadNDEF<NDEFMessage>.self, tag.address)
            return Content(status: read.status, capacity: read.capacity, message: read.message, reason: nil)
        } catch NFCClientError.refused(let error)
            where [.unsupportedFeature, .zeroLengthMessage].contains(error.nfcCode)
        {
            let status = try await tag.client.call(TagQueryNDEFStatus.self, tag.address)
            return Content(status: status.status, capacity: status.capacity, message: nil, reason: status.reason)
        }
    }

    private static func show(_ content: Content, _ tag: ConnectedTag) {
        Terminal.print("Tag: \(tag.words)")
        for record in (content.message?.records ?? []).enumerated() {
            Terminal.print("  \(record.offset + 1)  \(record.element)")
        }
        switch content.status {
        case .notSupported: Terminal.print("  no NDEF: \((content.reason ?? "not formatted").escaped)")
        case .readOnly: Terminal.print("  \(size(content)), read-only")
        case .readWrite: Terminal.print("  \(size(content)), can be written")
        }
    }

    private static func size(_ content: Content) -> String {
        let used = content.message?.encodedLength ?? 0
        return used == 0 ? "empty, \(content.capacity) bytes free" : "\(used) of \(content.capacity) bytes"
    }
}
