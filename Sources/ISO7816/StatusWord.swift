/// The status word SW1-SW2 of a response (ISO/IEC 7816-4), open: every value can be carried, known ones have names.
public struct StatusWord: RawRepresentable, Sendable, Hashable {
    /// SW1 in the high byte, SW2 in the low byte.
    public let rawValue: UInt16

    /// Any 16-bit value is a status word.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Puts the two bytes together.
    public init(sw1: UInt8, sw2: UInt8) { rawValue = UInt16(sw1) << 8 | UInt16(sw2) }

    /// First byte.
    public var sw1: UInt8 { UInt8(truncatingIfNeeded: rawValue >> 8) }
    /// Second byte.
    public var sw2: UInt8 { UInt8(truncatingIfNeeded: rawValue) }
    /// Whether this is 9000.
    public var isSuccess: Bool { self == .success }

    /// For 61XX the number of bytes GET RESPONSE can fetch (00 stands for 256), otherwise `nil`.
    public var remainingLength: Int? { sw1 == 0x61 ? count : nil }
    /// For 6CXX the right expected length (00 stands for 256), otherwise `nil`.
    public var correctLength: Int? { sw1 == 0x6C ? count : nil }
    /// For 63CX the tries that are left, otherwise `nil`.
    public var remainingTries: Int? { rawValue & 0xFFF0 == 0x63C0 ? Int(sw2 & 0x0F) : nil }

    private var count: Int { sw2 == 0 ? 256 : Int(sw2) }
}

extension StatusWord {
    /// 9000: done.
    public static let success = StatusWord(rawValue: 0x9000)
    /// 6282: the data ended before the expected length.
    public static let endOfData = StatusWord(rawValue: 0x6282)
    /// 6300: no information; from a contactless reader: the operation failed.
    public static let operationFailed = StatusWord(rawValue: 0x6300)
    /// 6581: writing to memory failed.
    public static let memoryFailure = StatusWord(rawValue: 0x6581)
    /// 6700: wrong length.
    public static let wrongLength = StatusWord(rawValue: 0x6700)
    /// 6900: command not allowed now.
    public static let commandNotAllowed = StatusWord(rawValue: 0x6900)
    /// 6981: the command does not fit the card or the file.
    public static let incompatibleCommand = StatusWord(rawValue: 0x6981)
    /// 6982: security status not satisfied.
    public static let securityStatusNotSatisfied = StatusWord(rawValue: 0x6982)
    /// 6983: authentication method blocked.
    public static let authenticationBlocked = StatusWord(rawValue: 0x6983)
    /// 6984: reference data not usable.
    public static let referenceDataNotUsable = StatusWord(rawValue: 0x6984)
    /// 6985: conditions of use not satisfied.
    public static let conditionsNotSatisfied = StatusWord(rawValue: 0x6985)
    /// 6986: no current file.
    public static let noCurrentFile = StatusWord(rawValue: 0x6986)
    /// 6A80: wrong data.
    public static let wrongData = StatusWord(rawValue: 0x6A80)
    /// 6A81: function not supported.
    public static let functionNotSupported = StatusWord(rawValue: 0x6A81)
    /// 6A82: file, application or block not found.
    public static let fileNotFound = StatusWord(rawValue: 0x6A82)
    /// 6A86: wrong P1 or P2.
    public static let wrongParameters = StatusWord(rawValue: 0x6A86)
    /// 6B00: offset outside the file.
    public static let wrongOffset = StatusWord(rawValue: 0x6B00)
    /// 6D00: instruction not supported.
    public static let instructionNotSupported = StatusWord(rawValue: 0x6D00)
    /// 6E00: class not supported.
    public static let classNotSupported = StatusWord(rawValue: 0x6E00)
    /// 6F00: no precise diagnosis.
    public static let noDiagnosis = StatusWord(rawValue: 0x6F00)
}
