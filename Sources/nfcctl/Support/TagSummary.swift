import NDEF
import NFCClient
import NFCProtocol
import NFCTypes

/// A tag as text: `NFC Forum Type 2 (miFare), UID 04:6E:11:04:4D:5A:80`.
struct TagSummary: CustomStringConvertible {
    private let kind: String
    private let identifier: [UInt8]

    /// The UID as text; `unknown` if the reader does not report it.
    var uid: String { identifier.isEmpty ? "unknown" : HexDump.pairs(identifier, separator: ":") }

    var description: String { "\(kind), UID \(uid)" }

    private init(_ type: TagType, _ technology: String?, _ identifier: HexBytes, product: String? = nil) {
        kind = (product ?? technology).map { "\($0.escaped) (\(type.rawValue))" } ?? type.rawValue
        self.identifier = identifier.bytes
    }

    init(_ tag: SessionDidDetectTags.Tag) {
        self.init(tag.type, tag.technology, tag.identifier)
    }

    init(_ tag: SessionDidDetectNDEFs) {
        self.init(tag.type, tag.technology, tag.identifier, product: tag.product)
    }

    init(_ tap: BackgroundDidReadTag) {
        self.init(tap.tag.type, tap.tag.technology, tap.tag.identifier, product: tap.tag.product)
    }

    init(_ removal: BackgroundTagRemoved) {
        let tag = removal.tag
        self.init(tag.type, tag.technology, tag.identifier, product: tag.product)
    }
}

extension SessionEnd {
    /// The reason as text; for a busy reader, with the program that holds it and what to do.
    var explanation: String {
        if [.unsupportedFeature, .radioDisabled].contains(code), !detail.isEmpty {
            // The cause first: CoreNFC's texts are about a telephone.
            return "\(detail.printable) (\(message), \(code.rawValue) \(name)). Run 'nfcctl doctor' to see why."
        }
        guard code == .systemIsBusy else { return "\(self)".printableLines }
        let holder = "\(self)".replacing(/pid ([0-9]+)/) { match in
            MachineFiles().word("/proc/\(match.1)/comm").map { "\(match.0) (\($0))" } ?? "\(match.0)"
        }
        return "\(holder.escaped). Wait for it with --wait, or use another reader with --reader."
    }
}

extension SessionTagFailed {
    /// Reports a tag that cannot be used, on standard error.
    func report() {
        Terminal.clearStatus()
        Terminal.error("Cannot use the tag on \(reader.escaped): \(detail.escaped)")
    }
}

extension [NDEFRecord] {
    /// The records in one line, for people.
    var summary: String { map { "\($0)" }.joined(separator: "; ") }
}
