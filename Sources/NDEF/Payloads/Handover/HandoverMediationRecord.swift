/// The first record of a handover mediation message: well-known type `Hm` (NFC Forum Connection Handover 1.5).
///
/// A third device opens with it when it brings together two devices that are not close enough for NFC. Each carrier is
/// described by another record of the same message, which ``NDEFMessage/record(for:)`` finds.
public struct HandoverMediationRecord: NDEFTypedPayload {
    let content: HandoverPayload

    /// The version of the standard that the message follows.
    public var version: HandoverVersion { content.version }
    /// The carriers offered, the preferred one first.
    public var carriers: [AlternativeCarrierRecord] { content.carriers }
    /// Records of other types, in their order.
    public var other: [NDEFRecord] { content.other }

    /// A message to be written.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `HO_OTHER_RECORD` where `other` has an alternative carrier, or the code of
    ///   a record that cannot be encoded.
    public init(
        version: HandoverVersion = .current,
        carriers: [AlternativeCarrierRecord],
        other: [NDEFRecord] = []
    ) throws(NDEFPayloadError) {
        content = try HandoverPayload(.mediation, version: version, carriers: carriers, other: other)
    }

    /// Well-known type `Hm`.
    public static let recordTypes = [NDEFRecordType.wellKnown("Hm")]
    /// `handoverMediation`.
    public static let kind = "handoverMediation"

    /// Decodes a payload. Records where they have no place are forgiven with a warning.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `HO_EMPTY` or `HO_MAJOR_VERSION`, or the code of the message inside or of
    ///   one of its records.
    public init(payload: [UInt8], warnings: inout [NDEFWarning.Code]) throws(NDEFPayloadError) {
        content = try HandoverPayload(.mediation, decoding: payload, warnings: &warnings)
    }

    /// A version byte and a message: carriers, others.
    public var payload: [UInt8] { content.payload }

    /// Such as `Handover mediation 1.3, 1 carrier`.
    public var description: String { content.description }
}
