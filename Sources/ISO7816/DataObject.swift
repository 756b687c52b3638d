/// A BER-TLV data object with a tag of one byte (ISO/IEC 7816-4): `54` and `53` in READ and UPDATE BINARY with an odd
/// instruction byte.
public struct DataObject: Sendable, Hashable {
    /// T, of one byte: the low five bits are not all set.
    public let tag: UInt8
    /// V.
    public let value: [UInt8]

    /// Makes a data object.
    public init(tag: UInt8, value: [UInt8]) {
        self.tag = tag
        self.value = value
    }

    /// T, the length in as few bytes as it takes, and V.
    public var bytes: [UInt8] { [tag] + Self.lengthField(value.count) + value }

    /// Parses exactly one data object; `nil` for a tag of several bytes, the indefinite length, a length over
    /// 16,777,215, a value that is cut off, and bytes behind it.
    public init?(bytes: [UInt8]) {
        guard let tag = bytes.first, tag & 0x1F != 0x1F, let form = bytes.dropFirst().first else { return nil }
        var rest = bytes.dropFirst(2)
        var length = Int(form)
        if form > 0x7F {
            let count = Int(form & 0x7F)
            guard (1...3).contains(count), rest.count >= count else { return nil }
            length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(count)
        }
        guard rest.count == length else { return nil }
        self.init(tag: tag, value: Array(rest))
    }

    /// The bytes that tag and length take in front of a value of `count` bytes.
    public static func headerSize(valueCount count: Int) -> Int { 1 + lengthField(count).count }

    /// The longest value whose data object fits `room` bytes, at least 0.
    public static func valueCount(fitting room: Int) -> Int {
        [2, 3, 4, 5].map { room - $0 }.first { $0 >= 0 && headerSize(valueCount: $0) + $0 <= room } ?? 0
    }

    private static func lengthField(_ count: Int) -> [UInt8] {
        let bytes = [16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
        switch count {
        case ...0x7F: return bytes.suffix(1)
        case ...0xFF: return [0x81] + bytes.suffix(1)
        case ...0xFFFF: return [0x82] + bytes.suffix(2)
        default: return [0x83] + bytes
        }
    }
}
