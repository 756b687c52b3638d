/// A carrier that a handover request asks for without describing it: well-known type `Hc` (NFC Forum Connection
/// Handover 1.5).
///
/// The payload is a byte whose low three bits are the format of the carrier's type (CTF), the length of that type, the
/// type, and data.
public struct HandoverCarrierRecord: NDEFTypedPayload {
    /// How ``carrierType`` is to be read (CTF); the standard knows the formats 1 to 4.
    public let carrierTypeFormat: TypeNameFormat
    /// The type of the carrier, such as the media type of its configuration record; at most 255 bytes.
    public let carrierType: [UInt8]
    /// What else there is to say of the carrier; its form depends on the type.
    public let carrierData: [UInt8]

    /// A carrier to be asked for.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `HC_TYPE_TOO_LONG`.
    public init(
        carrierTypeFormat: TypeNameFormat, carrierType: [UInt8], carrierData: [UInt8] = []
    ) throws(NDEFPayloadError) {
        guard carrierType.count <= 0xFF else {
            let reason =
                "a carrier type of \(carrierType.count) bytes is longer than the 255 bytes that can be encoded"
            throw NDEFPayloadError(.handoverCarrierTypeTooLong, reason)
        }
        self.carrierTypeFormat = carrierTypeFormat
        self.carrierType = carrierType
        self.carrierData = carrierData
    }

    /// Well-known type `Hc`.
    public static let recordTypes = [NDEFRecordType.wellKnown("Hc")]
    /// `handoverCarrier`.
    public static let kind = "handoverCarrier"

    /// Decodes a payload. Reserved bits and a format that carriers do not have are tolerated with a warning.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `HC_SHORT` or `HC_TYPE_OVERRUN`.
    public init(payload: [UInt8], warnings: inout [NDEFWarning.Code]) throws(NDEFPayloadError) {
        var reader = ByteReader(payload)
        guard let flags = reader.uint8(), let length = reader.uint8() else {
            let found = counted(payload.count, "byte")
            throw NDEFPayloadError(
                .handoverCarrierShort, "the handover carrier has \(found), but at least 2 are needed")
        }
        guard let type = reader.bytes(Int(length)) else {
            let reason =
                "carrier type of \(counted(Int(length), "byte")) runs past the end of the payload "
                + "(\(counted(reader.remaining, "byte")) left)"
            throw NDEFPayloadError(.handoverCarrierTypeOverrun, reason)
        }
        // All eight values of the field have a case, so that the fallback is never taken.
        carrierTypeFormat = TypeNameFormat(rawValue: flags & 0x07) ?? .reserved
        carrierType = Array(type)
        carrierData = Array(reader.rest)
        if flags & 0xF8 != 0 { warnings.append(.handoverCarrierReservedBits) }
        if !(1...4).contains(carrierTypeFormat.rawValue) { warnings.append(.handoverCarrierTypeFormat) }
    }

    /// The format, the length of the type, the type and the data.
    public var payload: [UInt8] {
        [carrierTypeFormat.rawValue, UInt8(truncatingIfNeeded: carrierType.count)] + carrierType + carrierData
    }

    /// Such as `Handover carrier application/vnd.bluetooth.ep.oob`.
    public var description: String {
        let type = String(decoding: carrierType, as: UTF8.self).escaped
        return type.isEmpty ? "Handover carrier" : "Handover carrier \(type)"
    }
}

extension NDEFWarning.Code {
    /// Reserved bits of the first byte of a handover carrier are set.
    public static let handoverCarrierReservedBits = Self(
        "HC_RESERVED_BITS", "reserved bits of the handover carrier are set")
    /// The type of a handover carrier has a format that carriers do not have: 0 or above 4.
    public static let handoverCarrierTypeFormat = Self(
        "HC_TYPE_FORMAT", "the type of the handover carrier has a format that carriers do not have")
}

extension NDEFPayloadError.Code {
    /// A handover carrier payload has no format or no type length.
    public static let handoverCarrierShort = Self(rawValue: "HC_SHORT")
    /// The type of a handover carrier payload runs past its end.
    public static let handoverCarrierTypeOverrun = Self(rawValue: "HC_TYPE_OVERRUN")
    /// A carrier type to be encoded is longer than 255 bytes.
    public static let handoverCarrierTypeTooLong = Self(rawValue: "HC_TYPE_TOO_LONG")
}

extension HandoverCarrierRecord {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case carrierTypeFormat, carrierType, carrierData
    }

    /// Writes `carrierTypeFormat` (the name of a type name format), `carrierType` and `carrierData` (hexadecimal).
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(carrierTypeFormat, forKey: .carrierTypeFormat)
        try container.encode(hexadecimal: carrierType, forKey: .carrierType)
        try container.encode(hexadecimal: carrierData, forKey: .carrierData)
    }

    /// Reads `carrierTypeFormat` and `carrierType`, and `carrierData` (empty where missing).
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let format = try container.decode(TypeNameFormat.self, forKey: .carrierTypeFormat)
        let type = try container.decodeHexadecimal(forKey: .carrierType)
        let data = try container.decodeHexadecimalIfPresent(forKey: .carrierData) ?? []
        self = try container.accepting(.carrierType) { () throws(NDEFPayloadError) in
            try HandoverCarrierRecord(carrierTypeFormat: format, carrierType: type, carrierData: data)
        }
    }
}

extension HandoverCarrierRecord: JSONDescribed {
    package static var jsonSummary: String {
        "A carrier that is asked for without a description (well-known type `Hc`)."
    }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .carrierTypeFormat:
                .required(
                    .words(TypeNameFormat.allCases.map(\.description), numbers: nil),
                    "How the type is to be read: a `typeNameFormat`.")
            case .carrierType:
                .required(.bytes(0...0xFF), "The type of the carrier.")
            case .carrierData:
                .written(.bytes, usual: .text(""), "What else there is to say of it.")
            }
        }
    }
}
