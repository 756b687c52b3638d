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
            Shows the message, the capacity of the tag, and whether it is writable. Text, JSON and contacts are shown with \
            their first lines. With --record and --output, it saves the payload of a record as it is on the tag.

            Examples:
              nfcctl read
              nfcctl read --json | jq -r '.message.records[].decoded.uri'
              nfcctl read --hex | nfcctl ndef decode
              nfcctl read --open
              nfcctl read --record 2 --output contact.vcf
            """)

    @Flag(help: "Print the message in hexadecimal.")
    var hex = false

    @Option(help: ArgumentHelp("Save the payload of this record; needs --output.", valueName: "n"))
    var record: Int?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The file for the payload; - is standard output.", valueName: "file"),
        completion: .file())
    var output: String?

    @Flag(help: "Replace an existing file.")
    var force = false

    @Option(
        help: ArgumentHelp(
            "Read one tag after another, and compare each with this report of nfcctl write --each.", valueName: "report"
        ),
        completion: .file(extensions: ["csv"]))
    var check: String?

    @OptionGroup var actions: MessageActions
    @OptionGroup var options: TagOptions

    private struct Content: Encodable {
        let status: NDEFStatus
        let capacity: Int
        let message: NDEFMessage?
        let reason: String?
        /// What else the memory holds, or what it holds instead.
        let content: TagContent?

        private enum CodingKeys: String, CodingKey {
            case status, capacity, message, reason, content
        }

        func encode(to encoder: any Encoder) throws {
            var object = encoder.container(keyedBy: CodingKeys.self)
            try object.encode(status, forKey: .status)
            try object.encode(capacity, forKey: .capacity)
            // Null instead of missing: the field is part of the fixed interface.
            try object.encode(message, forKey: .message)
            try object.encodeIfPresent(reason, forKey: .reason)
            try object.encodeIfPresent(content, forKey: .content)
        }
    }

    func validate() throws {
        if let record, record < 1 { throw ValidationError("--record starts at 1") }
        if record != nil, output == nil { throw ValidationError("--record requires --output") }
        if output != nil, record == nil { throw ValidationError("--output requires --record, the number of a record") }
        if check != nil, record != nil || hex || actions.open || actions.qr || options.session.timeout != nil {
            throw ValidationError(
                "--check reads many tags; it can be combined with --json, --reader and a password only")
        }
        if force, output == nil { throw ValidationError("--force requires --output") }
        if output == "-", hex || options.json {
            throw ValidationError("--output - cannot be combined with --hex or --json")
        }
    }

    func run() async throws {
        if let check { return try await BoxCheckRun(report: check, options: options).run() }
        let (json, hex) = (options.json, hex)
        let isPayload = output == "-"
        let file = output.flatMap { isPayload ? nil : SavedFile(path: $0, replaces: force) }
        try file?.check()
        let message = Mutex<NDEFMessage?>(nil)
        try await TagOperation(options: options, requires: TagReadNDEF.requirement).run { tag in
            let content = try await Self.content(of: tag)
            message.withLock { $0 = content.message }
            if json {
                Terminal.print(json: TagEvent(event: "read", tag: tag.facts, extra: content))
            } else if hex {
                Terminal.print(try content.message?.encoded().hexadecimal ?? "")
            } else if !isPayload {
                Self.show(content, tag)
            }
        }
        if let record { try save(record, of: message.withLock(\.self), to: file) }
        // The reader is free again: a program that opens a page may take its time.
        try await actions.run(message.withLock(\.self))
    }

    /// Saves the payload of a record.
    ///
    /// - Parameter file: nil for standard output.
    /// - Throws: `ExitCode`, after printing the reason: 65 if there is no such record.
    private func save(_ number: Int, of message: NDEFMessage?, to file: SavedFile?) throws {
        let records = message?.records ?? []
        guard records.indices.contains(number - 1) else {
            let found = counted(records.count, "record")
            Terminal.error("nfcctl: there is no record \(number): the tag holds \(found)")
            throw ExitCode.badData
        }
        let payload = records[number - 1].payload
        guard let file else { return try OutputFile(path: nil).write(Array(payload)) }
        try file.write(Array(payload))
        if !options.json, !hex { Terminal.print("Saved \(counted(payload.count, "byte")) to \(file.name)") }
    }

    /// The message, status and capacity of the tag. Without a message, only the status is queried.
    private static func content(of tag: RemoteTag) async throws -> Content {
        do {
            let read = try await tag.readNDEF(content: true)
            return Content(
                status: read.status, capacity: read.capacity, message: read.message, reason: nil, content: read.content)
        } catch let error as NFCClientError
            where error.nfcCode == .unsupportedFeature || error.nfcCode == .zeroLengthMessage
        {
            let status = try await tag.queryNDEFStatus(content: true)
            return Content(
                status: status.status, capacity: status.capacity, message: nil, reason: status.reason,
                content: status.content)
        }
    }

    private static func show(_ content: Content, _ tag: RemoteTag) {
        Terminal.print("Tag: \(tag.summary)")
        for record in (content.message?.records ?? []).enumerated() {
            Terminal.print("  \(record.offset + 1)  \(record.element)")
            for line in RecordText(record.element)?.lines(number: record.offset + 1) ?? [] {
                Terminal.print("       \(line)")
            }
        }
        switch content.status {
        case .notSupported: Terminal.print("  no NDEF: \((content.reason ?? "not formatted").escaped)")
        case .readOnly: Terminal.print("  \(size(content)), read-only")
        case .readWrite: Terminal.print("  \(size(content)), writable")
        }
        guard let other = content.content else { return }
        let verb = content.status == .notSupported ? "holds" : "also holds"
        Terminal.print("  \(verb) \(other.words)\(other.isSpool ? "; nfcctl spool show reads it" : "")")
    }

    private static func size(_ content: Content) -> String {
        let used = content.message?.encodedLength ?? 0
        return used == 0 ? "empty, \(content.capacity) bytes free" : "\(used) of \(content.capacity) bytes"
    }
}
