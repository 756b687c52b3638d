/// A decoded item of CBOR (RFC 8949), as far as CTAP uses it: no indefinite lengths (CTAP 2.1, §8).
///
/// What CTAP has no use for today, a later version may have: a tag is left out, and its item read; a number with a fraction is read
/// as null. Depth, number of items and size are bounded, since cards and programs are not trusted.
public indirect enum CBORItem: Sendable, Hashable {
    /// An integer; beyond 63 bits it is cut to the largest or smallest.
    case integer(Int)
    /// A byte string.
    case bytes([UInt8])
    /// A text.
    case text(String)
    /// A list.
    case array([CBORItem])
    /// Pairs in the order in which they came; a key that comes twice is refused.
    case map([CBORItem: CBORItem])
    /// True or false.
    case boolean(Bool)
    /// Null, another simple value, or a number with a fraction.
    case null

    /// Why bytes are not CBOR.
    public enum Failure: Error, Sendable, Hashable {
        /// The bytes end in the middle of an item.
        case truncated
        /// Bytes follow the item.
        case trailingBytes
        /// Arrays and maps are nested too deeply, or there are too many items.
        case tooComplex
        /// The item is of a kind that CTAP does not use, or a key comes twice.
        case unsupported
    }

    /// The deepest nesting; CTAP itself allows four levels (CTAP 2.1, §8).
    private static let deepest = 8
    /// The most items of a message.
    private static let mostItems = 2048

    /// Decodes one item that takes all the bytes.
    public init(_ bytes: some Collection<UInt8>) throws(Failure) {
        var decoder = Decoder(rest: Array(bytes)[...], itemsLeft: Self.mostItems)
        self = try decoder.item(depth: 0)
        guard decoder.rest.isEmpty else { throw .trailingBytes }
    }

    /// The value of an integer key of a map; nil where this is not a map, or the key is missing.
    public subscript(_ key: Int) -> CBORItem? {
        if case .map(let pairs) = self { pairs[.integer(key)] } else { nil }
    }

    /// The value of a text key of a map; nil where this is not a map, or the key is missing.
    public subscript(_ key: String) -> CBORItem? {
        if case .map(let pairs) = self { pairs[.text(key)] } else { nil }
    }

    /// The integer; nil for another kind.
    public var integer: Int? { if case .integer(let value) = self { value } else { nil } }

    /// The truth value; nil for another kind.
    public var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }

    private struct Decoder {
        var rest: ArraySlice<UInt8>
        var itemsLeft: Int

        mutating func item(depth: Int) throws(Failure) -> CBORItem {
            guard depth <= CBORItem.deepest, itemsLeft > 0 else { throw .tooComplex }
            itemsLeft -= 1
            let first = try byte()
            let value = try argument(first & 0x1F)
            switch first >> 5 {
            case 0: return .integer(Int(clamping: value))
            case 1: return .integer(value > UInt64(Int.max) ? Int.min : -1 - Int(value))
            case 2: return .bytes(Array(try take(value)))
            case 3: return .text(String(decoding: try take(value), as: UTF8.self))
            case 4: return .array(try array(of: value, depth))
            case 5: return .map(try map(of: value, depth))
            case 6: return try item(depth: depth + 1)
            default: return first & 0x1F < 24 ? Self.simple(value) : .null
            }
        }

        private static func simple(_ value: UInt64) -> CBORItem {
            switch value {
            case 20: .boolean(false)
            case 21: .boolean(true)
            default: .null
            }
        }

        private mutating func array(of count: UInt64, _ depth: Int) throws(Failure) -> [CBORItem] {
            var items: [CBORItem] = []
            for _ in 0..<(try bounded(count)) { items.append(try item(depth: depth + 1)) }
            return items
        }

        private mutating func map(of count: UInt64, _ depth: Int) throws(Failure) -> [CBORItem: CBORItem] {
            var pairs: [CBORItem: CBORItem] = [:]
            for _ in 0..<(try bounded(count)) {
                let key = try item(depth: depth + 1)
                guard pairs.updateValue(try item(depth: depth + 1), forKey: key) == nil else { throw .unsupported }
            }
            return pairs
        }

        /// A number of items; each takes at least a byte.
        private func bounded(_ count: UInt64) throws(Failure) -> Int {
            guard count <= rest.count else { throw .truncated }
            return Int(count)
        }

        private mutating func argument(_ bits: UInt8) throws(Failure) -> UInt64 {
            switch bits {
            case 0..<24: UInt64(bits)
            case 24...27: try take(1 << UInt64(bits - 24)).reduce(0) { $0 << 8 | UInt64($1) }
            default: throw .unsupported
            }
        }

        private mutating func byte() throws(Failure) -> UInt8 {
            guard let first = rest.popFirst() else { throw .truncated }
            return first
        }

        private mutating func take(_ count: UInt64) throws(Failure) -> ArraySlice<UInt8> {
            guard count <= rest.count else { throw .truncated }
            defer { rest = rest.dropFirst(Int(count)) }
            return rest.prefix(Int(count))
        }
    }
}
