/// Content of an external type (TNF 4; NFC Forum RTD 1.0, §3.3) that has no form of its own here.
public struct ExternalRecord: NDEFContent {
    /// The type: a domain, a colon and a name, such as `example.com:lock`; at most 255 bytes can be encoded.
    public let type: String
    /// The content.
    public let data: [UInt8]

    /// Content of this external type.
    public init(type: String, data: [UInt8]) {
        self.type = type
        self.data = data
    }

    /// `external`.
    public static let kind = "external"

    /// An external record of this type, the data its payload.
    public func record(identifier: [UInt8]) -> NDEFRecord {
        NDEFRecord(typeNameFormat: .nfcExternal, type: Array(type.utf8), identifier: identifier, payload: data)
    }

    /// Such as `External example.com:lock`.
    public var description: String { "External \(type.escaped)" }
}
