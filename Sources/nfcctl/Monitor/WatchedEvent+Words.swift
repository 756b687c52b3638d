import NDEF
import NFCClient
import NFCProtocol

extension BackgroundDidReadTag<NDEFMessage> {
    /// A line for people: what lies where, and what it says.
    var words: String {
        let kind = tag.technology.map { "\(tag.type.rawValue), \($0)" } ?? tag.type.rawValue
        let records = messages.flatMap(\.records).map { "\($0)" }.joined(separator: "; ")
        let content = error.map { "no message: \($0.message)" } ?? records
        return "\(readerName.escaped): \(kind.escaped), UID \(uid): \(content)"
    }

    private var uid: String { tag.identifier.bytes.isEmpty ? "unknown" : tag.identifier.description }
}

extension WatchedEvent {
    /// A line for people.
    var words: String {
        switch self {
        case .didReadTag(let event): "tap on \(event.words)"
        case .readerAttached(let event): "reader \(event.reader.escaped) attached: \(event.name.escaped)"
        case .readerDetached(let event): "reader \(event.reader.escaped) detached"
        case .readerFailed(let event): "reader \(event.reader.escaped) failed: \(event.failure.escaped)"
        case .readerRecovered(let event): "reader \(event.reader.escaped) works again"
        case .tagArrived(let event): "a tag came to \(event.reader.escaped)"
        case .tagLeft(let event): "the tag left \(event.reader.escaped)"
        case .sessionBegan(let event):
            "\(event.session) of uid \(event.client.uid), pid \(event.client.pid) holds "
                + event.readers.joined(separator: ", ").escaped
        case .sessionEnded(let event): "\(event.session) ended: \(event.code) \(event.name)"
        }
    }
}
