import ArgumentParser
import NDEF
import NFCClient
import NFCProtocol
import NFCTypes

/// `nfcctl info`: identifies a tag.
struct InfoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Show the product, memory, locks and NDEF status of the next tag.",
        discussion: """
            The details depend on the reader: versions, signatures and counters require a reader that supports raw \
            commands.

            Examples:
              nfcctl info
              nfcctl info --json | jq -r .product
            """)

    @OptionGroup var options: TagOptions

    func run() async throws {
        let json = options.json
        try await TagOperation(options: options, requires: TagDescribe.requirement).run { tag in
            let sheet = try await InfoReport(of: tag)
            if json {
                Terminal.print(json: TagEvent(event: "info", tag: tag.facts, extra: sheet))
            } else {
                for line in sheet.lines(of: tag) { Terminal.print(line) }
            }
        }
    }
}

/// The description of a tag.
struct InfoReport: Encodable {
    private enum CodingKeys: String, CodingKey {
        case reason, ndef, ndefReason
    }

    let description: TagDescription?
    /// The reason why there is no description.
    let reason: String?
    /// Nil where the tag refused to show it.
    let ndef: TagQueryNDEFStatus.Result?
    /// What the tag refused, if there is no status.
    let ndefReason: String?

    /// Asks for both; what is refused is left out, with the reason.
    ///
    /// - Throws: the refusal, where the tag refuses both.
    init(of tag: RemoteTag) async throws {
        var refusal: NFCClientError?
        do {
            description = try await tag.describe()
            reason = nil
        } catch let error as NFCClientError where error.isRefusedByTag {
            if error.nfcCode == .tagResponseError { refusal = error }
            description = nil
            reason = error.detail ?? "\(error)"
        }
        do {
            ndef = try await tag.queryNDEFStatus(content: true)
            ndefReason = nil
        } catch let error as NFCClientError where error.nfcCode == .tagResponseError {
            if let refusal { throw refusal }
            ndef = nil
            ndefReason = error.detail ?? "\(error)"
        }
    }

    func encode(to encoder: any Encoder) throws {
        try description?.encode(to: encoder)
        var object = encoder.container(keyedBy: CodingKeys.self)
        try object.encodeIfPresent(reason, forKey: .reason)
        // Null instead of missing: the field is part of the fixed interface.
        try object.encode(ndef, forKey: .ndef)
        try object.encodeIfPresent(ndefReason, forKey: .ndefReason)
    }

    /// The lines of a table with two columns.
    func lines(of tag: RemoteTag) -> [String] {
        let rows =
            Self.rows(tag) + descriptionRows(tag) + [("NDEF", ndefSummary), ("Content", contentSummary)] + fieldRows
        let columns = (rows.map(\.0.count).max() ?? 0) + 2
        let width = max(Self.minimumWidth, min(Self.width, (OutputStyle.output.width ?? .max) - columns))
        return rows.flatMap { FieldTable.beside($0, columns: columns, TextLines.wrap($1, to: width)) }
    }

    private static let width = 64
    private static let minimumWidth = 20

    private static func rows(_ tag: RemoteTag) -> [(String, String)] {
        [
            ("Tag", tag.facts.technology.escaped), ("UID", TagSummary(tag.facts).uid),
            ("Reader", tag.facts.readerName.escaped),
        ]
    }

    private func descriptionRows(_ tag: RemoteTag) -> [(String, String)] {
        guard let description else { return [("Product", "unknown: \((reason ?? "").escaped)")] }
        let block = "blocks of \(description.blockSize) bytes"
        return [
            ("Product", (description.product ?? "unknown").escaped),
            ("Manufacturer", (description.manufacturer ?? "unknown").escaped),
            ("Memory", description.memorySize.map { "\($0) bytes, \(block)" } ?? "size unknown, \(block)"),
            ("Lock", Self.lockText(description.lockState, tag)),
        ]
    }

    /// The capability container of a card only says that its message is not to be written. With keys, the card's access rights may
    /// be changed.
    private static func lockText(_ state: LockState, _ tag: RemoteTag) -> String {
        guard state == .locked, tag.facts.technology.hasPrefix("ISO 14443-4") else { return state.summary }
        return "read-only; on a card with keys, the key for its access rights can undo this"
    }

    private var fieldRows: [(String, String)] {
        (description?.fields ?? []).map { ($0.label.escaped, $0.value.escaped) }
    }

    /// Whether the message cannot be replaced, but a part of it may be changed, as the part of an OpenPrintTag that says what was used.
    private var isPartlyOpen: Bool { description?.lockState == .partlyLocked }

    private var ndefSummary: String {
        guard let ndef else { return "refused: \((ndefReason ?? "").escaped)" }
        return switch ndef.status {
        case .notSupported: "none: \((ndef.reason ?? "not formatted").escaped)"
        case .readOnly:
            "\(ndef.capacity) bytes, read-only\(isPartlyOpen ? "; blocks that are not locked can be changed" : "")"
        case .readWrite: "\(ndef.capacity) bytes, writable"
        }
    }
}

extension InfoReport {
    /// What the memory holds, as far as that can be seen.
    private var contentSummary: String {
        guard let ndef else { return "unknown: \((ndefReason ?? "").escaped)" }
        let found = ndef.content?.words
        guard ndef.status == .notSupported else { return found.map { "NDEF, and \($0)" } ?? "NDEF" }
        if let found { return found }
        if let other = ndef.overwrites { return Self.withoutSubject(other).escaped }
        return ndef.formattable == true ? "none: the memory is blank" : "unknown: \((ndef.obstacle ?? "").escaped)"
    }

    private static func withoutSubject(_ sentence: String) -> String {
        let subject = "the memory holds "
        return sentence.hasPrefix(subject) ? String(sentence.dropFirst(subject.count)) : sentence
    }
}

extension TagContent {
    /// The content with its place: `an Elegoo filament tag from block 16 on`.
    var words: String { "\(name.escaped) from block \(block) on" }
    /// Whether `nfcctl spool show` reads it.
    var isSpool: Bool { format != "library" }
}

extension NFCClientError {
    /// Whether the tag is there, and does not support or permit the command.
    fileprivate var isRefusedByTag: Bool { nfcCode == .unsupportedFeature || nfcCode == .tagResponseError }
}

extension LockState {
    fileprivate var summary: String {
        switch self {
        case .unlocked: "not locked"
        case .partlyLocked: "partly locked"
        case .locked: "permanently locked"
        case .passwordProtected: "protected by a password or key"
        case .unknown: "unknown"
        }
    }
}
