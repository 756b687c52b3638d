import FoundationEssentials
package import NDEF

/// What the extension requests of nfcd-web. There are these verbs and no others: an extension that was taken over cannot send
/// raw commands.
package enum WebRequest: Sendable, Hashable {
    /// The name of a document, which the extension makes.
    package typealias Document = String

    /// The first request: the version of the verbs that the extension speaks.
    case hello(version: Int)
    /// A document starts to scan. Its taps go to this scan until it stops.
    case scan(ScanID, Document, origin: String)
    /// A scan ends.
    case stop(ScanID, Document)
    /// The next tag of the document gets this message.
    case write(CallID, Document, origin: String, NDEFMessage, overwrite: Bool)
    /// The next tag of the document is made read-only.
    case lock(CallID, Document, origin: String)
    /// A scan that has not begun yet, or a write or a lock that has not touched a tag yet, is taken back.
    case cancel(CallID)
    /// The document that gets the taps from now on; nil: none.
    case front(Document?)
    /// A document is gone.
    case forget(Document)

    /// The number of a call, which the extension counts up.
    package typealias CallID = Int
    /// The number of the call that started a scan.
    package typealias ScanID = Int
}

extension WebRequest: Decodable {
    /// The longest names and texts, in bytes of UTF-8.
    private static let (longestDocument, longestOrigin) = (64, 512)
    /// The most bytes of an encoded message.
    package static let longestMessage = 32 * 1024
    /// The most records of a message.
    private static let mostRecords = 1_024

    private enum CodingKeys: String, CodingKey {
        case verb, version, id, document, origin, records, overwrite
    }

    private enum Verb: String, Decodable {
        case hello, scan, stop, write, lock, cancel, front, forget
    }

    /// Reads the payload of a frame.
    ///
    /// - Throws: `DecodingError` where it is not one of the requests, or exceeds a limit.
    package init(frame: [UInt8]) throws {
        self = try JSONDecoder().decode(WebRequest.self, from: Data(frame))
    }

    package init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: CodingKeys.self)
        func id() throws -> Int { try object.decode(Int.self, forKey: .id) }
        func document() throws -> String { try object.text(.document, Self.longestDocument) }
        func origin() throws -> String { try object.text(.origin, Self.longestOrigin) }
        switch try object.decode(Verb.self, forKey: .verb) {
        case .hello: self = .hello(version: try object.decode(Int.self, forKey: .version))
        case .scan: self = .scan(try id(), try document(), origin: try origin())
        case .stop: self = .stop(try id(), try document())
        case .write:
            self = .write(
                try id(), try document(), origin: try origin(), try Self.message(object),
                overwrite: try object.decode(Bool.self, forKey: .overwrite))
        case .lock: self = .lock(try id(), try document(), origin: try origin())
        case .cancel: self = .cancel(try id())
        case .front: self = .front(try object.decodeNil(forKey: .document) ? nil : try document())
        case .forget: self = .forget(try document())
        }
    }

    private static func message(_ object: KeyedDecodingContainer<CodingKeys>) throws -> NDEFMessage {
        let records = try object.decode([NDEFRecord].self, forKey: .records)
        guard records.count <= mostRecords, let bytes = try? NDEFMessage(records: records).encoded(),
            bytes.count <= longestMessage
        else {
            throw DecodingError.dataCorruptedError(
                forKey: .records, in: object,
                debugDescription: "more than \(longestMessage) bytes or \(mostRecords) records, or no NDEF message")
        }
        return NDEFMessage(records: records)
    }
}

extension KeyedDecodingContainer {
    fileprivate func text(_ key: Key, _ limit: Int) throws -> String {
        let text = try decode(String.self, forKey: key)
        guard text.utf8.count <= limit else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "longer than \(limit) bytes")
        }
        return text
    }
}
