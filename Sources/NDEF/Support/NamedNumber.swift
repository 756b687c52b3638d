/// A number of a standard that has a name in the JSON form.
///
/// It is written as the name, or as the number where it has none, and read in both forms.
protocol NamedNumber: RawRepresentable<UInt8> {
    static var names: [UInt8: String] { get }
}

extension NamedNumber {
    /// The name, if there is one.
    var name: String? { Self.names[rawValue] }
}

extension KeyedEncodingContainer {
    mutating func encode(named value: some NamedNumber, forKey key: Key) throws {
        try encode(NameOrNumber(value.rawValue, in: type(of: value).names), forKey: key)
    }
}

extension KeyedDecodingContainer {
    func decodeNamed<Value: NamedNumber>(_ type: Value.Type, forKey key: Key) throws -> Value {
        let number = try decode(NameOrNumber.self, forKey: key)
        guard let value = number.number(in: type.names).flatMap(type.init(rawValue:)) else {
            throw rejection(forKey: key, "there is no such value, only \(NameOrNumber.list(type.names))")
        }
        return value
    }

    /// The value, or nil where the field is missing or null.
    func decodeNamedIfPresent<Value: NamedNumber>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        guard contains(key), try !decodeNil(forKey: key) else { return nil }
        return try decodeNamed(type, forKey: key)
    }
}

/// A value of a standard's table in the JSON form: its name, or its number where it has none. Read in either form.
enum NameOrNumber: Codable {
    case name(String)
    case number(UInt8)

    /// The name of the number in this table, or the number.
    init(_ number: UInt8, in names: [UInt8: String]) {
        self = names[number].map(Self.name) ?? .number(number)
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let name = try? container.decode(String.self) {
            self = .name(name)
        } else if let number = try? container.decode(UInt8.self) {
            self = .number(number)
        } else {
            let reason = "neither a name nor a number from 0 to 255"
            throw DecodingError.dataCorruptedError(in: container, debugDescription: reason)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .name(let name): try container.encode(name)
        case .number(let number): try container.encode(number)
        }
    }

    /// The number; nil for a name that is not in this table.
    func number(in names: [UInt8: String]) -> UInt8? {
        switch self {
        case .name(let name): names.first { $0.value == name }?.key
        case .number(let number): number
        }
    }

    /// The names of a table in the order of their numbers.
    static func list(_ names: [UInt8: String]) -> String {
        names.sorted { $0.key < $1.key }.map(\.value).joined(separator: ", ")
    }
}

extension KeyedDecodingContainer {
    /// The number of a field given by its name in this table or as a number; nil where the field is missing or null.
    func decodeNamedNumberIfPresent(forKey key: Key, in names: [UInt8: String]) throws -> UInt8? {
        guard let value = try decodeIfPresent(NameOrNumber.self, forKey: key) else { return nil }
        guard let number = value.number(in: names) else {
            throw rejection(forKey: key, "there is no such name, only \(NameOrNumber.list(names)), and numbers")
        }
        return number
    }
}
