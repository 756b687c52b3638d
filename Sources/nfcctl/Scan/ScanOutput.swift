import NDEF
import NFCClient
import NFCProtocol
import NFCTypes
import Synchronization

/// The output of a scan.
protocol ScanOutput: Sendable {
    /// The session is active on these readers.
    func begin(readers: [ReadersList.Reader])

    /// The scan waits for the next tag. `secondsLeft` is nil until the session is active.
    func waiting(_ secondsLeft: Double?)

    /// A tag was read.
    func tag(_ tag: SessionDidDetectNDEFs)

    /// A tag was detected, but could not be read.
    func failed(_ tag: SessionDidDetectNDEFs)

    /// A tag cannot be used.
    func failed(_ failure: SessionTagFailed)

    /// A tag was read, but has not proven itself as required.
    func unproven(_ tag: SessionDidDetectNDEFs)

    /// The session has ended.
    func end(_ end: SessionEnd)
}

extension ScanOutput {
    func failed(_ failure: SessionTagFailed) { failure.report() }

    func unproven(_ tag: SessionDidDetectNDEFs) {
        Terminal.clearStatus()
        Terminal.error(
            "The tag on \(tag.readerName.escaped) does not count: "
                + (tag.proof?.text ?? "no profile of nfcd fits it"))
    }
}

/// A scan as text: results on standard output, everything else on standard error.
final class ScanTextOutput: ScanOutput {
    private let readerNames = Mutex("a reader")

    func begin(readers: [ReadersList.Reader]) {
        let names = readers.map { $0.name.escaped }
        readerNames.withLock { $0 = names.isEmpty ? "a reader" : names.joined(separator: " or ") }
        guard !Terminal.showsStatus, !readers.isEmpty else { return }
        Terminal.error("Hold a tag to \(readerNames.withLock { $0 }). Press Ctrl-C to stop.")
    }

    func waiting(_ secondsLeft: Double?) {
        guard let secondsLeft else { return Terminal.status("Waiting for a reader… Press Ctrl-C to stop.") }
        let seconds = Int(max(0, secondsLeft).rounded(.up))
        Terminal.status("Hold a tag to \(readerNames.withLock { $0 }): \(seconds) s left. Press Ctrl-C to stop.")
    }

    func tag(_ tag: SessionDidDetectNDEFs) {
        Terminal.clearStatus()
        Terminal.print("Tag on \(tag.readerName.escaped): \(TagSummary(tag))")
        if let proof = tag.proof { Terminal.print("  \(proof.text)") }
        for record in tag.messages.flatMap(\.records).enumerated() {
            Terminal.print("  \(record.offset + 1)  \(record.element)")
        }
        if let error = tag.error { Terminal.print("  \(error.words) (\(error.detail.escaped))") }
        if let advice = tag.proof?.linkAdvice { Terminal.print("  \(advice)") }
    }

    func failed(_ tag: SessionDidDetectNDEFs) {
        Terminal.clearStatus()
        tag.error?.report(on: tag.readerName)
    }

    func end(_ end: SessionEnd) {
        Terminal.clearStatus()
        if end.code != .userCanceled { Terminal.error(end.explanation) }
    }
}

/// The line of JSON for a tag that was read. The fields are a fixed interface; later versions may add more.
struct TapLine: Encodable {
    fileprivate struct Identity: Encodable {
        let type: TagType
        let identifier: HexBytes
        let product: String?
    }

    private let event = "tag"
    private let reader: String
    private let readerName: String
    private let tag: Identity
    private let message: NDEFMessage?
    private let uri: String?
    private let text: String?
    private let error: SessionDidDetectNDEFs.Failure?
    private let proof: TapProof?

    private enum CodingKeys: String, CodingKey {
        case event, reader, readerName, tag, message, uri, text, error, proof
    }

    init(_ tag: SessionDidDetectNDEFs) {
        (reader, readerName) = (tag.reader, tag.readerName)
        self.tag = Identity(type: tag.type, identifier: tag.identifier, product: tag.product)
        (message, error, proof) = (tag.messages.first, tag.error, tag.proof)
        (uri, text) = (message?.firstWebURI, message?.firstText)
    }

    init(_ tap: BackgroundDidReadTag) {
        (reader, readerName) = (tap.reader, tap.readerName)
        tag = Identity(type: tap.tag.type, identifier: tap.tag.identifier, product: tap.tag.product)
        (message, error, proof) = (tap.messages.first, tap.error, tap.proof)
        (uri, text) = (tap.uri, tap.text)
    }

    func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: CodingKeys.self)
        try object.encode(event, forKey: .event)
        try object.encode(reader, forKey: .reader)
        try object.encode(readerName, forKey: .readerName)
        try object.encode(tag, forKey: .tag)
        // Null instead of missing: the field is part of the fixed interface.
        try object.encode(message, forKey: .message)
        try object.encodeIfPresent(uri, forKey: .uri)
        try object.encodeIfPresent(text, forKey: .text)
        try object.encodeIfPresent(error, forKey: .error)
        try object.encodeIfPresent(proof, forKey: .proof)
    }
}

/// The line of JSON for a tag that left.
struct RemovalLine: Encodable {
    private let event = "removed"
    private let reader: String
    private let readerName: String
    private let tag: TapLine.Identity

    init(_ removal: BackgroundTagRemoved) {
        (reader, readerName) = (removal.reader, removal.readerName)
        tag = TapLine.Identity(
            type: removal.tag.type, identifier: removal.tag.identifier, product: removal.tag.product)
    }
}

/// A scan as lines of JSON.
struct ScanJSONOutput: ScanOutput {
    private struct End: Encodable {
        let event = "invalidated"
        let code: Int
        let name: String
        let message: String
        let detail: String
    }

    func begin(readers: [ReadersList.Reader]) {}

    func waiting(_ secondsLeft: Double?) {}

    func tag(_ tag: SessionDidDetectNDEFs) {
        Terminal.print(json: TapLine(tag))
    }

    func failed(_ tag: SessionDidDetectNDEFs) { self.tag(tag) }

    func end(_ end: SessionEnd) {
        Terminal.print(
            json: End(code: end.code.rawValue, name: end.name, message: end.message, detail: end.detail))
    }
}

extension SessionDidDetectNDEFs.Failure {
    /// Whether the tag could not be read; otherwise it was read and has no message.
    var isOfReading: Bool {
        ![NFCErrorCode.unsupportedFeature.rawValue, NFCErrorCode.zeroLengthMessage.rawValue].contains(code)
    }

    /// Why there is no message. A card without one is not a fault: it may have proven itself.
    var words: String {
        switch code {
        case NFCErrorCode.unsupportedFeature.rawValue: "no NDEF message"
        case NFCErrorCode.zeroLengthMessage.rawValue: "no message"
        default: "no message: \(message.escaped)"
        }
    }

    /// Reports a tag that could not be read, on standard error.
    func report(on readerName: String) {
        let failure = "Cannot read the tag on \(readerName.printable): "
        if let options = NFCClientError.passwordOptions(for: detail) {
            // The tag has answered, and holding it longer does not change that. What it answered is in the form for programs.
            let reason = detail.replacing(/(?:; give (?:it|both) first)?: command [0-9A-F]{2}: .*/, with: "")
            return Terminal.error(
                failure + "\(reason.printable). nfcctl read takes \(options.count > 1 ? "them" : "it") with "
                    + "\(options.joined(separator: " ")).")
        }
        // A tag that stays does not help while another program holds the reader.
        let isHeld = detail.contains("another program")
        let advice = isHeld ? "Wait until it releases the reader, or end it." : "Hold it there longer."
        Terminal.error(failure + "\(detail.isEmpty ? message : detail.printable) (\(message)). \(advice)")
    }
}
