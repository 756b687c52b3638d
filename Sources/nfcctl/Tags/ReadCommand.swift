import ArgumentParser
import NDEF
import NFCClient
import NFCProtocol
import NFCTypes
import Synchronization

/// `nfcctl read`: reads the message on a tag.
struct ReadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read",
        abstract: "Read the message on the next tag.",
        discussion: """
            Shows the message, the capacity of the tag, and whether it is writable.

            Examples:
              nfcctl read
              nfcctl read --json | jq -r '.message.records[].decoded.uri'
              nfcctl read --hex | nfcctl ndef decode
              nfcctl read --open
            """)

    @Flag(help: "Print the message in hexadecimal.")
    var hex = false

    @OptionGroup var actions: MessageActions
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
            // Null instead of missing: the field is part of the fixed interface.
            try object.encode(message, forKey: .message)
            try object.encodeIfPresent(reason, forKey: .reason)
        }
    }

    func run() async throws {
        let (json, hex) = (options.json, hex)
        let message = Mutex<NDEFMessage?>(nil)
        try await TagOperation(options: options, requires: TagReadNDEF.requirement).run { tag in
            let content = try await Self.content(of: tag)
            message.withLock { $0 = content.message }
            if json {
                Terminal.print(json: TagEvent(event: "read", tag: tag.facts, extra: content))
            } else if hex {
                Terminal.print(try content.message?.encoded().hexadecimal ?? "")
            } else {
                Self.show(content, tag)
            }
        }
        // The reader is free again: a program that opens a page may take its time.
        try await actions.run(message.withLock(\.self))
    }

    /// The message, status and capacity of the tag. Without a message, only the status is queried.
    private static func content(of tag: RemoteTag) async throws -> Content {
        do {
            let read = try await tag.readNDEF()
            return Content(status: read.status, capacity: read.capacity, message: read.message, reason: nil)
        } catch let error as NFCClientError
            where error.nfcCode == .unsupportedFeature || error.nfcCode == .zeroLengthMessage
        {
            let status = try await tag.queryNDEFStatus()
            return Content(status: status.status, capacity: status.capacity, message: nil, reason: status.reason)
        }
    }

    private static func show(_ content: Content, _ tag: RemoteTag) {
        Terminal.print("Tag: \(tag.summary)")
        for record in (content.message?.records ?? []).enumerated() {
            Terminal.print("  \(record.offset + 1)  \(record.element)")
        }
        switch content.status {
        case .notSupported: Terminal.print("  no NDEF: \((content.reason ?? "not formatted").escaped)")
        case .readOnly: Terminal.print("  \(size(content)), read-only")
        case .readWrite: Terminal.print("  \(size(content)), writable")
        }
    }

    private static func size(_ content: Content) -> String {
        let used = content.message?.encodedLength ?? 0
        return used == 0 ? "empty, \(content.capacity) bytes free" : "\(used) of \(content.capacity) bytes"
    }
}
