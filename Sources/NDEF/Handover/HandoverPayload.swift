/// What the four handover messages share: a version byte and a message of records of local types.
struct HandoverPayload: Sendable, Hashable {
    let form: HandoverForm
    let version: HandoverVersion
    let collisionResolution: CollisionResolutionRecord?
    let carriers: [AlternativeCarrierRecord]
    let error: HandoverErrorRecord?
    let other: [NDEFRecord]

    init(
        _ form: HandoverForm,
        version: HandoverVersion,
        collisionResolution: CollisionResolutionRecord? = nil,
        carriers: [AlternativeCarrierRecord],
        error: HandoverErrorRecord? = nil,
        other: [NDEFRecord]
    ) throws(NDEFPayloadError) {
        self.form = form
        self.version = version
        self.collisionResolution = collisionResolution
        self.carriers = carriers
        self.error = error
        self.other = other
        try check()
    }

    /// The version byte, and the records: collision resolution, alternative carriers, error, others.
    var payload: [UInt8] { [version.byte] + NestedMessage.encode(records) }

    private var records: [NDEFRecord] {
        let first = collisionResolution.map { [NDEFRecord($0)] } ?? []
        let last = error.map { [NDEFRecord($0)] } ?? []
        return first + carriers.map { NDEFRecord($0) } + last + other
    }

    private func check() throws(NDEFPayloadError) {
        if form == .request, version.minor >= 2, collisionResolution == nil {
            let reason = "a handover request of version \(version) has no collision resolution record"
            throw NDEFPayloadError(.handoverCollisionResolutionMissing, reason)
        }
        // Such a record would be read as a field, and what was written would not be what is read.
        guard !other.contains(where: { isField($0) }) else {
            let reason = "a record that has a field of its own stands among the others"
            throw NDEFPayloadError(.handoverOtherRecord, reason)
        }
        try NestedMessage.check(records)
    }

    private func isField(_ record: NDEFRecord) -> Bool {
        switch LocalType(record) {
        case .alternativeCarrier: true
        case .collisionResolution: form == .request && collisionResolution == nil
        case .error: form == .select && error == nil
        case nil: false
        }
    }
}

/// The four handover messages.
enum HandoverForm: String, Sendable, Hashable {
    case request, select, mediation, initiate
}

extension HandoverPayload: CustomStringConvertible {
    /// Such as `Handover request 1.2, 1 carrier`.
    var description: String {
        let summary = "Handover \(form.rawValue) \(version), \(counted(carriers.count, "carrier"))"
        return error.map { "\(summary), \($0.summary)" } ?? summary
    }
}

// MARK: - Decoding

extension HandoverPayload {
    init(
        _ form: HandoverForm, decoding payload: [UInt8], warnings: inout [NDEFWarning.Code]
    ) throws(NDEFPayloadError) {
        guard let byte = payload.first else {
            throw NDEFPayloadError(.handoverEmpty, "the handover message has no bytes, not even a version")
        }
        let version = try HandoverVersion(byte: byte)
        var fields = Fields(form: form)
        if payload.count > 1 {
            let records = try NestedMessage.decode(payload.dropFirst(), warnings: &fields.warnings)
            for record in records { try fields.take(record) }
        }
        try self.init(
            form, version: version, collisionResolution: fields.collisionResolution, carriers: fields.carriers,
            error: fields.error, other: fields.other)
        warnings += fields.distinctWarnings
    }

    /// What was found so far.
    private struct Fields {
        let form: HandoverForm
        var collisionResolution: CollisionResolutionRecord?
        var carriers: [AlternativeCarrierRecord] = []
        var error: HandoverErrorRecord?
        var other: [NDEFRecord] = []
        var warnings: [NDEFWarning.Code] = []

        mutating func take(_ record: NDEFRecord) throws(NDEFPayloadError) {
            switch LocalType(record) {
            case .alternativeCarrier:
                carriers.append(try decode(record))
            case .collisionResolution where form == .request && collisionResolution == nil:
                collisionResolution = try decode(record)
            case .error where form == .select && error == nil:
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
            let found = form == .request && carriers.isEmpty ? warnings + [.handoverCarrierMissing] : warnings
            return found.filter { known.insert($0).inserted }
        }
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

extension NDEFPayloadError.Code {
    /// A handover message has no bytes.
    public static let handoverEmpty = Self(rawValue: "HO_EMPTY")
    /// A handover request of version 1.2 or later has no collision resolution record.
    public static let handoverCollisionResolutionMissing = Self(rawValue: "HO_CR_MISSING")
    /// A record to be encoded stands among the other records of a handover message, but has a field of its own.
    public static let handoverOtherRecord = Self(rawValue: "HO_OTHER_RECORD")
}

extension HandoverPayload {
    private enum CodingKeys: String, CodingKey {
        case version, collisionResolution, carriers, error, other
    }

    /// Writes `version` and `carriers`; `collisionResolution`, `error` and `other` (records, raw) where there are any.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(version, forKey: .version)
        try container.encodeIfPresent(collisionResolution, forKey: .collisionResolution)
        try container.encode(carriers, forKey: .carriers)
        try container.encodeIfPresent(error, forKey: .error)
        try container.encodeIfNotEmpty(raw: other, forKey: .other)
    }

    /// Reads `version` (1.5 where missing), `carriers` and `other` (none where missing), and, where the form of message has
    /// them, `collisionResolution` and `error`.
    init(_ form: HandoverForm, from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let version = try container.decodeIfPresent(HandoverVersion.self, forKey: .version) ?? .current
        let carriers = try container.decodeIfPresent([AlternativeCarrierRecord].self, forKey: .carriers) ?? []
        let other = try container.decodeRecordsIfPresent(forKey: .other) ?? []
        let collisionResolution =
            form == .request
            ? try container.decodeIfPresent(CollisionResolutionRecord.self, forKey: .collisionResolution) : nil
        let error = form == .select ? try container.decodeIfPresent(HandoverErrorRecord.self, forKey: .error) : nil
        if form == .request, collisionResolution == nil, version.minor >= 2 {
            throw container.rejection(forKey: .collisionResolution, "missing, but needed from version 1.2 on")
        }
        self = try container.accepting(.other) { () throws(NDEFPayloadError) in
            try HandoverPayload(
                form, version: version, collisionResolution: collisionResolution, carriers: carriers, error: error,
                other: other)
        }
    }
}

/// The version of Connection Handover that a handover message follows; its major part is always 1.
public struct HandoverVersion: Sendable, Hashable {
    /// The major part: 1.
    public let major: UInt8
    /// The minor part, 0 to 15. Newer ones than ``current`` are accepted, as the standard asks.
    public let minor: UInt8

    /// The version 1.`minor`.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `HO_MAJOR_VERSION` where `major` is not 1, or `HO_MINOR_VERSION` where
    ///   `minor` is above 15.
    public init(major: UInt8 = 1, minor: UInt8) throws(NDEFPayloadError) {
        guard major == 1 else {
            let reason = "the handover message is of version \(major).\(minor), but only 1.x is known"
            throw NDEFPayloadError(.handoverMajorVersion, reason)
        }
        guard minor <= 0x0F else {
            throw NDEFPayloadError(.handoverMinorVersion, "a minor version of \(minor) is above 15")
        }
        self.init(minor)
    }

    private init(_ minor: UInt8) {
        major = 1
        self.minor = minor
    }

    /// Version 1.5, which messages are written in.
    public static let current = Self(5)

    /// The version in a version byte: four bits major, four bits minor.
    init(byte: UInt8) throws(NDEFPayloadError) {
        try self.init(major: byte >> 4, minor: byte & 0x0F)
    }

    /// The version byte.
    var byte: UInt8 { major << 4 | minor }
}

extension HandoverVersion: LosslessStringConvertible {
    /// Such as `1.5`.
    public var description: String { "\(major).\(minor)" }

    /// The version that ``description`` gives this text, or nil.
    public init?(_ description: String) {
        guard let match = (0...0x0F).lazy.map({ Self($0) }).first(where: { $0.description == description }) else {
            return nil
        }
        self = match
    }
}

extension NDEFPayloadError.Code {
    /// The major version of a handover message is not 1.
    public static let handoverMajorVersion = Self(rawValue: "HO_MAJOR_VERSION")
    /// A minor version to be encoded is above 15.
    public static let handoverMinorVersion = Self(rawValue: "HO_MINOR_VERSION")
}

extension HandoverVersion: Codable {
    /// Reads text such as `1.5`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let version = HandoverVersion(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "not a version from 1.0 to 1.15, such as 1.5")
        }
        self = version
    }

    /// Writes text such as `1.5`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
