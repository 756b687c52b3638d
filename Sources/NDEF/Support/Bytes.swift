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

extension ArraySlice<UInt8> {
    /// The bytes with each escape replaced by the byte that its two hexadecimal digits stand for, for example `%2C` or `=2C`.
    /// A sign without two digits after it is kept.
    func resolvingEscapes(_ sign: UInt8) -> [UInt8] {
        var reader = ByteReader(self)
        var result: [UInt8] = []
        while let byte = reader.uint8() {
            var ahead = reader
            let digits = byte == sign ? ahead.bytes(2)?.compactMap(Hexadecimal.value(ofDigit:)) : nil
            if let digits, digits.count == 2 {
                result.append(digits[0] << 4 | digits[1])
                reader = ahead
            } else {
                result.append(byte)
            }
        }
        return result
    }
}
