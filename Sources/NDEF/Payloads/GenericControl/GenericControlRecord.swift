/// A request to do something on a device: well-known type `Gc` (NFC Forum Generic Control RTD 1.0, withdrawn).
///
/// The payload is a configuration byte and the records `t` (target), `a` (action) and `d` (data). Each of these is
/// written as a message of its own, with MB and ME, as writers do; one message of them all is read as well.
public struct GenericControlRecord: NDEFTypedPayload {
    /// What to do.
    public enum Action: Sendable, Hashable {
        /// A numeric code; 0 to 2 mean the same as in ``SmartPosterAction``.
        case code(UInt8)
        /// Records that name the action, such as a text; at least one.
        case records([NDEFRecord])
    }

    /// The flags on how to go on when an action fails.
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
    /// - Throws: ``NDEFPayloadError`` with code `GC_TARGET_MISSING` or `GC_ACTION_EMPTY` where there are no records;
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
