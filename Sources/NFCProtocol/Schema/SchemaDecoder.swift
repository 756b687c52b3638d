/// A decoder without data: it records which values a type decodes, and returns a sample of each.
struct SchemaDecoder: Decoder {
    let note: SchemaNote
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    /// Deeper than any form of the protocol: the limit for a type that contains itself.
    private static let deepest = 32

    /// The shape of a type's JSON form.
    ///
    /// - Throws: `DecodingError` for a type that refuses the samples; such a type has to be ``SchemaProviding``.
    static func note(of type: any Decodable.Type) throws -> SchemaNote {
        let note = SchemaNote()
        _ = try SchemaDecoder(note: note, codingPath: []).sample(of: type)
        return note
    }

    /// Records a type, and makes a value of it.
    func sample<Value: Decodable>(of type: Value.Type) throws -> Value {
        note.recordType(type)
        if let type = type as? any Described.Type { note.describe(type.descriptions) }
        if let type = type as? any SizedParameters.Type { note.limit(type.sizes) }
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

// The containers of a SchemaDecoder.

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

/// An object that has every requested member.
struct SchemaMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let note: SchemaNote
    let codingPath: [any CodingKey]

    /// Only a dictionary reads the names: its members can have any.
    var allKeys: [Key] {
        note.values = note.values ?? SchemaNote()
        return Key(stringValue: "0").map { [$0] } ?? []
    }

    func contains(_ key: Key) -> Bool {
        note.recordCheck(of: key.stringValue)
        return true
    }

    func decodeNil(forKey key: Key) -> Bool {
        note.recordCheck(of: key.stringValue)
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

/// The shape of a type's JSON form: the values that the type decoded.
final class SchemaNote {
    /// A member of an object.
    struct Member {
        let name: String
        let note: SchemaNote
        /// Whether the type checked that the member exists before it decoded it.
        var isOptional: Bool
    }

    /// The schema of a scalar or of a type that provides one; nil for an array or an object.
    var known: JSONValue?
    /// The elements of an array.
    var elements: SchemaNote?
    /// The values of an object whose members can have any name.
    var values: SchemaNote?
    /// The members of an object, in their order.
    private(set) var members: [Member] = []
    /// Whether the value can be null.
    var isNullable = false
    /// The name of the schema in the document; nil for a type that has none there, such as a list or a number.
    private(set) var name: String?
    private var hasType = false
    private var checkedNames: Set<String> = []
    private var descriptions: [String: String] = [:]
    private var sizes: [String: ParameterSize] = [:]

    /// Records a type that is decoded from the value. The first one names the schema; those that follow are parts of the same object, or
    /// the value of an optional.
    func recordType(_ type: any Decodable.Type) {
        guard !hasType, !(type is any ExpressibleByNilLiteral.Type) else { return }
        hasType = true
        guard !(type is any SchemaProviding.Type), type is any Described.Type || type is any Choice.Type else { return }
        name = SchemaDefinitions.name(of: type)
    }

    /// Adds limits of members.
    func limit(_ sizes: [String: ParameterSize]) {
        self.sizes.merge(sizes) { $1 }
    }

    /// The largest size of a member.
    func size(of member: String) -> ParameterSize { sizes[member] ?? ParameterSize() }

    /// Adds descriptions of members.
    func describe(_ descriptions: [String: String]) {
        self.descriptions.merge(descriptions) { $1 }
    }

    /// The description of a member as JSON; nil if it has none.
    func description(of member: String) -> JSONValue? {
        descriptions[member].map { .string($0) }
    }

    /// Records that the type checks whether a member exists.
    func recordCheck(of name: String) {
        checkedNames.insert(name)
    }

    /// The shape of a member that the type decodes.
    func member(_ name: String) -> SchemaNote {
        if let values { return values }
        if let member = members.first(where: { $0.name == name }) { return member.note }
        let note = SchemaNote()
        let isOptional = checkedNames.contains(name)
        note.isNullable = isOptional
        members.append(Member(name: name, note: note, isOptional: isOptional))
        return note
    }

    /// The JSON Schema. Objects can have more members than those named, because later versions add some.
    var schema: JSONValue { schema(isClosed: false) }

    /// The JSON Schema: a reference if it has a name.
    ///
    /// - Parameter isClosed: whether objects have no other members than those named.
    func schema(isClosed: Bool) -> JSONValue {
        let schema = name.map(SchemaDefinitions.reference) ?? definition(isClosed: isClosed)
        return isNullable ? schema.orNull : schema
    }

    /// The JSON Schema itself, without null.
    ///
    /// - Parameter isClosed: whether objects have no other members than those named.
    func definition(isClosed: Bool) -> JSONValue {
        known ?? elements.map { ["type": "array", "items": $0.schema(isClosed: isClosed)] } ?? object(isClosed)
    }

    /// The shapes within this one: of the elements, of the members, and of the values of members with any name.
    var parts: [SchemaNote] { [elements, values].compactMap { $0 } + members.map(\.note) }

    private func object(_ isClosed: Bool) -> JSONValue {
        var object: [String: JSONValue] = [
            "type": "object", "additionalProperties": values?.schema(isClosed: isClosed) ?? .bool(!isClosed),
        ]
        if !members.isEmpty {
            let properties = members.map { member in
                (member.name, member.note.schema(isClosed: isClosed).described(by: description(of: member.name)))
            }
            object["properties"] = .object(Dictionary(properties) { $1 })
        }
        let required = members.filter { !$0.isOptional }
        if !required.isEmpty { object["required"] = .array(required.map { .string($0.name) }) }
        return .object(object)
    }
}

/// A type with a description of each of its stored properties, made from their doc comments by `make generate`.
package protocol Described {
    /// The descriptions by name.
    static var descriptions: [String: String] { get }
}

extension JSONValue {
    /// The schema with a description.
    fileprivate func described(by description: JSONValue?) -> JSONValue {
        guard let description, case .object(var schema) = self else { return self }
        // Draft 7 ignores what is beside a reference.
        if schema["$ref"] != nil { schema = ["allOf": [self]] }
        schema["description"] = description
        return .object(schema)
    }

    /// The schema that also accepts null.
    var orNull: JSONValue {
        guard case .object(var schema) = self, !schema.isEmpty else { return self }
        guard case .string(let type)? = schema["type"] else {
            if case .array? = schema["type"] { return self }
            if case .array(let choices)? = schema["anyOf"] {
                schema["anyOf"] = .array(choices + [["type": "null"]])
                return .object(schema)
            }
            return ["anyOf": [self, ["type": "null"]]]
        }
        schema["type"] = [.string(type), "null"]
        if case .array(let words)? = schema["enum"] { schema["enum"] = .array(words + [.null]) }
        return .object(schema)
    }
}

/// A type that provides its schema, because its decoding does not show it: a scalar, or a type with its own `init(from:)`.
package protocol SchemaProviding: Decodable {
    /// The JSON Schema (draft 7) of the type.
    static var schema: JSONValue { get }
    /// Any value of the type, to continue decoding with.
    static var sample: Self { get }
}

extension String: SchemaProviding {
    package static var schema: JSONValue { ["type": "string"] }
    package static var sample: String { "" }
}

extension Bool: SchemaProviding {
    package static var schema: JSONValue { ["type": "boolean"] }
    package static var sample: Bool { false }
}

extension Double: SchemaProviding {
    package static var schema: JSONValue { ["type": "number"] }
    package static var sample: Double { 0 }
}

extension Float: SchemaProviding {
    package static var schema: JSONValue { ["type": "number"] }
    package static var sample: Float { 0 }
}

extension SchemaProviding where Self: FixedWidthInteger {
    /// A whole number; with its bounds where those are narrower than what a JSON number carries exactly (2^53).
    package static var schema: JSONValue {
        var schema: [String: JSONValue] = ["type": "integer"]
        if bitWidth <= 32, let low = Int64(exactly: min), let high = Int64(exactly: max) {
            schema["minimum"] = .integer(low)
            schema["maximum"] = .integer(high)
        } else if !isSigned {
            schema["minimum"] = 0
        }
        return .object(schema)
    }
    package static var sample: Self { 0 }
}

extension Int: SchemaProviding {}
extension Int8: SchemaProviding {}
extension Int16: SchemaProviding {}
extension Int32: SchemaProviding {}
extension Int64: SchemaProviding {}
extension UInt: SchemaProviding {}
extension UInt8: SchemaProviding {}
extension UInt16: SchemaProviding {}
extension UInt32: SchemaProviding {}
extension UInt64: SchemaProviding {}

extension HexBytes: SchemaProviding {
    package static var schema: JSONValue { ["type": "string", "pattern": "^([0-9A-Fa-f]{2})*$"] }
    package static var sample: HexBytes { HexBytes([UInt8]()) }
}

extension RequestID: SchemaProviding {
    package static var schema: JSONValue { ["type": ["string", "number", "null"]] }
    package static var sample: RequestID { .null }
}

extension TapPosition: SchemaProviding {
    package static var schema: JSONValue { ["anyOf": [UInt64.schema, ["type": "string", "const": "new"]]] }
    package static var sample: TapPosition { .new }
}

extension JSONValue: SchemaProviding {
    package static var schema: JSONValue { [:] }
    package static var sample: JSONValue { .null }
}
