/// Decodes a value from a ``FlatObject``, with the result of `JSONDecoder` or an error. Errors are not described: whoever gets one decodes
/// the line with `JSONDecoder`, which reports it.
struct FlatDecoder: Decoder {
    /// What is not flat, or not as expected.
    struct Mismatch: Error {}

    fileprivate enum Source {
        case object(FlatObject)
        case value(FlatObject.Value)
    }

    fileprivate let source: Source
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let object) = source else { throw Mismatch() }
        return KeyedDecodingContainer(FlatMembers(object: object))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Mismatch() }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension FlatObject {
    /// Decodes a value from the members.
    ///
    /// - Throws: where `JSONDecoder` does, or where the type needs more than flat members.
    package func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try Value(from: FlatDecoder(source: .object(self)))
    }
}

extension FlatObject.Value {
    fileprivate func bool() throws -> Bool {
        guard case .bool(let value) = self else { throw FlatDecoder.Mismatch() }
        return value
    }

    fileprivate func text() throws -> String {
        guard case .text(let value) = self else { throw FlatDecoder.Mismatch() }
        return value
    }

    fileprivate func number<Number: Numeric>() throws -> Number {
        guard case .integer(let value) = self, let number = Number(exactly: value) else { throw FlatDecoder.Mismatch() }
        return number
    }

    fileprivate func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try Value(from: FlatDecoder(source: .value(self)))
    }
}

extension FlatDecoder: SingleValueDecodingContainer {
    private func value() throws -> FlatObject.Value {
        guard case .value(let value) = source else { throw Mismatch() }
        return value
    }

    func decodeNil() -> Bool {
        guard case .value(.null) = source else { return false }
        return true
    }

    func decode(_ type: Bool.Type) throws -> Bool { try value().bool() }
    func decode(_ type: String.Type) throws -> String { try value().text() }
    func decode(_ type: Double.Type) throws -> Double { try value().number() }
    func decode(_ type: Float.Type) throws -> Float { try value().number() }
    func decode(_ type: Int.Type) throws -> Int { try value().number() }
    func decode(_ type: Int8.Type) throws -> Int8 { try value().number() }
    func decode(_ type: Int16.Type) throws -> Int16 { try value().number() }
    func decode(_ type: Int32.Type) throws -> Int32 { try value().number() }
    func decode(_ type: Int64.Type) throws -> Int64 { try value().number() }
    func decode(_ type: UInt.Type) throws -> UInt { try value().number() }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try value().number() }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try value().number() }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try value().number() }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try value().number() }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: self) }
}

/// The members by the keys of a type.
private struct FlatMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let object: FlatObject
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { object.members.compactMap { Key(stringValue: $0.name) } }

    private func value(_ key: Key) throws -> FlatObject.Value {
        guard let value = object[key.stringValue] else { throw FlatDecoder.Mismatch() }
        return value
    }

    func contains(_ key: Key) -> Bool { object[key.stringValue] != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try value(key) == .null }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try value(key).bool() }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try value(key).text() }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try value(key).number() }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try value(key).number() }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try value(key).number() }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try value(key).number() }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try value(key).number() }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try value(key).number() }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try value(key).number() }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try value(key).number() }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try value(key).number() }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try value(key).number() }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try value(key).number() }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try value(key).number() }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try value(key).decode(type) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { throw FlatDecoder.Mismatch() }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw FlatDecoder.Mismatch() }
    func superDecoder() throws -> any Decoder { throw FlatDecoder.Mismatch() }
    func superDecoder(forKey key: Key) throws -> any Decoder { FlatDecoder(source: .value(try value(key))) }
}
