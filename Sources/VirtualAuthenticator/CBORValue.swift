/// A value of CBOR as CTAP uses it: canonical, without tags and floating-point numbers (CTAP 2.1, §8).
enum CBORValue: Hashable, Sendable {
    case unsigned(UInt64)
    /// −1 − n.
    case negative(UInt64)
    case bytes([UInt8])
    case text(String)
    case array([CBORValue])
    case map([CBORValue: CBORValue])
    case truth(Bool)

    /// A number that may be negative.
    static func number(_ value: Int) -> CBORValue {
        value < 0 ? .negative(UInt64(-1 - value)) : .unsigned(UInt64(value))
    }

    /// A map with integers as keys.
    static func fields(_ fields: [Int: CBORValue?]) -> CBORValue {
        .map(Dictionary(uniqueKeysWithValues: fields.compactMap { key, value in value.map { (.number(key), $0) } }))
    }

    // MARK: Encoding

    var encoded: [UInt8] {
        switch self {
        case .unsigned(let value): Self.head(0, value)
        case .negative(let value): Self.head(1, value)
        case .bytes(let bytes): Self.head(2, UInt64(bytes.count)) + bytes
        case .text(let text): Self.head(3, UInt64(text.utf8.count)) + Array(text.utf8)
        case .array(let values): Self.head(4, UInt64(values.count)) + values.flatMap(\.encoded)
        case .map(let map):
            Self.head(5, UInt64(map.count))
                + map.map { ($0.encoded, $1.encoded) }.sorted { Self.isBefore($0.0, $1.0) }.flatMap { $0 + $1 }
        case .truth(let value): [value ? 0xF5 : 0xF4]
        }
    }

    private static func head(_ type: UInt8, _ value: UInt64) -> [UInt8] {
        let size = value < 24 ? 0 : value <= 0xFF ? 1 : value <= 0xFFFF ? 2 : value <= 0xFFFF_FFFF ? 4 : 8
        guard size > 0 else { return [type << 5 | UInt8(value)] }
        let code: UInt8 = size == 1 ? 24 : size == 2 ? 25 : size == 4 ? 26 : 27
        return [type << 5 | code] + (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// The order of keys: the lower major type, the shorter one, the lower bytes (CTAP 2.1, §8).
    fileprivate static func isBefore(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        let (type, otherType) = (one[0] >> 5, other[0] >> 5)
        guard type == otherType else { return type < otherType }
        return one.count == other.count ? one.lexicographicallyPrecedes(other) : one.count < other.count
    }

    // MARK: Access

    subscript(key: Int) -> CBORValue? { self[.number(key)] }
    subscript(key: String) -> CBORValue? { self[.text(key)] }

    private subscript(key: CBORValue) -> CBORValue? {
        if case .map(let map) = self { map[key] } else { nil }
    }

    var asBytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
    var asText: String? { if case .text(let text) = self { text } else { nil } }
    var asArray: [CBORValue]? { if case .array(let values) = self { values } else { nil } }
    var asTruth: Bool? { if case .truth(let value) = self { value } else { nil } }
    var isMap: Bool { if case .map = self { true } else { false } }

    var asNumber: Int? {
        switch self {
        case .unsigned(let value): Int(exactly: value)
        case .negative(let value): Int(exactly: value).map { -1 - $0 }
        default: nil
        }
    }
}

/// Reads canonical CBOR; everything else is refused, as real cards do.
struct CBORReader {
    /// CTAP allows four levels of arrays and maps (CTAP 2.1, §8).
    private static let deepest = 4

    private var rest: ArraySlice<UInt8>

    /// The one value that bytes hold; nil where they are not canonical, or something follows.
    static func value(_ bytes: ArraySlice<UInt8>) -> CBORValue? {
        var reader = CBORReader(rest: bytes)
        guard let value = reader.value(depth: 0), reader.rest.isEmpty else { return nil }
        return value
    }

    private mutating func value(depth: Int) -> CBORValue? {
        guard let first = rest.popFirst() else { return nil }
        if first == 0xF4 || first == 0xF5 { return .truth(first == 0xF5) }
        guard let argument = argument(first & 0x1F) else { return nil }
        switch first >> 5 {
        case 0: return .unsigned(argument)
        case 1: return .negative(argument)
        case 2: return take(argument).map { .bytes(Array($0)) }
        case 3: return take(argument).flatMap { String(validating: $0, as: UTF8.self) }.map { .text($0) }
        case 4: return depth < Self.deepest ? array(argument, depth + 1) : nil
        case 5: return depth < Self.deepest ? map(argument, depth + 1) : nil
        default: return nil
        }
    }

    /// The argument of a head in its shortest form.
    private mutating func argument(_ code: UInt8) -> UInt64? {
        guard code >= 24 else { return UInt64(code) }
        guard code <= 27, let bytes = take(1 << UInt64(code - 24)) else { return nil }
        let value = bytes.reduce(0) { $0 << 8 | UInt64($1) }
        let least: [UInt64] = [24, 0x100, 0x1_0000, 0x1_0000_0000]
        return value >= least[Int(code - 24)] ? value : nil
    }

    private mutating func take(_ count: UInt64) -> ArraySlice<UInt8>? {
        guard count <= UInt64(rest.count) else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }

    private mutating func array(_ count: UInt64, _ depth: Int) -> CBORValue? {
        guard count <= UInt64(rest.count) else { return nil }
        var values: [CBORValue] = []
        for _ in 0..<count {
            guard let value = value(depth: depth) else { return nil }
            values.append(value)
        }
        return .array(values)
    }

    private mutating func map(_ count: UInt64, _ depth: Int) -> CBORValue? {
        guard count <= UInt64(rest.count) else { return nil }
        var (map, last): ([CBORValue: CBORValue], [UInt8]) = ([:], [])
        for _ in 0..<count {
            guard let key = value(depth: depth), let value = value(depth: depth) else { return nil }
            let encoded = key.encoded
            guard last.isEmpty || CBORValue.isBefore(last, encoded) else { return nil }
            last = encoded
            map[key] = value
        }
        return .map(map)
    }
}
