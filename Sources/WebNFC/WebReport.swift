import FoundationEssentials
package import NDEF
import NFCTypes

/// What nfcd-web reports to the extension.
package enum WebReport: Sendable, Hashable {
    /// The answer to `hello`: the version of the verbs, and the release.
    case hello(version: Int, release: String)
    /// A scan has begun, or a tag was written or locked.
    case done(WebRequest.CallID)
    /// A call failed.
    case failed(WebRequest.CallID, WebError)
    /// A tag was read. Without records: it has none.
    case tap(WebRequest.Document, scans: [WebRequest.ScanID], identifier: [UInt8], NDEFMessage)
    /// A tag came that could not be read.
    case tapError(WebRequest.Document, scans: [WebRequest.ScanID], reason: String)
    /// What the reader session is doing, for people.
    case state(SessionActivity)

    /// What the reader session is doing.
    package enum SessionActivity: String, Sendable, Hashable, Encodable {
        /// There is none.
        case none
        /// It waits for nfcd, a reader, or another program's session.
        case waiting
        /// It polls for tags.
        case active
    }
}

extension WebReport: Encodable {
    private enum CodingKeys: String, CodingKey {
        case event, version, release, id, error, document, scans, serialNumber, records, reason, session
    }

    private enum RecordKeys: String, CodingKey {
        case typeNameFormat, type, identifier, payload
    }

    /// The payload of a frame; nil where it would exceed ``NativeFrame/longestToBrowser``.
    package var frame: [UInt8]? {
        guard let bytes = try? JSONEncoder().encode(self), bytes.count <= NativeFrame.longestToBrowser else {
            return nil
        }
        return Array(bytes)
    }

    /// What is reported where the report does not fit in a frame: a tap whose message is too long for the browser.
    package var shortened: WebReport? {
        guard case .tap(let document, let scans, _, _) = self else { return nil }
        return .tapError(document, scans: scans, reason: "The message on the tag is too long for a page.")
    }

    package func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .hello(let version, let release):
            try object.encode("hello", forKey: .event)
            try object.encode(version, forKey: .version)
            try object.encode(release, forKey: .release)
        case .done(let id):
            try object.encode("done", forKey: .event)
            try object.encode(id, forKey: .id)
        case .failed(let id, let error):
            try object.encode("failed", forKey: .event)
            try object.encode(id, forKey: .id)
            try object.encode(error, forKey: .error)
        case .tap(let document, let scans, let identifier, let message):
            try object.encode("tap", forKey: .event)
            try object.encode(document, forKey: .document)
            try object.encode(scans, forKey: .scans)
            try object.encode(Self.serialNumber(identifier), forKey: .serialNumber)
            try encode(message, &object)
        case .tapError(let document, let scans, let reason):
            try object.encode("tapError", forKey: .event)
            try object.encode(document, forKey: .document)
            try object.encode(scans, forKey: .scans)
            try object.encode(reason, forKey: .reason)
        case .state(let state):
            try object.encode("state", forKey: .event)
            try object.encode(state, forKey: .session)
        }
    }

    private func encode(_ message: NDEFMessage, _ object: inout KeyedEncodingContainer<CodingKeys>) throws {
        var records = object.nestedUnkeyedContainer(forKey: .records)
        for record in message.records {
            var fields = records.nestedContainer(keyedBy: RecordKeys.self)
            try fields.encode(record.typeNameFormat, forKey: .typeNameFormat)
            try fields.encode(Hexadecimal.string(record.type), forKey: .type)
            try fields.encode(Hexadecimal.string(record.identifier), forKey: .identifier)
            try fields.encode(Hexadecimal.string(record.payload), forKey: .payload)
        }
    }

    /// The identifier's bytes in their order, two lower-case digits each, joined by colons (Web NFC, serial number).
    private static func serialNumber(_ identifier: [UInt8]) -> String {
        identifier.map { Hexadecimal.string($0).lowercased() }.joined(separator: ":")
    }
}
