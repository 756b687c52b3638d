/// One carrier of a handover message: local type `ac` (NFC Forum Connection Handover 1.5).
///
/// The payload is a byte whose low two bits are the power state, a reference to the record that describes the carrier,
/// the number of references to further records, and these. A reference is a length byte and that many bytes.
public struct AlternativeCarrierRecord: NDEFTypedPayload {
    /// Whether the carrier is switched on (CPS).
    public enum PowerState: UInt8, Sendable, Hashable, CaseIterable {
        /// Off; it can be switched on.
        case inactive = 0
        /// On.
        case active = 1
        /// About to be on.
        case activating = 2
        /// Not known, as for the device that a tag belongs to.
        case unknown = 3
    }

    /// Whether the carrier is switched on.
    public let powerState: PowerState
    /// The identifier of the record that describes the carrier, usually in ASCII; at most 255 bytes.
    public let carrierDataReference: [UInt8]
    /// The identifiers of records with more about the carrier; at most 255, each of at most 255 bytes.
    public let auxiliaryDataReferences: [[UInt8]]
    /// What follows the references; it is reserved for later versions of the standard.
    public let reserved: [UInt8]

    /// A carrier to be written.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `AC_REFERENCE_TOO_LONG` or `AC_AUX_TOO_MANY`.
    public init(
        powerState: PowerState = .active,
        carrierDataReference: [UInt8],
        auxiliaryDataReferences: [[UInt8]] = [],
        reserved: [UInt8] = []
    ) throws(NDEFPayloadError) {
        guard carrierDataReference.count <= 0xFF, auxiliaryDataReferences.allSatisfy({ $0.count <= 0xFF }) else {
            let reason = "a reference is longer than the 255 bytes that can be encoded"
            throw NDEFPayloadError(.alternativeCarrierReferenceTooLong, reason)
        }
        guard auxiliaryDataReferences.count <= 0xFF else {
            let reason =
                "\(auxiliaryDataReferences.count) auxiliary references are more than the 255 that can be encoded"
            throw NDEFPayloadError(.alternativeCarrierAuxiliaryTooMany, reason)
        }
        self.powerState = powerState
        self.carrierDataReference = carrierDataReference
        self.auxiliaryDataReferences = auxiliaryDataReferences
        self.reserved = reserved
    }

    /// Local type `ac`.
    public static let recordTypes = [NDEFRecordType.wellKnown("ac")]
    /// `alternativeCarrier`.
    public static let kind = "alternativeCarrier"

    /// Decodes a payload. Reserved bits and an empty carrier reference are tolerated with a warning.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `AC_SHORT` or `AC_AUX_SHORT`.
    public init(payload: [UInt8], warnings: inout [NDEFWarning.Code]) throws(NDEFPayloadError) {
        var reader = ByteReader(payload)
        guard let flags = reader.uint8(), let carrier = reader.reference(), let count = reader.uint8() else {
            let reason = "the alternative carrier ends before the number of its auxiliary references"
            throw NDEFPayloadError(.alternativeCarrierShort, reason)
        }
        var auxiliary: [[UInt8]] = []
        for index in 0..<Int(count) {
            guard let reference = reader.reference() else {
                let reason = "the alternative carrier ends within auxiliary reference \(index + 1) of \(count)"
                throw NDEFPayloadError(.alternativeCarrierAuxiliaryShort, reason)
            }
            auxiliary.append(reference)
        }
        // All four values of the field have a case, so that the fallback is never taken.
        powerState = PowerState(rawValue: flags & 0x03) ?? .unknown
        carrierDataReference = carrier
        auxiliaryDataReferences = auxiliary
        reserved = Array(reader.rest)
        if flags & 0xFC != 0 { warnings.append(.alternativeCarrierReservedBits) }
        if carrier.isEmpty { warnings.append(.alternativeCarrierReferenceEmpty) }
    }

    /// The power state, the references, and what is reserved.
    public var payload: [UInt8] {
        var bytes = [powerState.rawValue]
        bytes.append(reference: carrierDataReference)
        bytes.append(UInt8(truncatingIfNeeded: auxiliaryDataReferences.count))
        for reference in auxiliaryDataReferences { bytes.append(reference: reference) }
        return bytes + reserved
    }

    /// Such as `Alternative carrier "0" (active)`.
    public var description: String {
        "Alternative carrier \"\(String(decoding: carrierDataReference, as: UTF8.self).escaped)\" (\(powerState))"
    }
}

extension ByteReader {
    /// A length byte and that many bytes.
    fileprivate mutating func reference() -> [UInt8]? {
        guard let length = uint8() else { return nil }
        return bytes(Int(length)).map { Array($0) }
    }
}

extension [UInt8] {
    /// Appends a length byte and the bytes, at most 255.
    fileprivate mutating func append(reference: [UInt8]) {
        append(UInt8(truncatingIfNeeded: reference.count))
        append(contentsOf: reference)
    }
}

extension NDEFWarning.Code {
    /// Reserved bits of the first byte of an alternative carrier are set.
    public static let alternativeCarrierReservedBits = Self(
        "AC_RESERVED_BITS", "reserved bits of the alternative carrier are set")
    /// The carrier reference of an alternative carrier is empty.
    public static let alternativeCarrierReferenceEmpty = Self(
        "AC_REFERENCE_EMPTY", "the alternative carrier does not name the record that describes it")
}

extension NDEFPayloadError.Code {
    /// An alternative carrier payload ends before the number of its auxiliary references.
    public static let alternativeCarrierShort = Self(rawValue: "AC_SHORT")
    /// The auxiliary references of an alternative carrier payload run past its end.
    public static let alternativeCarrierAuxiliaryShort = Self(rawValue: "AC_AUX_SHORT")
    /// A reference to be encoded is longer than 255 bytes.
    public static let alternativeCarrierReferenceTooLong = Self(rawValue: "AC_REFERENCE_TOO_LONG")
    /// More than 255 auxiliary references are to be encoded.
    public static let alternativeCarrierAuxiliaryTooMany = Self(rawValue: "AC_AUX_TOO_MANY")
}

extension AlternativeCarrierRecord {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case powerState, carrierDataReference, auxiliaryDataReferences, reserved
    }

    /// Writes `powerState` (a name), `carrierDataReference` and the list `auxiliaryDataReferences` (hexadecimal, as the
    /// identifiers of the records that they name), and `reserved` (hexadecimal) if there is any.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(named: powerState, forKey: .powerState)
        try container.encode(hexadecimal: carrierDataReference, forKey: .carrierDataReference)
        try container.encode(auxiliaryDataReferences.map(\.hexadecimal), forKey: .auxiliaryDataReferences)
        try container.encodeIfNotEmpty(hexadecimal: reserved, forKey: .reserved)
    }

    /// Reads `carrierDataReference`, and `powerState` (`active` where missing), `auxiliaryDataReferences` and `reserved`
    /// (empty where missing).
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let powerState = try container.decodeNamedIfPresent(PowerState.self, forKey: .powerState) ?? .active
        let reference = try container.decodeHexadecimal(forKey: .carrierDataReference)
        let digits = try container.decodeIfPresent([String].self, forKey: .auxiliaryDataReferences) ?? []
        let auxiliary = digits.compactMap { [UInt8](hexadecimal: $0) }
        guard auxiliary.count == digits.count else {
            throw container.rejection(
                forKey: .auxiliaryDataReferences, "one is not an even number of hexadecimal digits")
        }
        let reserved = try container.decodeHexadecimalIfPresent(forKey: .reserved) ?? []
        let key = reference.count > 0xFF ? CodingKeys.carrierDataReference : .auxiliaryDataReferences
        self = try container.accepting(key) { () throws(NDEFPayloadError) in
            try AlternativeCarrierRecord(
                powerState: powerState, carrierDataReference: reference, auxiliaryDataReferences: auxiliary,
                reserved: reserved)
        }
    }
}

extension AlternativeCarrierRecord: JSONDescribed {
    package static var jsonSummary: String { "One carrier of a handover message (local type `ac`)." }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .powerState:
                .written(
                    .named(PowerState.self, numbers: 0...3), usual: .text("active"), "The power state of the carrier.")
            case .carrierDataReference:
                .required(.bytes(0...0xFF), "The `identifier` of the record that describes the carrier.")
            case .auxiliaryDataReferences:
                .written(
                    .list(.bytes(0...0xFF)), usual: .emptyList,
                    "The `identifier`s of the records with more about it; at most 255.")
            case .reserved:
                .optional(.bytes, usual: .text(""), "The bytes after the references.")
            }
        }
    }
}

extension AlternativeCarrierRecord.PowerState: NamedNumber {
    static let names: [UInt8: String] = [
        0: "inactive", 1: "active", 2: "activating", 3: "unknown",
    ]
}
