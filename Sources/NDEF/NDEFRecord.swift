/// One record of an NDEF message, chunks already put together (NFC Forum NDEF 1.0, §3.2).
///
/// The four fields are kept as they were found. What the payload means is ``decoded``.
public struct NDEFRecord: Sendable, Hashable {
    /// How ``type`` is to be read (TNF).
    public var typeNameFormat: TypeNameFormat
    /// The TYPE field; at most 255 bytes can be encoded.
    public var type: [UInt8]
    /// The ID field, a URI reference by which other records may refer to this one; empty when there is none.
    /// At most 255 bytes can be encoded.
    public var identifier: [UInt8]
    /// The PAYLOAD field; at most 2³² − 1 bytes can be encoded.
    public var payload: [UInt8]

    /// A record of these fields. Nothing is checked before the record is encoded.
    public init(
        typeNameFormat: TypeNameFormat,
        type: [UInt8] = [],
        identifier: [UInt8] = [],
        payload: [UInt8] = []
    ) {
        self.typeNameFormat = typeNameFormat
        self.type = type
        self.identifier = identifier
        self.payload = payload
    }
}
