/// The first record of a handover request message: well-known type `Hr` (NFC Forum Connection Handover 1.5).
///
/// It offers carriers, such as Bluetooth, for a connection. Each is described by another record of the same message, which
/// ``NDEFMessage/record(for:)`` finds.
public struct HandoverRequestRecord: NDEFTypedPayload {
    let content: HandoverPayload

    /// The version of the standard that the message follows.
    public var version: HandoverVersion { content.version }
    /// A random number that decides which device's request counts where both send one; always there from version 1.2 on.
    public var collisionResolution: CollisionResolutionRecord? { content.collisionResolution }
    /// The carriers offered, the preferred one first. The standard asks for at least one.
    public var carriers: [AlternativeCarrierRecord] { content.carriers }
    /// Records of other types, in their order; also a second collision resolution record.
    public var other: [NDEFRecord] { content.other }

    /// A request to be written.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `HO_CR_MISSING` where a request of version 1.2 or later has no collision
    ///   resolution, `HO_OTHER_RECORD` where `other` has a record that belongs into another field, or the code of a record
    ///   that cannot be encoded.
    public init(
        version: HandoverVersion = .current,
        collisionResolution: CollisionResolutionRecord?,
        carriers: [AlternativeCarrierRecord],
        other: [NDEFRecord] = []
    ) throws(NDEFPayloadError) {
        content = try HandoverPayload(
            .request, version: version, collisionResolution: collisionResolution, carriers: carriers, other: other)
    }

    /// Well-known type `Hr`.
    public static let recordTypes = [NDEFRecordType.wellKnown("Hr")]
    /// `handoverRequest`.
    public static let kind = "handoverRequest"

    /// Decodes a payload. A missing carrier and records where they have no place are forgiven with a warning.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `HO_EMPTY`, `HO_MAJOR_VERSION` or `HO_CR_MISSING`, or the code of the
    ///   message inside or of one of its records.
    public init(payload: [UInt8], warnings: inout [NDEFWarning.Code]) throws(NDEFPayloadError) {
        content = try HandoverPayload(.request, decoding: payload, warnings: &warnings)
    }

    /// A version byte and a message: collision resolution, carriers, others.
    public var payload: [UInt8] { content.payload }

    /// Such as `Handover request 1.2, 1 carrier`.
    public var description: String { content.description }
}
