// What a SchemaDecoder gives a type to take its values from.

/// A value on its own.
struct SchemaValue: SingleValueDecodingContainer {
    let decoder: SchemaDecoder
    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool {
        decoder.note.isNullable = true
        return false
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.sample(of: type) }
}

/// An array of one element.
struct SchemaElements: UnkeyedDecodingContainer {
    let note: SchemaNote
    let codingPath: [any CodingKey]
    let count: Int? = 1
    private(set) var currentIndex = 0
    var isAtEnd: Bool { currentIndex > 0 }

    init(note: SchemaNote, codingPath: [any CodingKey]) {
        self.note = note
        self.codingPath = codingPath
    }

    mutating func decodeNil() -> Bool {
        note.isNullable = true
        return false
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try element().sample(of: type) }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        element().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer { element().unkeyedContainer() }

    mutating func superDecoder() -> any Decoder { element() }

    private mutating func element() -> SchemaDecoder {
        currentIndex += 1
        return SchemaDecoder(note: note, codingPath: codingPath + [SchemaKey(intValue: 0)])
    }
}

/// An object with whatever members are asked for.
struct SchemaMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let note: SchemaNote
    let codingPath: [any CodingKey]

    /// Only a dictionary asks for the names: its members have any.
    var allKeys: [Key] {
        note.values = note.values ?? SchemaNote()
        return Key(stringValue: "0").map { [$0] } ?? []
    }

    func contains(_ key: Key) -> Bool {
        note.lookFor(key.stringValue)
        return true
    }

    func decodeNil(forKey key: Key) -> Bool {
        note.lookFor(key.stringValue)
        return false
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try member(key).sample(of: type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedDecodingContainer<Nested> { member(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer { member(key).unkeyedContainer() }

    func superDecoder() -> any Decoder { SchemaDecoder(note: note.member("super"), codingPath: codingPath) }

    func superDecoder(forKey key: Key) -> any Decoder { member(key) }

    private func member(_ key: Key) -> SchemaDecoder {
        SchemaDecoder(note: note.member(key.stringValue), codingPath: codingPath + [key])
    }
}

/// The place of an array's element.
private struct SchemaKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(intValue: Int) {
        self.intValue = intValue
        stringValue = "\(intValue)"
    }

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }
}
