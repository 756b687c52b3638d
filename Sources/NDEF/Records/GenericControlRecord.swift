/// A request to do something on a device: well-known type `Gc` (NFC Forum Generic Control RTD 1.0, withdrawn).
///
/// The payload is a configuration byte and the records `t` (target), `a` (action) and `d` (data). Each of these is
/// written as a separate message, with MB and ME, as writers do; one message of them all is read as well.
public struct GenericControlRecord: NDEFTypedPayload {
    /// What to do.
    public enum Action: Sendable, Hashable {
        /// A numeric code; 0 to 2 mean the same as in ``SmartPosterAction``.
        case code(UInt8)
        /// Records that name the action, such as a text; at least one.
        case records([NDEFRecord])
    }

    /// The flags on how to continue when an action fails.
    public let configuration: UInt8
    /// The records that name what is to act, such as a URI or a text; at least one.
    public let target: [NDEFRecord]
    /// What the target is to do; nil where it is left to the target.
    public let action: Action?
    /// The records that the action works on.
    public let data: [NDEFRecord]
    /// Records of other types beside target, action and data, and those that are repeated or cannot be read.
    public let other: [NDEFRecord]

    /// A request to be written.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `GC_TARGET_MISSING` or `GC_ACTION_EMPTY` if there are no records;
    ///   `GC_OTHER` where one of the others would be read as action or data; or, where a record cannot be encoded, with
    ///   the code of ``NDEFMessage/encoded()``.
    public init(
        configuration: UInt8 = 0,
        target: [NDEFRecord],
        action: Action? = nil,
        data: [NDEFRecord] = [],
        other: [NDEFRecord] = []
    ) throws(NDEFPayloadError) {
        try Self.check(target: target)
        if let action { try Self.check(action) }
        try NestedMessage.check(data)
        try NestedMessage.check(other)
        var parts = GenericControlParts(target: target, action: action, data: data)
        for record in other { try parts.add(record) }
        guard parts.other.count == other.count else {
            throw NDEFPayloadError(
                .genericControlOther, "one of the other records would be read as the action or the data")
        }
        self.configuration = configuration
        self.target = target
        self.action = action
        self.data = data
        self.other = other
        try NestedMessage.check(records)
    }

    static func check(target: [NDEFRecord]) throws(NDEFPayloadError) {
        guard !target.isEmpty else { throw .genericControlTargetMissing }
        try NestedMessage.check(target)
    }

    static func check(_ action: Action) throws(NDEFPayloadError) {
        guard case .records(let records) = action else { return }
        guard !records.isEmpty else {
            throw NDEFPayloadError(.genericControlActionEmpty, "the action has neither a code nor records")
        }
        try NestedMessage.check(records)
    }

    /// Well-known type `Gc`.
    public static let recordTypes = [NDEFRecordType.wellKnown("Gc")]
    /// `genericControl`.
    public static let kind = "genericControl"

    /// Such as `Generic Control, target of 1 record, action 2, data of 1 record`.
    public var description: String {
        var parts = ["Generic Control", "target of \(counted(target.count, "record"))"]
        switch action {
        case .code(let code): parts.append("action \(code)")
        case .records(let records): parts.append("action of \(counted(records.count, "record"))")
        case nil: break
        }
        if !data.isEmpty { parts.append("data of \(counted(data.count, "record"))") }
        if !other.isEmpty { parts.append(counted(other.count, "other record")) }
        return parts.joined(separator: ", ")
    }
}

// MARK: - Payload

extension GenericControlRecord {
    /// Decodes a payload. An action or data that is repeated or cannot be read goes to ``other`` with a warning, and so
    /// does a repeated target. Identifiers of the records that become fields are dropped with a warning.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `GC_SHORT` or `GC_TARGET_MISSING`, or with that of the fault in the
    ///   messages inside, such as `TRUNCATED_PAYLOAD`.
    public init(payload: [UInt8], warnings: inout [NDEFWarning.Code]) throws(NDEFPayloadError) {
        guard let configuration = payload.first else {
            throw NDEFPayloadError(.genericControlShort, "the payload has no bytes, not even the configuration byte")
        }
        var parts = GenericControlParts()
        for record in try NestedMessage.decodeSequence(payload.dropFirst(), warnings: &warnings) {
            try parts.add(record)
        }
        guard !parts.target.isEmpty else { throw .genericControlTargetMissing }
        self.configuration = configuration
        target = parts.target
        action = parts.action
        data = parts.data
        other = parts.other
        warnings += parts.warnings
    }

    /// The configuration byte, and a message each for target, action, data and the others.
    public var payload: [UInt8] {
        [configuration] + records.flatMap { NestedMessage.encode([$0]) }
    }

    private var records: [NDEFRecord] {
        var records = [Self.record("t", NestedMessage.encode(target))]
        switch action {
        case .code(let code): records.append(Self.record("a", [GenericControlParts.numericCode, code]))
        case .records(let action): records.append(Self.record("a", [0] + NestedMessage.encode(action)))
        case nil: break
        }
        if !data.isEmpty { records.append(Self.record("d", NestedMessage.encode(data))) }
        return records + other
    }

    private static func record(_ type: String, _ payload: [UInt8]) -> NDEFRecord {
        NDEFRecord(typeNameFormat: .nfcWellKnown, type: Array(type.utf8), payload: payload)
    }
}

extension NDEFWarning.Code {
    /// A target, action or data record of a Generic Control record is repeated or cannot be read.
    public static let genericControlIgnored = Self(
        "GC_IGNORED", "a target, action or data record is repeated or unreadable and is kept as a raw record")
}

extension NDEFPayloadError.Code {
    /// A Generic Control payload has no bytes.
    public static let genericControlShort = Self(rawValue: "GC_SHORT")
    /// A Generic Control record has no target.
    public static let genericControlTargetMissing = Self(rawValue: "GC_TARGET_MISSING")
    /// The action of a Generic Control record to be encoded is a list of no records.
    public static let genericControlActionEmpty = Self(rawValue: "GC_ACTION_EMPTY")
    /// One of the other records of a Generic Control record to be encoded belongs in a field.
    public static let genericControlOther = Self(rawValue: "GC_OTHER")
}

extension NDEFPayloadError {
    fileprivate static let genericControlTargetMissing = Self(
        .genericControlTargetMissing, "there is no target, which each request needs")
}

/// The records inside a Generic Control record, sorted one by one into what they say.
struct GenericControlParts {
    private(set) var target: [NDEFRecord] = []
    private(set) var action: GenericControlRecord.Action?
    private(set) var data: [NDEFRecord] = []
    private(set) var other: [NDEFRecord] = []
    private(set) var warnings: [NDEFWarning.Code] = []

    /// The first byte of an action that is a code.
    static let numericCode: UInt8 = 0x01

    /// Nothing sorted yet, with these fields already taken.
    init(target: [NDEFRecord] = [], action: GenericControlRecord.Action? = nil, data: [NDEFRecord] = []) {
        self.target = target
        self.action = action
        self.data = data
    }

    /// - Throws: ``NDEFPayloadError`` where the first target is not a message.
    mutating func add(_ record: NDEFRecord) throws(NDEFPayloadError) {
        switch (record.typeNameFormat, record.typeString) {
        case (.nfcWellKnown, "t") where target.isEmpty:
            target = try NestedMessage.decode(record.payload[...], warnings: &warnings)
            noteIdentifier(of: record)
        case (.nfcWellKnown, "a"): addAction(record)
        case (.nfcWellKnown, "d"): addData(record)
        case (.nfcWellKnown, "t"): setAside(record)
        default: other.append(record)
        }
    }

    private mutating func addAction(_ record: NDEFRecord) {
        guard action == nil, let decoded = decodeAction(record.payload) else { return setAside(record) }
        action = decoded
        noteIdentifier(of: record)
    }

    private mutating func decodeAction(_ payload: [UInt8]) -> GenericControlRecord.Action? {
        var reader = ByteReader(payload)
        switch reader.uint8() {
        case Self.numericCode:
            guard let code = reader.uint8(), reader.isAtEnd else { return nil }
            return .code(code)
        case 0: return decodeMessage(reader.rest).map(GenericControlRecord.Action.records)
        default: return nil
        }
    }

    private mutating func addData(_ record: NDEFRecord) {
        guard data.isEmpty, let decoded = decodeMessage(record.payload[...]) else { return setAside(record) }
        data = decoded
        noteIdentifier(of: record)
    }

    private mutating func decodeMessage(_ bytes: ArraySlice<UInt8>) -> [NDEFRecord]? {
        var remarks: [NDEFWarning.Code] = []
        guard let records = try? NestedMessage.decode(bytes, warnings: &remarks) else { return nil }
        warnings += remarks
        return records
    }

    private mutating func setAside(_ record: NDEFRecord) {
        other.append(record)
        warnings.append(.genericControlIgnored)
    }

    private mutating func noteIdentifier(of record: NDEFRecord) {
        if !record.identifier.isEmpty { warnings.append(.innerIdentifierIgnored) }
    }
}

extension GenericControlRecord {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case configuration, target, actionCode, actionRecords, data, other
    }

    /// Writes `configuration` (a number), `target`, `actionCode` (a number) or `actionRecords` if there is an
    /// action, `data`, and `other` if there are any. All but the numbers are lists of raw records.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(configuration, forKey: .configuration)
        try container.encode(raw: target, forKey: .target)
        switch action {
        case .code(let code): try container.encode(code, forKey: .actionCode)
        case .records(let records): try container.encode(raw: records, forKey: .actionRecords)
        case nil: break
        }
        try container.encode(raw: data, forKey: .data)
        try container.encodeIfNotEmpty(raw: other, forKey: .other)
    }

    /// Reads `target`, and any of `configuration` (0 where missing), `actionCode` or `actionRecords`, `data` and
    /// `other`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let configuration = try container.decodeIntegerIfPresent(UInt8.self, forKey: .configuration) ?? 0
        let target = try container.decodeRecordsIfPresent(forKey: .target) ?? []
        try container.accepting(.target) { () throws(NDEFPayloadError) in try Self.check(target: target) }
        let action = try Self.action(in: container)
        let data = try container.decodeRecordsIfPresent(forKey: .data) ?? []
        try container.accepting(.data) { () throws(NDEFPayloadError) in try NestedMessage.check(data) }
        let other = try container.decodeRecordsIfPresent(forKey: .other) ?? []
        self = try container.accepting(.other) { () throws(NDEFPayloadError) in
            try GenericControlRecord(
                configuration: configuration, target: target, action: action, data: data, other: other)
        }
    }

    private static func action(in container: KeyedDecodingContainer<CodingKeys>) throws -> Action? {
        let code = try container.decodeIntegerIfPresent(UInt8.self, forKey: .actionCode)
        guard let records = try container.decodeRecordsIfPresent(forKey: .actionRecords) else {
            return code.map(Action.code)
        }
        guard code == nil else {
            throw container.rejection(forKey: .actionRecords, "there is a code as well as records")
        }
        try container.accepting(.actionRecords) { () throws(NDEFPayloadError) in try check(.records(records)) }
        return .records(records)
    }
}

extension GenericControlRecord: JSONDescribed {
    package static var jsonSummary: String { "A request to do something on a device (well-known type `Gc`)." }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .configuration:
                .written(.integer(0...0xFF), usual: .integer(0), "The configuration byte.")
            case .target:
                .required(.list(.record), "What is to act: at least one raw record.")
            case .actionCode:
                .optional(.integer(0...0xFF), "The action as a number; 0 to 2 as in `action`.")
            case .actionRecords:
                .optional(.list(.record), "The action as raw records, instead of `actionCode`; at least one.")
            case .data:
                .written(.list(.record), usual: .emptyList, "What the action works on, as raw records.")
            case .other:
                .optional(
                    .list(.record), "The records of other types, and those that are repeated or cannot be read, raw.")
            }
        }
    }
}
