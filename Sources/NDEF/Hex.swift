extension [UInt8] {
    /// The bytes as upper-case hexadecimal digits, two a byte.
    package var hexadecimal: String {
        String(unsafeUninitializedCapacity: count * 2) { digits in
            var position = 0
            for byte in self {
                digits[position] = upperCaseDigits[Int(byte >> 4)]
                digits[position + 1] = upperCaseDigits[Int(byte & 0x0F)]
                position += 2
            }
            return position
        }
    }

    /// The bytes that these hexadecimal digits of either case stand for, or nil where their number is odd or one is no
    /// digit. There may be nothing between the digits.
    package init?(hexadecimal text: String) {
        let digits = text.utf8.span
        guard digits.count.isMultiple(of: 2) else { return nil }
        var isValid = true
        self.init(unsafeUninitializedCapacity: digits.count / 2) { bytes, count in
            for index in 0..<digits.count / 2 {
                let high = digitValues[Int(digits[2 * index])]
                let low = digitValues[Int(digits[2 * index + 1])]
                isValid = isValid && high | low <= 0x0F
                bytes.initializeElement(at: index, to: high << 4 | low & 0x0F)
            }
            count = digits.count / 2
        }
        guard isValid else { return nil }
    }
}

private let upperCaseDigits = Array("0123456789ABCDEF".utf8)

/// The value of each ASCII hexadecimal digit; 0xFF for all else.
private let digitValues: [UInt8] = {
    var values = [UInt8](repeating: 0xFF, count: 256)
    for (value, digit) in zip(UInt8(0)..., "0123456789ABCDEF".utf8) { values[Int(digit)] = value }
    for (value, digit) in zip(UInt8(10)..., "abcdef".utf8) { values[Int(digit)] = value }
    return values
}()
