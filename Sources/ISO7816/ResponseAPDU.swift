import NFCTypes

/// A response APDU: response data and the status word SW1-SW2 behind it (ISO/IEC 7816-4).
public struct ResponseAPDU: Sendable, Hashable {
    /// The response data field, possibly empty.
    public let data: [UInt8]
    /// SW1-SW2.
    public let statusWord: StatusWord

    /// Makes a response from its two parts.
    public init(data: [UInt8] = [], statusWord: StatusWord) {
        self.data = data
        self.statusWord = statusWord
    }

    /// Splits a raw response; only the last two bytes are the status word, `9000` may occur inside the data.
    ///
    /// - Throws: ``ResponseAPDUError/statusWordMissing(_:)`` for fewer than two bytes.
    public init(bytes: [UInt8]) throws(ResponseAPDUError) {
        let trailer = bytes.suffix(2)
        guard trailer.count == 2, let sw1 = trailer.first, let sw2 = trailer.last else {
            throw .statusWordMissing(bytes)
        }
        self.init(data: Array(bytes.dropLast(2)), statusWord: StatusWord(sw1: sw1, sw2: sw2))
    }

    /// Data followed by SW1 and SW2.
    public var bytes: [UInt8] { data + [statusWord.sw1, statusWord.sw2] }
}

/// Why bytes are not a response APDU (ISO/IEC 7816-4).
public enum ResponseAPDUError: Error, Sendable, Hashable {
    /// Fewer than two bytes; the bytes there were.
    case statusWordMissing([UInt8])
}

extension ResponseAPDUError: CustomStringConvertible {
    /// The reason in words.
    public var description: String {
        switch self {
        case .statusWordMissing(let bytes) where bytes.isEmpty: "the response is empty, not even a status word"
        case .statusWordMissing(let bytes):
            "a response has at least the two bytes of the status word, this one is \(Hexadecimal.string(bytes))"
        }
    }
}

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
    /// 6700: wrong length.
    public static let wrongLength = StatusWord(rawValue: 0x6700)
    /// 6A81: function not supported.
    public static let functionNotSupported = StatusWord(rawValue: 0x6A81)
    /// 6D00: instruction not supported.
    public static let instructionNotSupported = StatusWord(rawValue: 0x6D00)
}

extension StatusWord: CustomStringConvertible {
    /// Four digits and the meaning, for example `6A82 (file, application or block not found)`.
    public var description: String {
        let digits = Hexadecimal.string([sw1, sw2])
        return meaning.map { "\(digits) (\($0))" } ?? digits
    }

    /// The meaning of the status word; `nil` for one that neither ISO/IEC 7816-4 nor a known reader defines.
    public var meaning: String? { StatusWord.meanings[rawValue] ?? countedMeaning ?? familyMeaning }

    /// Meanings that carry a number.
    private var countedMeaning: String? {
        if let remainingLength { return "\(remainingLength) more bytes, fetch them with GET RESPONSE" }
        if let correctLength { return "wrong expected length, \(correctLength) is right" }
        return remainingTries.map { "verification failed, \($0) tries left" }
    }

    /// The meaning of SW1 alone.
    private var familyMeaning: String? {
        switch sw1 {
        case 0x62, 0x63: "warning"
        case 0x64, 0x65: "execution error"
        case 0x67: "wrong length"
        case 0x68: "function of the class byte not supported"
        case 0x69: "command not allowed"
        case 0x6A: "wrong parameters"
        case 0x91: "native DESFire status \(Hexadecimal.string(sw2))"
        default: nil
        }
    }

    private static let meanings: [UInt16: String] = [
        0x9000: "done",
        0x6282: "data ended before the expected length",
        0x6300: "operation failed: refused, no answer or not authenticated",
        0x6581: "memory failure",
        0x6700: "wrong length",
        0x6900: "command not allowed now",
        0x6981: "command does not fit the card",
        0x6982: "security status not satisfied",
        0x6983: "authentication blocked",
        0x6984: "reference data not usable",
        0x6985: "conditions of use not satisfied",
        0x6986: "no current file",
        0x6A80: "wrong data",
        0x6A81: "function not supported",
        0x6A82: "file, application or block not found",
        0x6A86: "wrong P1 or P2",
        0x6B00: "offset outside the file",
        0x6D00: "instruction not supported",
        0x6E00: "class not supported",
        0x6F00: "no precise diagnosis",
        0x9100: "native DESFire status: done",
        0x919D: "native DESFire status: permission denied",
        0x91AE: "native DESFire status: authentication error",
        0x91AF: "native DESFire status: more frames follow",
        0x91F0: "native DESFire status: file not found",
    ]
}
