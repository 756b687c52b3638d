/// Takes fields off the front of a payload, one after the other; a field that the bytes do not hold whole is nil.
struct ByteReader {
    /// What has not been taken yet.
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }
    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }
    var remaining: Int { rest.count }

    mutating func uint8() -> UInt8? { rest.popFirst() }

    /// Two bytes, the high one first.
    mutating func uint16() -> UInt16? {
        bytes(2).map { $0.reduce(0) { $0 << 8 | UInt16($1) } }
    }

    /// Four bytes, the highest first.
    mutating func uint32() -> UInt32? {
        bytes(4).map { $0.reduce(0) { $0 << 8 | UInt32($1) } }
    }

    /// The next `count` bytes; nil, with nothing taken, where fewer are left.
    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}

extension FixedWidthInteger where Self: UnsignedInteger {
    /// The number's bytes, the highest first.
    var bigEndianBytes: [UInt8] {
        stride(from: Self.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> Self($0)) }
    }
}

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
