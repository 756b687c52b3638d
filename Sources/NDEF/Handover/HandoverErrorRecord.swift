/// Why a handover request could not be processed: local type `err` (NFC Forum Connection Handover 1.5).
///
/// The payload is a reason and a number of one or four bytes, the highest first, whose meaning depends on the reason.
public struct HandoverErrorRecord: NDEFTypedPayload {
    /// Why the request could not be processed.
    public enum Reason: UInt8, Sendable, Hashable, CaseIterable {
        /// Memory is short for now; ``HandoverErrorRecord/data`` is the least time in milliseconds before the next attempt.
        case temporaryMemoryConstraints = 1
        /// The message is too large; ``HandoverErrorRecord/data`` is the largest length in bytes that would be accepted.
        case permanentMemoryConstraints = 2
        /// A carrier is not ready; ``HandoverErrorRecord/data`` is the least time in milliseconds before the next attempt.
        case carrierSpecificConstraints = 3
    }

    /// Why the request could not be processed.
    public let reason: Reason
    /// Milliseconds (0 to 255) or, for `permanentMemoryConstraints`, bytes.
    public let data: UInt32
    /// Bytes behind the number, which the standard does not know.
    public let reserved: [UInt8]

    /// An error to be reported.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `ERR_DATA_TOO_LARGE` where the data is in milliseconds and above 255.
    public init(_ reason: Reason, data: UInt32, reserved: [UInt8] = []) throws(NDEFPayloadError) {
        guard reason.isInBytes || data <= 0xFF else {
            throw NDEFPayloadError(.handoverErrorDataTooLarge, "\(data) ms are more than the 255 that can be encoded")
        }
        self.reason = reason
        self.data = data
        self.reserved = reserved
    }

    /// Local type `err`.
    public static let recordTypes = [NDEFRecordType.wellKnown("err")]
    /// `handoverError`.
    public static let kind = "handoverError"

    /// Decodes a payload. Bytes behind the data are tolerated with a warning.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `ERR_SHORT` or `ERR_RFU_REASON`.
    public init(payload: [UInt8], warnings: inout [NDEFWarning.Code]) throws(NDEFPayloadError) {
        var reader = ByteReader(payload)
        guard let code = reader.uint8() else {
            throw NDEFPayloadError(.handoverErrorShort, "the handover error has no bytes, not even a reason")
        }
        guard let reason = Reason(rawValue: code) else {
            let digits = [code].hexadecimal
            throw NDEFPayloadError(
                .handoverErrorReservedReason, "error reason \(digits) is reserved; 01 to 03 are in use")
        }
        guard let data = reason.isInBytes ? reader.uint32() : reader.uint8().map({ UInt32($0) }) else {
            throw NDEFPayloadError(.handoverErrorShort, "the handover error ends within its data")
        }
        self.reason = reason
        self.data = data
        reserved = Array(reader.rest)
        if !reserved.isEmpty { warnings.append(.handoverErrorTrailingData) }
    }

    /// The reason, its data, and what is reserved.
    public var payload: [UInt8] {
        [reason.rawValue] + (reason.isInBytes ? data.bigEndianBytes : [UInt8(truncatingIfNeeded: data)]) + reserved
    }

    /// Such as `Handover error: temporary memory constraints (255 ms)`.
    public var description: String { "Handover error: \(summary)" }

    /// Such as `temporary memory constraints (255 ms)`.
    var summary: String {
        switch reason {
        case .temporaryMemoryConstraints: "temporary memory constraints (\(data) ms)"
        case .permanentMemoryConstraints: "permanent memory constraints (\(counted(Int(clamping: data), "byte")))"
        case .carrierSpecificConstraints: "carrier-specific constraints (\(data) ms)"
        }
    }
}

extension HandoverErrorRecord.Reason {
    /// Whether the data is a length in four bytes; otherwise it is a time in one.
    fileprivate var isInBytes: Bool { self == .permanentMemoryConstraints }
}

extension NDEFWarning.Code {
    /// Bytes follow the data of a handover error.
    public static let handoverErrorTrailingData = Self(
        "ERR_TRAILING_DATA", "bytes follow the data of the handover error")
}

extension NDEFPayloadError.Code {
    /// A handover error payload ends before its data does.
    public static let handoverErrorShort = Self(rawValue: "ERR_SHORT")
    /// The reason of a handover error payload is reserved: 00, or 04 (hexadecimal) and above.
    public static let handoverErrorReservedReason = Self(rawValue: "ERR_RFU_REASON")
    /// A time to be encoded is above 255 ms.
    public static let handoverErrorDataTooLarge = Self(rawValue: "ERR_DATA_TOO_LARGE")
}

extension HandoverErrorRecord {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case reason, data, reserved
    }

    /// Writes `reason` (a name), `data` (milliseconds or bytes), and `reserved` (hexadecimal) if there is any.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(named: reason, forKey: .reason)
        try container.encode(data, forKey: .data)
        try container.encodeIfNotEmpty(hexadecimal: reserved, forKey: .reserved)
    }

    /// Reads `reason` and `data`, and `reserved` (empty where missing).
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let reason = try container.decodeNamed(Reason.self, forKey: .reason)
        let data = try container.decodeInteger(UInt32.self, forKey: .data)
        let reserved = try container.decodeHexadecimalIfPresent(forKey: .reserved) ?? []
        self = try container.accepting(.data) { () throws(NDEFPayloadError) in
            try HandoverErrorRecord(reason, data: data, reserved: reserved)
        }
    }
}

extension HandoverErrorRecord: JSONDescribed {
    package static var jsonSummary: String { "Why a handover request could not be processed (local type `err`)." }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .reason:
                .required(.named(Reason.self, numbers: 1...3), "The reason.")
            case .data:
                .required(
                    .integer(0...0xFFFF_FFFF),
                    "For `permanentMemoryConstraints` the largest message accepted, in bytes; otherwise the time to wait, 0 to 255 ms."
                )
            case .reserved:
                .optional(.bytes, usual: .text(""), "The bytes after the data.")
            }
        }
    }
}

extension HandoverErrorRecord.Reason: NamedNumber {
    static let names: [UInt8: String] = [
        1: "temporaryMemoryConstraints", 2: "permanentMemoryConstraints", 3: "carrierSpecificConstraints",
    ]
}
