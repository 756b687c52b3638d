/// The hexadecimal text form of bytes: two digits a byte, upper case when written, either case when read.
public enum Hexadecimal {
    /// All digits of a number, the highest first: two for a `UInt8`, four for a `UInt16`.
    public static func string(_ number: some FixedWidthInteger & UnsignedInteger) -> String {
        string(number.bigEndianBytes)
    }

    /// Upper-case digits without separators; the empty string for no bytes.
    public static func string(_ bytes: some Collection<UInt8>) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { text in
            var position = 0
            for byte in bytes {
                text[position] = digits[Int(byte >> 4)]
                text[position + 1] = digits[Int(byte & 0x0F)]
                position += 2
            }
            return position
        }
    }

    /// The bytes that the digits of a text stand for; nil where their number is odd or where anything else is in the text.
    public static func bytes(_ text: String) -> [UInt8]? {
        let digits = text.utf8.span
        guard digits.count.isMultiple(of: 2) else { return nil }
        var isValid = true
        let bytes = [UInt8](unsafeUninitializedCapacity: digits.count / 2) { bytes, count in
            for index in 0..<digits.count / 2 {
                let high = values[Int(digits[2 * index])]
                let low = values[Int(digits[2 * index + 1])]
                isValid = isValid && high | low <= 0x0F
                bytes.initializeElement(at: index, to: high << 4 | low & 0x0F)
            }
            count = digits.count / 2
        }
        return isValid ? bytes : nil
    }

    /// The value of an ASCII digit of either case; nil for any other character.
    public static func value(ofDigit digit: UInt8) -> UInt8? {
        let value = values[Int(digit)]
        return value <= 0x0F ? value : nil
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    /// The value of each ASCII digit; 0xFF for any other character.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, digit) in zip(UInt8(0)..., "0123456789ABCDEF".utf8) { values[Int(digit)] = value }
        for (value, digit) in zip(UInt8(10)..., "abcdef".utf8) { values[Int(digit)] = value }
        return values
    }()
}

extension [UInt8] {
    /// The bytes as upper-case hexadecimal digits, two a byte.
    package var hexadecimal: String { Hexadecimal.string(self) }

    /// The bytes that hexadecimal digits stand for; nil where their number is odd or where anything else is in the text.
    package init?(hexadecimal text: String) {
        guard let bytes = Hexadecimal.bytes(text) else { return nil }
        self = bytes
    }
}

extension FixedWidthInteger where Self: UnsignedInteger {
    /// The bytes of the number, the highest first.
    package var bigEndianBytes: [UInt8] {
        stride(from: Self.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> Self($0)) }
    }
}
