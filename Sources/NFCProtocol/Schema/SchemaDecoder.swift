/// A decoder that has nothing to decode: it notes what a type asks for, and hands out a sample of each.
struct SchemaDecoder: Decoder {
    let note: SchemaNote
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    /// Deeper than any form; a type that holds itself never ends.
    private static let deepest = 32

    /// The shape of a type's JSON form.
    ///
    /// - Throws: `DecodingError` for a type that refuses its samples; it has to be ``SchemaProviding``.
    static func note(of type: any Decodable.Type) throws -> SchemaNote {
        let note = SchemaNote()
        _ = try SchemaDecoder(note: note, codingPath: []).sample(of: type)
        return note
    }

    /// Notes a type, and makes a value of it.
    func sample<Value: Decodable>(of type: Value.Type) throws -> Value {
        if let type = type as? any SchemaProviding.Type, let value = known(type) as? Value { return value }
        if let type = type as? any Choice.Type, let value = choice(type) as? Value { return value }
        guard codingPath.count < Self.deepest else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: codingPath, debugDescription: "\(type) is nested too deeply for a schema"))
        }
        return try Value(from: self)
    }

    private func known<Value: SchemaProviding>(_ type: Value.Type) -> Value {
        note.known = type.schema
        return type.sample
    }

    private func choice<Value: Choice>(_ type: Value.Type) -> Value? {
        note.known = ["type": "string", "enum": .array(type.allCases.map { .string($0.rawValue) })]
        return type.allCases.first
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(SchemaMembers(note: note, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer {
        let elements = note.elements ?? SchemaNote()
        note.elements = elements
        return SchemaElements(note: elements, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        SchemaValue(decoder: self)
    }
}
