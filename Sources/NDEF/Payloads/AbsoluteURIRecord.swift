/// A record whose type is an absolute URI (TNF 3; NFC Forum NDEF 1.0, §3.2.6 and RFC 3986).
///
/// The URI tells of what kind the payload is; many writers mean the URI itself and leave the payload empty.
public struct AbsoluteURIRecord: NDEFContent {
    /// The URI; at most 255 bytes can be encoded.
    public let uri: String
    /// The content that the URI is the type of.
    public let data: [UInt8]

    /// Content whose type is this URI.
    public init(_ uri: String, data: [UInt8] = []) {
        self.uri = uri
        self.data = data
    }

    /// `absoluteURI`.
    public static let kind = "absoluteURI"

    /// An absolute URI record, the data its payload.
    public func record(identifier: [UInt8]) -> NDEFRecord {
        NDEFRecord(typeNameFormat: .absoluteURI, type: Array(uri.utf8), identifier: identifier, payload: data)
    }

    /// Such as `Absolute URI https://example.com`.
    public var description: String { "Absolute URI \(uri.escaped)" }
}
