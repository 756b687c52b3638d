/// Content of a media type (TNF 2; NFC Forum NDEF 1.0, §3.2.6 and RFC 2046) that has no form of its own here.
public struct MediaRecord: NDEFContent {
    /// The media type with its parameters, such as `text/plain;charset=utf-8`; at most 255 bytes can be encoded.
    public let type: String
    /// The content.
    public let data: [UInt8]

    /// Content of this media type.
    public init(type: String, data: [UInt8]) {
        self.type = type
        self.data = data
    }

    /// `media`.
    public static let kind = "media"

    /// A media record of this type, the data its payload.
    public func record(identifier: [UInt8]) -> NDEFRecord {
        NDEFRecord(typeNameFormat: .media, type: Array(type.utf8), identifier: identifier, payload: data)
    }

    /// The data as text where the media type says that it is text, and it is well-formed UTF-8; otherwise nil.
    public var text: String? {
        MediaType(type).isText ? String(utf8: data[...]) : nil
    }

    /// Such as `Media image/png`.
    public var description: String { "Media \(type.escaped)" }
}
