/// A system code (JIS X 6319-4): which system of a card a polling is for. FF in either byte stands for any.
public struct FeliCaSystemCode: RawRepresentable, Sendable, Hashable {
    /// The code; goes over the air most significant byte first.
    public let rawValue: UInt16

    /// Any number is carried.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// FFFF: any system.
    public static let any = FeliCaSystemCode(rawValue: 0xFFFF)
    /// 12FC: the NDEF system of NFC Forum Type 3 Tags.
    public static let ndef = FeliCaSystemCode(rawValue: 0x12FC)
    /// 88B4: FeliCa Lite and Lite-S.
    public static let lite = FeliCaSystemCode(rawValue: 0x88B4)
}

/// A service code (JIS X 6319-4): service number and attribute; goes over the air least significant byte first.
public struct FeliCaServiceCode: RawRepresentable, Sendable, Hashable {
    /// The code.
    public let rawValue: UInt16

    /// Any number is carried.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// 000B: random access, read-only, without authentication.
    public static let readOnly = FeliCaServiceCode(rawValue: 0x000B)
    /// 0009: random access, read and write, without authentication.
    public static let readWrite = FeliCaServiceCode(rawValue: 0x0009)

    var bytes: [UInt8] { [UInt8(truncatingIfNeeded: rawValue), UInt8(truncatingIfNeeded: rawValue >> 8)] }
}
