import CoreNFC
import NDEF

/// What a virtual tag holds as it is put on a reader.
enum TestTagContent: Sendable {
    /// What the product is delivered with.
    case asDelivered
    /// A formatted tag's nothing.
    case nothing
    case message(NFCNDEFMessage)
    /// A message of one link.
    case uri(String)

    /// A message, or nothing.
    init(_ message: NFCNDEFMessage?) {
        self = message.map { .message($0) } ?? .nothing
    }

    /// The message's bytes; nil for what the product is delivered with.
    func encoded() throws -> [UInt8]? {
        switch self {
        case .asDelivered: nil
        case .nothing: []
        case .message(let message): try message.encodedBytes()
        case .uri(let uri): try NDEF.NDEFMessage(records: [NDEFRecord(try URIRecord(uri))]).encoded()
        }
    }
}
