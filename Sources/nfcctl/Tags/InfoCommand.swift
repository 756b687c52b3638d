import ArgumentParser
import NDEF
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
            let sheet = try await InfoReport(of: tag)
            if json {
                Terminal.print(json: TagEvent(event: "info", tag: tag.tag, extra: sheet))
            } else {
                for line in sheet.lines(of: tag) { Terminal.print(line) }
            }
        }
    }
}

/// What a tag is, as far as it could be asked.
struct InfoReport: Encodable {
    private enum CodingKeys: String, CodingKey {
        case reason, ndef
    }

    let description: TagDescribe.Result?
    /// Why there is no description.
    let reason: String?
    let ndef: TagQueryNDEFStatus.Result

    init(of tag: ConnectedTag) async throws {
        do {
            description = try await tag.client.call(TagDescribe.self, tag.address)
            reason = nil
        } catch NFCClientError.refused(let error) where error.nfcCode == .unsupportedFeature {
            description = nil
            reason = error.data?.detail ?? error.message
        }
        ndef = try await tag.client.call(TagQueryNDEFStatus.self, tag.address)
    }

    func encode(to encoder: any Encoder) throws {
        try description?.encode(to: encoder)
        var object = encoder.container(keyedBy: CodingKeys.self)
        try object.encodeIfPresent(reason, forKey: .reason)
        try object.encode(ndef, forKey: .ndef)
    }

    /// Two columns.
    func lines(of tag: ConnectedTag) -> [String] {
        let rows = Self.rows(tag) + descriptionRows + [("NDEF", ndefWords)] + fieldRows
        let columns = (rows.map(\.0.count).max() ?? 0) + 2
        let width = max(Self.narrowest, min(Self.width, (OutputStyle.output.width ?? .max) - columns))
        return rows.flatMap { FieldTable.beside($0, columns: columns, TextLines.wrap($1, to: width)) }
    }

    private static let width = 64
    private static let narrowest = 20

    private static func rows(_ tag: ConnectedTag) -> [(String, String)] {
        [("Tag", tag.tag.technology.escaped), ("UID", tag.uid), ("Reader", tag.tag.readerName.escaped)]
    }

    private var descriptionRows: [(String, String)] {
        guard let description else { return [("Product", "unknown: \((reason ?? "").escaped)")] }
        let block = "blocks of \(description.blockSize) bytes"
        return [
            ("Product", (description.product ?? "unknown").escaped),
            ("Manufacturer", (description.manufacturer ?? "unknown").escaped),
            ("Memory", description.memorySize.map { "\($0) bytes, \(block)" } ?? "size unknown, \(block)"),
            ("Lock", description.lockState.words),
        ]
    }

    private var fieldRows: [(String, String)] {
        (description?.fields ?? []).map { ($0.label.escaped, $0.value.escaped) }
    }

    private var ndefWords: String {
        switch ndef.status {
        case .notSupported: "none: \((ndef.reason ?? "not formatted").escaped)"
        case .readOnly: "\(ndef.capacity) bytes, read-only"
        case .readWrite: "\(ndef.capacity) bytes, can be written"
        }
    }
}

extension LockState {
    fileprivate var words: String {
        switch self {
        case .unlocked: "nothing is locked"
        case .partlyLocked: "partly locked"
        case .locked: "locked for good"
        case .passwordProtected: "changing it needs a password or key"
        case .unknown: "unknown"
        }
    }
}
