/// Content of unknown type (TNF 5; NFC Forum NDEF 1.0, §3.2.6); also that of records of reserved type name format.
public struct UnknownRecord: NDEFContent {
    /// The content.
    public let data: [UInt8]

    /// Content of unknown type.
    public init(data: [UInt8]) {
        self.data = data
    }

    /// `unknown`.
    public static let kind = "unknown"

    /// A record of unknown type, the data its payload.
    public func record(identifier: [UInt8]) -> NDEFRecord {
        NDEFRecord(typeNameFormat: .unknown, identifier: identifier, payload: data)
    }

    /// `Unknown`.
    public var description: String { "Unknown" }
}
