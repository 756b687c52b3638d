/// A number of a standard that has a name in the JSON form.
///
/// It is written as the name, or as the number where it has none, and read in both forms.
protocol NamedNumber: RawRepresentable<UInt8> {
    static var names: [UInt8: String] { get }
}

extension NamedNumber {
    /// The name, where there is one.
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
