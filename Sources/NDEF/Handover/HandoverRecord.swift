/// The first record of a handover message (NFC Forum Connection Handover 1.5): a request, select, mediation or initiate
/// message.
///
/// It lists the carriers, such as Bluetooth, for a connection. Each carrier is described by another record of the same
/// message, which ``NDEFMessage/record(for:)`` finds. The payload is a version byte and a message of records of local types.
public struct HandoverRecord<Form: HandoverForm>: NDEFTypedPayload {
    /// The version of the standard that the message follows.
    public let version: HandoverVersion
    /// A random number that decides which request counts where both devices send one. A request of version 1.2 or later always
    /// has one, the other messages never.
    public let collisionResolution: CollisionResolutionRecord?
    /// The carriers offered, selected or to connect by, the preferred one first.
    public let carriers: [AlternativeCarrierRecord]
    /// Why a request could not be processed; only in a select message.
    public let error: HandoverErrorRecord?
    /// Records of other types, in their order; also a collision resolution or error record that is not the first one or that
    /// this message does not define.
    public let other: [NDEFRecord]

    fileprivate init(
        version: HandoverVersion, collisionResolution: CollisionResolutionRecord?, carriers: [AlternativeCarrierRecord],
        error: HandoverErrorRecord?, other: [NDEFRecord]
    ) throws(NDEFPayloadError) {
        self.version = version
        self.collisionResolution = collisionResolution
        self.carriers = carriers
        self.error = error
        self.other = other
        try check()
    }

    /// The well-known type of the message.
    public static var recordTypes: [NDEFRecordType] { [.wellKnown(Form.type)] }
    /// `handoverRequest`, `handoverSelect`, `handoverMediation` or `handoverInitiate`.
    public static var kind: String { Form.kind }

    /// The version byte, and the records: collision resolution, alternative carriers, error, others.
    public var payload: [UInt8] { [version.byte] + NestedMessage.encode(records) }

    private var records: [NDEFRecord] {
        let first = collisionResolution.map { [NDEFRecord($0)] } ?? []
        let last = error.map { [NDEFRecord($0)] } ?? []
        return first + carriers.map { NDEFRecord($0) } + last + other
    }

    /// For example `Handover request 1.2, 1 carrier`.
    public var description: String {
        let summary = "Handover \(Form.name) \(version), \(counted(carriers.count, "carrier"))"
        return error.map { "\(summary), \($0.summary)" } ?? summary
    }

    private func check() throws(NDEFPayloadError) {
        if Form.hasCollisionResolution, version.minor >= 2, collisionResolution == nil {
            let reason = "a handover request of version \(version) has no collision resolution record"
            throw NDEFPayloadError(.handoverCollisionResolutionMissing, reason)
        }
        // Such a record would be read as a field, and what was written would not be what is read.
        guard !other.contains(where: { isField($0) }) else {
            let reason = "a record that has its own field is among the others"
            throw NDEFPayloadError(.handoverOtherRecord, reason)
        }
        try NestedMessage.check(records)
    }

    private func isField(_ record: NDEFRecord) -> Bool {
        switch LocalType(record) {
        case .alternativeCarrier: true
        case .collisionResolution: Form.hasCollisionResolution && collisionResolution == nil
        case .error: Form.hasError && error == nil
        case nil: false
        }
    }
}

/// One of the four handover messages.
public protocol HandoverForm: Sendable {
    /// The well-known type of the record, for example `Hr`.
    static var type: String { get }
    /// The name of the message in English, for example `request`.
    static var name: String { get }
    /// The name of the record in the JSON form, for example `handoverRequest`.
    static var kind: String { get }
    /// Whether the message carries the random number that decides between two requests.
    static var hasCollisionResolution: Bool { get }
    /// Whether the message can report an error.
    static var hasError: Bool { get }
}

extension HandoverForm {
    /// False, unless the message defines it.
    public static var hasCollisionResolution: Bool { false }
    /// False, unless the message defines it.
    public static var hasError: Bool { false }
}

// MARK: - The four messages

/// A message that offers carriers to another device.
public enum HandoverRequest: HandoverForm {
    /// `Hr`.
    public static let type = "Hr"
    /// `request`.
    public static let name = "request"
    /// `handoverRequest`.
    public static let kind = "handoverRequest"
    /// True: two devices may send a request at the same time.
    public static let hasCollisionResolution = true
}

/// A message that names the carriers by which a device, or the device that a tag belongs to, can be reached.
public enum HandoverSelect: HandoverForm {
    /// `Hs`.
    public static let type = "Hs"
    /// `select`.
    public static let name = "select"
    /// `handoverSelect`.
    public static let kind = "handoverSelect"
    /// True: the request may be one that cannot be processed.
    public static let hasError = true
}

/// A message with which a third device starts to connect two devices that are not close enough for NFC.
public enum HandoverMediation: HandoverForm {
    /// `Hm`.
    public static let type = "Hm"
    /// `mediation`.
    public static let name = "mediation"
    /// `handoverMediation`.
    public static let kind = "handoverMediation"
}

/// A message with which a third device asks one of two devices to connect to the other.
public enum HandoverInitiate: HandoverForm {
    /// `Hi`.
    public static let type = "Hi"
    /// `initiate`.
    public static let name = "initiate"
    /// `handoverInitiate`.
    public static let kind = "handoverInitiate"
}

/// The first record of a handover request message: well-known type `Hr`. The standard asks for at least one carrier.
public typealias HandoverRequestRecord = HandoverRecord<HandoverRequest>
/// The first record of a handover select message: well-known type `Hs`. It has no carriers where none is possible.
public typealias HandoverSelectRecord = HandoverRecord<HandoverSelect>
/// The first record of a handover mediation message: well-known type `Hm`.
public typealias HandoverMediationRecord = HandoverRecord<HandoverMediation>
/// The first record of a handover initiate message: well-known type `Hi`.
public typealias HandoverInitiateRecord = HandoverRecord<HandoverInitiate>

extension HandoverRecord where Form == HandoverRequest {
    /// A request to be written.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `HO_CR_MISSING` where a request of version 1.2 or later has no collision
    ///   resolution, `HO_OTHER_RECORD` where `other` has a record that belongs in another field, or the code of a record
    ///   that cannot be encoded.
    public init(
        version: HandoverVersion = .current, collisionResolution: CollisionResolutionRecord?,
        carriers: [AlternativeCarrierRecord], other: [NDEFRecord] = []
    ) throws(NDEFPayloadError) {
        try self.init(
            version: version, collisionResolution: collisionResolution, carriers: carriers, error: nil, other: other)
    }
}

extension HandoverRecord where Form == HandoverSelect {
    /// A selection to be written.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `HO_OTHER_RECORD` where `other` has a record that belongs in another field,
    ///   or the code of a record that cannot be encoded.
    public init(
        version: HandoverVersion = .current, carriers: [AlternativeCarrierRecord], error: HandoverErrorRecord? = nil,
        other: [NDEFRecord] = []
    ) throws(NDEFPayloadError) {
        try self.init(version: version, collisionResolution: nil, carriers: carriers, error: error, other: other)
    }
}

extension HandoverRecord where Form == HandoverMediation {
    /// A message to be written.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `HO_OTHER_RECORD` where `other` has an alternative carrier, or the code of
    ///   a record that cannot be encoded.
    public init(
        version: HandoverVersion = .current, carriers: [AlternativeCarrierRecord], other: [NDEFRecord] = []
    ) throws(NDEFPayloadError) {
        try self.init(version: version, collisionResolution: nil, carriers: carriers, error: nil, other: other)
    }
}

extension HandoverRecord where Form == HandoverInitiate {
    /// A message to be written.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `HO_OTHER_RECORD` where `other` has an alternative carrier, or the code of
    ///   a record that cannot be encoded.
    public init(
        version: HandoverVersion = .current, carriers: [AlternativeCarrierRecord], other: [NDEFRecord] = []
    ) throws(NDEFPayloadError) {
        try self.init(version: version, collisionResolution: nil, carriers: carriers, error: nil, other: other)
    }
}

// MARK: - Decoding

extension HandoverRecord {
    /// Decodes a payload. A request without a carrier, and a record in a place where the standard does not allow it, give a
    /// warning.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `HO_EMPTY`, `HO_MAJOR_VERSION` or `HO_CR_MISSING`, or the code of the
    ///   message inside or of one of its records.
    public init(payload: [UInt8], warnings: inout [NDEFWarning.Code]) throws(NDEFPayloadError) {
        guard let byte = payload.first else {
            throw NDEFPayloadError(.handoverEmpty, "the handover message has no bytes, not even a version")
        }
        let version = try HandoverVersion(byte: byte)
        var fields = HandoverFields<Form>()
        if payload.count > 1 {
            let records = try NestedMessage.decode(payload.dropFirst(), warnings: &fields.warnings)
            for record in records { try fields.take(record) }
        }
        try self.init(
            version: version, collisionResolution: fields.collisionResolution, carriers: fields.carriers,
            error: fields.error, other: fields.other)
        warnings += fields.distinctWarnings
    }
}

/// The records found so far in a handover message.
private struct HandoverFields<Form: HandoverForm> {
    var collisionResolution: CollisionResolutionRecord?
    var carriers: [AlternativeCarrierRecord] = []
    var error: HandoverErrorRecord?
    var other: [NDEFRecord] = []
    var warnings: [NDEFWarning.Code] = []

    mutating func take(_ record: NDEFRecord) throws(NDEFPayloadError) {
        switch LocalType(record) {
        case .alternativeCarrier:
            carriers.append(try decode(record))
        case .collisionResolution where Form.hasCollisionResolution && collisionResolution == nil:
            collisionResolution = try decode(record)
        case .error where Form.hasError && error == nil:
            error = try decode(record)
        case .collisionResolution, .error:
            warnings.append(.handoverMisplacedRecord)
            other.append(record)
        case nil:
            other.append(record)
        }
    }

    private mutating func decode<Payload: NDEFTypedPayload>(
        _ record: NDEFRecord
    ) throws(NDEFPayloadError) -> Payload {
        if !record.identifier.isEmpty { warnings.append(.handoverLocalIdentifier) }
        return try Payload(payload: record.payload, warnings: &warnings)
    }

    /// Each warning once: there may be one for each of thousands of records.
    var distinctWarnings: [NDEFWarning.Code] {
        var known: Set<NDEFWarning.Code> = []
        let found =
            Form.self is HandoverRequest.Type && carriers.isEmpty ? warnings + [.handoverCarrierMissing] : warnings
        return found.filter { known.insert($0).inserted }
    }
}

/// The local types of a handover message that have fields.
private enum LocalType {
    case alternativeCarrier, collisionResolution, error

    init?(_ record: NDEFRecord) {
        let type = NDEFRecordType(record.typeNameFormat, record.type)
        if AlternativeCarrierRecord.recordTypes.contains(type) {
            self = .alternativeCarrier
        } else if CollisionResolutionRecord.recordTypes.contains(type) {
            self = .collisionResolution
        } else if HandoverErrorRecord.recordTypes.contains(type) {
            self = .error
        } else {
            return nil
        }
    }
}

extension NDEFWarning.Code {
    /// A decoded record inside a handover message has an identifier, which is not kept.
    public static let handoverLocalIdentifier = Self(
        "HO_LOCAL_IDENTIFIER", "a record of the handover message has an identifier, which is ignored")
    /// A handover message holds a misplaced or a second collision resolution or error record.
    public static let handoverMisplacedRecord = Self(
        "HO_MISPLACED_RECORD", "the handover message has a misplaced collision resolution or error record")
    /// A handover request offers no carrier.
    public static let handoverCarrierMissing = Self("HO_CARRIER_MISSING", "the handover request offers no carrier")
}

extension NDEFPayloadError.Code {
    /// A handover message has no bytes.
    public static let handoverEmpty = Self(rawValue: "HO_EMPTY")
    /// A handover request of version 1.2 or later has no collision resolution record.
    public static let handoverCollisionResolutionMissing = Self(rawValue: "HO_CR_MISSING")
    /// A record to be encoded is among the other records of a handover message, but has its own field.
    public static let handoverOtherRecord = Self(rawValue: "HO_OTHER_RECORD")
}

extension HandoverRecord {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case version, collisionResolution, carriers, error, other
    }

    /// Writes `version` and `carriers`; `collisionResolution`, `error` and `other` (records, raw) if there are any.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(version, forKey: .version)
        try container.encodeIfPresent(collisionResolution, forKey: .collisionResolution)
        try container.encode(carriers, forKey: .carriers)
        try container.encodeIfPresent(error, forKey: .error)
        try container.encodeIfNotEmpty(raw: other, forKey: .other)
    }

    /// Reads `version` (1.5 where missing), `carriers` and `other` (none where missing), and, where the message defines
    /// them, `collisionResolution` and `error`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let version = try container.decodeIfPresent(HandoverVersion.self, forKey: .version) ?? .current
        let carriers = try container.decodeIfPresent([AlternativeCarrierRecord].self, forKey: .carriers) ?? []
        let other = try container.decodeRecordsIfPresent(forKey: .other) ?? []
        let collisionResolution =
            Form.hasCollisionResolution
            ? try container.decodeIfPresent(CollisionResolutionRecord.self, forKey: .collisionResolution) : nil
        let error = Form.hasError ? try container.decodeIfPresent(HandoverErrorRecord.self, forKey: .error) : nil
        if Form.hasCollisionResolution, collisionResolution == nil, version.minor >= 2 {
            throw container.rejection(forKey: .collisionResolution, "missing, but needed from version 1.2 on")
        }
        self = try container.accepting(.other) { () throws(NDEFPayloadError) in
            try Self(
                version: version, collisionResolution: collisionResolution, carriers: carriers, error: error,
                other: other)
        }
    }
}

extension HandoverRecord: JSONDescribed {
    package static var jsonSummary: String {
        "The first record of a handover \(Form.name) message (well-known type `\(Form.type)`)."
    }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .version:
                .written(
                    .pattern("^1\\.([0-9]|1[0-5])$"), usual: .text("1.5"), "The version of the standard, 1.0 to 1.15.")
            case .collisionResolution:
                Form.hasCollisionResolution
                    ? .optional(
                        .object(CollisionResolutionRecord.self), "The random number; needed from version 1.2 on.") : nil
            case .carriers:
                .written(.list(.object(AlternativeCarrierRecord.self)), usual: .emptyList, "The carriers.")
            case .error:
                Form.hasError
                    ? .optional(.object(HandoverErrorRecord.self), "Why the request could not be processed.") : nil
            case .other:
                .optional(.list(.record), "The records of other types, raw.")
            }
        }
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
