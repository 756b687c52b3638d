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

extension HandoverRequestRecord {
    /// Writes `version`, `carriers` (alternative carriers in their own form); `collisionResolution` (in its own form) and
    /// `other` (records, raw) where there are any.
    public func encode(to encoder: any Encoder) throws {
        try content.encode(to: encoder)
    }

    /// Reads `version` (1.5 where missing), `collisionResolution` (needed from version 1.2 on), `carriers` and `other`
    /// (none where missing).
    public init(from decoder: any Decoder) throws {
        content = try HandoverPayload(.request, from: decoder)
    }
}

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

extension HandoverSelectRecord {
    /// Writes `version`, `carriers` (alternative carriers in their own form); `error` (in its own form) and `other`
    /// (records, raw) where there are any.
    public func encode(to encoder: any Encoder) throws {
        try content.encode(to: encoder)
    }

    /// Reads `version` (1.5 where missing), `carriers`, `error` and `other` (none where missing).
    public init(from decoder: any Decoder) throws {
        content = try HandoverPayload(.select, from: decoder)
    }
}

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

extension HandoverMediationRecord {
    /// Writes `version`, `carriers` (alternative carriers in their own form), and `other` (records, raw) where there are
    /// any.
    public func encode(to encoder: any Encoder) throws {
        try content.encode(to: encoder)
    }

    /// Reads `version` (1.5 where missing), `carriers` and `other` (none where missing).
    public init(from decoder: any Decoder) throws {
        content = try HandoverPayload(.mediation, from: decoder)
    }
}

/// The first record of a handover initiate message: well-known type `Hi` (NFC Forum Connection Handover 1.5).
///
/// A third device, which brings together two that are not close enough for NFC, tells one of them with it to connect to
/// the other. Each carrier is described by another record of the same message, which ``NDEFMessage/record(for:)`` finds.
public struct HandoverInitiateRecord: NDEFTypedPayload {
    let content: HandoverPayload

    /// The version of the standard that the message follows.
    public var version: HandoverVersion { content.version }
    /// The carriers to connect by, the preferred one first.
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
        content = try HandoverPayload(.initiate, version: version, carriers: carriers, other: other)
    }

    /// Well-known type `Hi`.
    public static let recordTypes = [NDEFRecordType.wellKnown("Hi")]
    /// `handoverInitiate`.
    public static let kind = "handoverInitiate"

    /// Decodes a payload. Records where they have no place are forgiven with a warning.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `HO_EMPTY` or `HO_MAJOR_VERSION`, or the code of the message inside or of
    ///   one of its records.
    public init(payload: [UInt8], warnings: inout [NDEFWarning.Code]) throws(NDEFPayloadError) {
        content = try HandoverPayload(.initiate, decoding: payload, warnings: &warnings)
    }

    /// A version byte and a message: carriers, others.
    public var payload: [UInt8] { content.payload }

    /// Such as `Handover initiate 1.3, 1 carrier`.
    public var description: String { content.description }
}

extension HandoverInitiateRecord {
    /// Writes `version`, `carriers` (alternative carriers in their own form), and `other` (records, raw) where there are
    /// any.
    public func encode(to encoder: any Encoder) throws {
        try content.encode(to: encoder)
    }

    /// Reads `version` (1.5 where missing), `carriers` and `other` (none where missing).
    public init(from decoder: any Decoder) throws {
        content = try HandoverPayload(.initiate, from: decoder)
    }
}

extension NDEFMessage {
    /// The record that a carrier reference of a handover message names by its identifier; the first of several.
    ///
    /// - Parameter reference: such as ``AlternativeCarrierRecord/carrierDataReference``.
    /// - Returns: nil where no record has that identifier, or where the reference is empty.
    public func record(for reference: [UInt8]) -> NDEFRecord? {
        reference.isEmpty ? nil : records.first { $0.identifier == reference }
    }
}
