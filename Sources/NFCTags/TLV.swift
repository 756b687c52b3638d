import ISO7816

/// The type byte T of a TLV in the data area (NFC Forum Type 2 Tag), open.
struct TLVType: RawRepresentable, Sendable, Hashable {
    let rawValue: UInt8

    /// Filler of one byte, without a length.
    static let null = TLVType(rawValue: 0x00)
    /// Where further lock bits lie.
    static let lockControl = TLVType(rawValue: 0x01)
    /// Where reserved memory lies.
    static let memoryControl = TLVType(rawValue: 0x02)
    /// An NDEF message.
    static let ndefMessage = TLVType(rawValue: 0x03)
    /// Content of the manufacturer.
    static let proprietary = TLVType(rawValue: 0xFD)
    /// The end of the TLVs, without a length.
    static let terminator = TLVType(rawValue: 0xFE)

    var isControl: Bool { self == .lockControl || self == .memoryControl }
}

extension TLVType: CustomStringConvertible {
    var description: String {
        switch self {
        case .null: "NULL TLV"
        case .lockControl: "Lock Control TLV"
        case .memoryControl: "Memory Control TLV"
        case .ndefMessage: "NDEF message TLV"
        case .proprietary: "proprietary TLV"
        case .terminator: "terminator TLV"
        default: "TLV of type \(Hexadecimal.string(rawValue))"
        }
    }
}

/// One TLV with a length, as found in memory. Offsets count bytes from the start of memory.
struct TLV: Sendable, Hashable {
    let type: TLVType
    /// Where T stands.
    let offset: Int
    /// The length field: bytes of value, skipped areas not counted.
    let length: Int
    /// Where the value lies, skipped areas left out; empty for a length of 0.
    let pieces: [Range<Int>]
    /// The value of a control TLV or of the first NDEF message TLV; empty for others, which are not read.
    let value: [UInt8]
}

/// Why a walk over the TLVs cannot go on.
enum TLVFault: Error, Sendable, Hashable {
    /// The area ends inside the length field of the TLV at `offset`.
    case lengthTruncated(TLVType, offset: Int)
    /// The TLV declares more bytes than the area has left.
    case overrun(TLVType, offset: Int, declared: Int, available: Int)
}

extension TLVFault: CustomStringConvertible {
    var description: String {
        switch self {
        case .lengthTruncated(let type, let offset):
            "TLV overrun: the data area ends inside the length of the \(type) at byte \(offset)"
        case .overrun(let type, let offset, let declared, let available):
            "TLV overrun: the \(type) at byte \(offset) declares \(declared) bytes, \(available) are left"
        }
    }
}
