import NDEF
import NFCProtocol
import Synchronization

/// How a scan is shown.
protocol ScanOutput: Sendable {
    /// The session was asked for.
    func begin(readers: [ReadersList.Reader])

    /// Something happened, and the scan waits for more; nil: the session is not active yet.
    func waiting(secondsLeft: Double?)

    /// A tag was read.
    func tag(_ tag: SessionDidDetectNDEFs<NDEFMessage>)

    /// A tag could not be connected to.
    func failed(_ failure: SessionTagFailed)

    /// The session is over.
    func end(_ reason: SessionDidInvalidate)
}

extension ScanOutput {
    func failed(_ failure: SessionTagFailed) {
        Terminal.clearStatus()
        Terminal.error("A tag on \(failure.reader.escaped) could not be used: \(failure.detail.escaped)")
    }
}

/// A scan for people: results on standard output, everything else on standard error.
final class ScanTextOutput: ScanOutput {
    private let place = Mutex("a reader")

    func begin(readers: [ReadersList.Reader]) {
        let names = readers.map { $0.name.escaped }
        place.withLock { $0 = names.isEmpty ? "a reader, once there is one" : names.joined(separator: " or ") }
        guard !Terminal.showsStatus, !readers.isEmpty else { return }
        Terminal.error("Hold a tag to \(place.withLock { $0 }). Ctrl-C ends.")
    }

    func waiting(secondsLeft: Double?) {
        guard let secondsLeft else { return Terminal.status("Waiting for a reader… Ctrl-C ends.") }
        let seconds = Int(max(0, secondsLeft).rounded(.up))
        Terminal.status("Hold a tag to \(place.withLock { $0 }): \(seconds) s left. Ctrl-C ends.")
    }

    func tag(_ tag: SessionDidDetectNDEFs<NDEFMessage>) {
        Terminal.clearStatus()
        let kind = tag.technology.map { "\(tag.type.rawValue), \($0)" } ?? tag.type.rawValue
        Terminal.print("Tag on \(tag.readerName.escaped): \(kind.escaped), UID \(uid(tag.identifier))")
        for record in tag.messages.flatMap(\.records).enumerated() {
            Terminal.print("  \(record.offset + 1)  \(record.element)")
        }
        if let error = tag.error { Terminal.print("  no message: \(error.message) (\(error.detail.escaped))") }
    }

    func end(_ reason: SessionDidInvalidate) {
        Terminal.clearStatus()
        guard reason.nfcCode != .userCanceled else { return }
        let detail = reason.detail.isEmpty ? "" : ": \(reason.detail.escaped)"
        Terminal.error("\(reason.message)\(detail) (\(reason.code) \(reason.name))")
    }

    private func uid(_ identifier: HexBytes) -> String {
        guard !identifier.bytes.isEmpty else { return "unknown" }
        return identifier.bytes.map { HexBytes([$0]).description }.joined(separator: ":")
    }
}

/// A scan as lines of JSON. The fields are fixed; more may come.
struct ScanJSONOutput: ScanOutput {
    private struct Tag: Encodable {
        struct Identity: Encodable {
            let type: TagType
            let identifier: HexBytes
        }

        let event = "tag"
        let reader: String
        let readerName: String
        let tag: Identity
        let message: NDEFMessage?
        let error: SessionDidDetectNDEFs<NDEFMessage>.Failure?

        private enum CodingKeys: String, CodingKey {
            case event, reader, readerName, tag, message, error
        }

        func encode(to encoder: any Encoder) throws {
            var object = encoder.container(keyedBy: CodingKeys.self)
            try object.encode(event, forKey: .event)
            try object.encode(reader, forKey: .reader)
            try object.encode(readerName, forKey: .readerName)
            try object.encode(tag, forKey: .tag)
            // Null, not left out: whoever reads the line looks for it.
            try object.encode(message, forKey: .message)
            try object.encodeIfPresent(error, forKey: .error)
        }
    }

    private struct End: Encodable {
        let event = "invalidated"
        let code: Int
        let name: String
        let message: String
        let detail: String
    }

    func begin(readers: [ReadersList.Reader]) {}

    func waiting(secondsLeft: Double?) {}

    func tag(_ tag: SessionDidDetectNDEFs<NDEFMessage>) {
        Terminal.print(
            json: Tag(
                reader: tag.reader, readerName: tag.readerName,
                tag: .init(type: tag.type, identifier: tag.identifier), message: tag.messages.first, error: tag.error))
    }

    func end(_ reason: SessionDidInvalidate) {
        Terminal.print(
            json: End(code: reason.code, name: reason.name, message: reason.message, detail: reason.detail))
    }
}
