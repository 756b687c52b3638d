/// How large the object is that the URI of the Smart Poster around leads to: local type `s` (NFC Forum RTD Smart Poster
/// 1.0).
///
/// The payload is a number of four bytes, the highest first.
public struct SizeRecord: NDEFTypedPayload {
    /// The size in bytes.
    public let size: UInt32

    /// A size in bytes to be written.
    public init(_ size: UInt32) {
        self.size = size
    }

    /// Well-known type `s`.
    public static let recordTypes = [NDEFRecordType.wellKnown("s")]
    /// `size`.
    public static let kind = "size"

    /// Decodes a payload.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `SIZE_LENGTH`.
    public init(payload: [UInt8], warnings: inout [NDEFWarning.Code]) throws(NDEFPayloadError) {
        var reader = ByteReader(payload)
        guard let size = reader.uint32(), reader.isAtEnd else {
            let reason = "the size record has \(counted(payload.count, "byte")) in place of 4"
            throw NDEFPayloadError(.sizeLength, reason)
        }
        self.size = size
    }

    /// The size in four bytes, the highest first.
    public var payload: [UInt8] { size.bigEndianBytes }

    /// Such as `Size 10000`.
    public var description: String { "Size \(size)" }
}

extension NDEFPayloadError.Code {
    /// A size payload is not four bytes long.
    public static let sizeLength = Self(rawValue: "SIZE_LENGTH")
}
