/// The record that says nothing (TNF 0; NFC Forum NDEF 1.0, §3.2.6).
public struct EmptyRecord: NDEFContent {
    /// The empty record.
    public init() {}

    /// `empty`.
    public static let kind = "empty"

    /// The empty record. It has no identifier: with one, it cannot be encoded.
    public func record(identifier: [UInt8]) -> NDEFRecord {
        NDEFRecord(typeNameFormat: .empty, identifier: identifier)
    }

    /// `Empty`.
    public var description: String { "Empty" }
}
