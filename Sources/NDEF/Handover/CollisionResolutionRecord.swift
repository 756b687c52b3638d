/// The random number of a handover request: local type `cr` (NFC Forum Connection Handover 1.5).
///
/// The payload is the number in two bytes, the high one first.
public struct CollisionResolutionRecord: NDEFTypedPayload {
    /// The number; it decides whose request counts where two devices send one at the same time.
    public let randomNumber: UInt16
    /// Bytes behind the number, which the standard does not know.
    public let reserved: [UInt8]

    /// A collision resolution record of this number.
    public init(_ randomNumber: UInt16, reserved: [UInt8] = []) {
        self.randomNumber = randomNumber
        self.reserved = reserved
    }

    /// Local type `cr`.
    public static let recordTypes = [NDEFRecordType.wellKnown("cr")]
    /// `collisionResolution`.
    public static let kind = "collisionResolution"

    /// Decodes a payload. More bytes than two are tolerated with a warning.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `CR_SHORT`.
    public init(payload: [UInt8], warnings: inout [NDEFWarning.Code]) throws(NDEFPayloadError) {
        var reader = ByteReader(payload)
        guard let number = reader.uint16() else {
            let found = counted(payload.count, "byte")
            let reason = "the collision resolution record has \(found), but its number takes 2"
            throw NDEFPayloadError(.collisionResolutionShort, reason)
        }
        randomNumber = number
        reserved = Array(reader.rest)
        if !reserved.isEmpty { warnings.append(.collisionResolutionTrailingData) }
    }

    /// The number in two bytes, the high one first, and what is reserved.
    public var payload: [UInt8] { randomNumber.bigEndianBytes + reserved }

    /// Such as `Collision resolution 4660`.
    public var description: String { "Collision resolution \(randomNumber)" }
}

extension NDEFWarning.Code {
    /// Bytes follow the number of a collision resolution record.
    public static let collisionResolutionTrailingData = Self(
        "CR_TRAILING_DATA", "bytes follow the random number of the collision resolution record")
}

extension NDEFPayloadError.Code {
    /// A collision resolution payload has fewer than two bytes.
    public static let collisionResolutionShort = Self(rawValue: "CR_SHORT")
}

extension CollisionResolutionRecord {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case randomNumber, reserved
    }

    /// Writes `randomNumber`, and `reserved` (hexadecimal) if there is any.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(randomNumber, forKey: .randomNumber)
        try container.encodeIfNotEmpty(hexadecimal: reserved, forKey: .reserved)
    }

    /// Reads `randomNumber`, and `reserved` (empty where missing).
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decodeInteger(UInt16.self, forKey: .randomNumber),
            reserved: try container.decodeHexadecimalIfPresent(forKey: .reserved) ?? [])
    }
}

extension CollisionResolutionRecord: JSONDescribed {
    package static var jsonSummary: String { "The random number of a handover request (local type `cr`)." }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .randomNumber:
                .required(.integer(0...0xFFFF), "The number.")
            case .reserved:
                .optional(.bytes, usual: .text(""), "The bytes after the number.")
            }
        }
    }
}
