/// The first record of a handover select message: well-known type `Hs` (NFC Forum Connection Handover 1.5).
///
/// It names the carriers that a device, or the device that a tag belongs to, can be reached by. Each is described by
/// another record of the same message, which ``NDEFMessage/record(for:)`` finds.
public struct HandoverSelectRecord: NDEFTypedPayload {
    let content: HandoverPayload

    /// The version of the standard that the message follows.
    public var version: HandoverVersion { content.version }
    /// The carriers selected, the preferred one first; empty where none fits.
    public var carriers: [AlternativeCarrierRecord] { content.carriers }
    /// Why the request could not be processed.
    public var error: HandoverErrorRecord? { content.error }
    /// Records of other types, in their order; also a second error record.
    public var other: [NDEFRecord] { content.other }

    /// A selection to be written.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `HO_OTHER_RECORD` where `other` has a record that belongs into another
    ///   field, or the code of a record that cannot be encoded.
    public init(
        version: HandoverVersion = .current,
        carriers: [AlternativeCarrierRecord],
        error: HandoverErrorRecord? = nil,
        other: [NDEFRecord] = []
    ) throws(NDEFPayloadError) {
        content = try HandoverPayload(.select, version: version, carriers: carriers, error: error, other: other)
    }

    /// Well-known type `Hs`.
    public static let recordTypes = [NDEFRecordType.wellKnown("Hs")]
    /// `handoverSelect`.
    public static let kind = "handoverSelect"

    /// Decodes a payload. Records where they have no place are forgiven with a warning.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `HO_EMPTY` or `HO_MAJOR_VERSION`, or the code of the message inside or of
    ///   one of its records.
    public init(payload: [UInt8], warnings: inout [NDEFWarning.Code]) throws(NDEFPayloadError) {
        content = try HandoverPayload(.select, decoding: payload, warnings: &warnings)
    }

    /// A version byte and a message: carriers, error, others.
    public var payload: [UInt8] { content.payload }

    /// Such as `Handover select 1.2, 1 carrier`.
    public var description: String { content.description }
}
