/// A value as it stands in the JSON form, for showing: fields in the order in which they are written.
final class FieldNode {
    enum Shape {
        /// A number, yes, no or none.
        case word(String)
        case text(String)
        /// The children are its elements, without names.
        case list
        /// The children are its fields.
        case object
    }

    fileprivate(set) var shape = Shape.object
    fileprivate(set) var children: [(name: String, node: FieldNode)] = []

    /// What a value writes of itself.
    init(_ value: any Encodable) throws {
        switch value {
        case let text as String: shape = .text(text)
        case let flag as Bool: shape = .word(flag ? "yes" : "no")
        case let number as any Numeric: shape = .word("\(number)")
        default: try value.encode(to: FieldEncoder(node: self))
        }
    }

    fileprivate init(_ shape: Shape = .object) {
        self.shape = shape
    }

    fileprivate func add(_ node: FieldNode, _ name: String = "") -> FieldNode {
        children.append((name, node))
        return node
    }
}

private struct FieldEncoder: Encoder {
    let node: FieldNode
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(FieldContainer(node: node))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.shape = .list
        return ElementContainer(node: node)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { ValueContainer(node: node) }
}

private struct FieldContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: FieldNode
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) { added(key).shape = .word("none") }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        _ = node.add(try FieldNode(value), key.stringValue)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        FieldEncoder(node: added(key)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        FieldEncoder(node: added(key)).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { FieldEncoder(node: node) }

    func superEncoder(forKey key: Key) -> any Encoder { FieldEncoder(node: added(key)) }

    private func added(_ key: Key) -> FieldNode { node.add(FieldNode(.object), key.stringValue) }
}

private struct ElementContainer: UnkeyedEncodingContainer {
    let node: FieldNode
    var codingPath: [any CodingKey] { [] }
    var count: Int { node.children.count }

    func encodeNil() { _ = node.add(FieldNode(.word("none"))) }

    func encode<Value: Encodable>(_ value: Value) throws { _ = node.add(try FieldNode(value)) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        FieldEncoder(node: node.add(FieldNode(.object))).container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        FieldEncoder(node: node.add(FieldNode(.list))).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { FieldEncoder(node: node.add(FieldNode(.object))) }
}

private struct ValueContainer: SingleValueEncodingContainer {
    let node: FieldNode
    var codingPath: [any CodingKey] { [] }

    func encodeNil() { node.shape = .word("none") }

    func encode<Value: Encodable>(_ value: Value) throws {
        let written = try FieldNode(value)
        node.shape = written.shape
        node.children = written.children
    }
}
