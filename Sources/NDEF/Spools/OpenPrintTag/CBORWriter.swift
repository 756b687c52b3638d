/// Writes items of CBOR (RFC 8949), in the shortest form unless a width is asked for.
enum CBORWriter {
    /// The start of a map that a break ends, and the break.
    static let (indefiniteMap, breakByte): (UInt8, UInt8) = (0xBF, 0xFF)
    /// A map without pairs.
    static let emptyMap: UInt8 = 0xA0
    /// Null.
    static let null: [UInt8] = [0xF6]
    private static let indefiniteArray: UInt8 = 0x9F
    private static let (majorBytes, majorText, majorArray, majorMap): (UInt8, UInt8, UInt8, UInt8) = (2, 3, 4, 5)

    static func unsigned(_ number: UInt64) -> [UInt8] { head(0, number) }

    /// The integer in the shortest form. With a width, in that many bytes if it fits.
    static func integer(_ number: Int64, width: Int? = nil) -> [UInt8] {
        if let width, let bytes = integer(number, exactly: width) { return bytes }
        return number < 0 ? head(1, UInt64(bitPattern: ~number)) : head(0, UInt64(number))
    }

    static func bytes(_ bytes: [UInt8]) -> [UInt8] { head(majorBytes, UInt64(bytes.count)) + bytes }

    static func text(_ text: String) -> [UInt8] { head(majorText, UInt64(text.utf8.count)) + text.utf8 }

    /// An array that a break ends.
    static func indefiniteArray(_ items: [[UInt8]]) -> [UInt8] {
        [indefiniteArray] + items.flatMap { $0 } + [breakByte]
    }

    /// An array with the number of its items.
    static func array(_ items: [[UInt8]]) -> [UInt8] { head(majorArray, UInt64(items.count)) + items.flatMap { $0 } }

    /// A map with the number of its pairs.
    static func map(_ pairs: [[UInt8]]) -> [UInt8] { head(majorMap, UInt64(pairs.count)) + pairs.flatMap { $0 } }

    /// A number in the first of these forms that holds it to a thousandth: integer, half, single, double float. With a width, in that many
    /// bytes where a form of that width holds it.
    static func number(_ number: Double, width: Int? = nil) -> [UInt8] {
        if let width, let bytes = Self.number(number, exactly: width) { return bytes }
        if let integer = Int64(exactly: number) { return Self.integer(integer) }
        return self.number(number, exactly: 3) ?? self.number(number, exactly: 5) ?? double(number)
    }

    /// The number in just so many bytes, as an integer if it is one; nil where that cannot hold it.
    private static func number(_ number: Double, exactly width: Int) -> [UInt8]? {
        if let integer = Int64(exactly: number) { return Self.integer(integer, exactly: width) }
        return switch width {
        case 3 where isClose(number, Double(Float16(number))): [0xF9] + Float16(number).bitPattern.bigEndianBytes
        case 5: single(number)
        case 9: double(number)
        default: nil
        }
    }

    /// The number as a single float; nil where that does not hold it to a thousandth.
    static func single(_ number: Double) -> [UInt8]? {
        isClose(number, Double(Float(number))) ? [0xFA] + Float(number).bitPattern.bigEndianBytes : nil
    }

    private static func double(_ number: Double) -> [UInt8] { [0xFB] + number.bitPattern.bigEndianBytes }

    private static func isClose(_ one: Double, _ other: Double) -> Bool { abs(one - other) < 0.001 }

    private static func integer(_ number: Int64, exactly width: Int) -> [UInt8]? {
        let bits = number < 0 ? UInt64(bitPattern: ~number) : UInt64(number)
        let shortest = integer(number)
        guard shortest.count <= width, let size = [2: 24, 3: 25, 5: 26, 9: 27][width] as UInt8? else {
            return shortest.count == width ? shortest : nil
        }
        return [(number < 0 ? 0x20 : 0) | size] + bits.bigEndianBytes.suffix(width - 1)
    }

    private static func head(_ major: UInt8, _ number: UInt64) -> [UInt8] {
        let start = major << 5
        let bytes = number.bigEndianBytes
        return switch number {
        case ..<24: [start | UInt8(number)]
        case ...0xFF: [start | 24] + bytes.suffix(1)
        case ...0xFFFF: [start | 25] + bytes.suffix(2)
        case ...0xFFFF_FFFF: [start | 26] + bytes.suffix(4)
        default: [start | 27] + bytes
        }
    }
}
