import NDEF
import NFCProtocol

/// A scan as lines of JSON. The fields are fixed; more may come.
struct ScanJSONOutput: ScanOutput {
    private struct Tag: Encodable {
        struct Identity: Encodable {
            let type: WireTagType
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
