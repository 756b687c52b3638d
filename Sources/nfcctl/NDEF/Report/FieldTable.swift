import NDEF

/// Formats nested fields as a table: names on the left, values on the right.
struct FieldTable {
    /// Whether long values are shown in full.
    let isFull: Bool

    private static let maximumLines = 16
    private static let maximumDigits = 64

    /// The lines of a value, each about `width` columns at most.
    func lines(_ node: FieldNode, width: Int) -> [String] {
        switch node.shape {
        case .word(let word): [word]
        case .text(let text): lines(text, width: width)
        case .list: list(node.children.map(\.node), width: width)
        case .object: table(node.children, width: width)
        }
    }

    /// A label followed by lines in the next column.
    static func beside(_ label: String, columns: Int, _ lines: [String]) -> [String] {
        let margin = String(repeating: " ", count: columns)
        return lines.enumerated().map { $0 == 0 ? TextLines.pad(label, to: columns) + $1 : margin + $1 }
    }

    /// The label of a field: `carrier data reference` for `carrierDataReference`, `service UUIDs` for `serviceUUIDs`.
    static func label(_ name: String) -> String {
        var label = ""
        for (previous, character) in zip(" " + name, name) {
            let startsWord = character.isUppercase && !previous.isUppercase
            if startsWord, label != "" { label.append(" ") }
            label.append(character)
        }
        return label.split(separator: " ").map {
            $0.dropFirst().contains(where: \.isUppercase) ? "\($0)" : $0.lowercased()
        }
        .joined(separator: " ").escaped
    }

    private func table(_ fields: [(name: String, node: FieldNode)], width: Int) -> [String] {
        guard !fields.isEmpty else { return ["none"] }
        let labels = fields.map { Self.label($0.name) }
        let columns = (labels.map(\.count).max() ?? 0) + 2
        return zip(labels, fields).flatMap { label, field in
            Self.beside(label, columns: columns, lines(field.node, width: max(width - columns, 20)))
        }
    }

    private func list(_ elements: [FieldNode], width: Int) -> [String] {
        guard elements.count > 1 else { return elements.first.map { lines($0, width: width) } ?? ["none"] }
        let columns = "\(elements.count)".count + 2
        return elements.enumerated().flatMap { index, node in
            Self.beside("\(index + 1)", columns: columns, lines(node, width: max(width - columns, 20)))
        }
    }

    /// The lines of a text, with control characters escaped.
    private func lines(_ text: String, width: Int) -> [String] {
        if let digits = shortened(text) { return [digits] }
        var parts = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.map {
            String($0).escaped
        }
        if parts.count > 1, parts.last == "" { parts.removeLast() }
        if parts.count == 1, text.isEmpty || text.first == " " || text.last == " " { parts[0] = "\"\(parts[0])\"" }
        let all = parts.flatMap { TextLines.wrap($0, to: width) }
        guard !isFull, all.count > Self.maximumLines + 1 else { return all }
        return all.prefix(Self.maximumLines) + ["… \(all.count - Self.maximumLines) more lines; --full shows them"]
    }

    /// The first bytes of a long hexadecimal text; nil for any other text.
    private func shortened(_ text: String) -> String? {
        guard !isFull, text.utf8.count > Self.maximumDigits, [UInt8](hexadecimal: text) != nil else { return nil }
        return "\(text.prefix(Self.maximumDigits / 2))… (\(text.utf8.count / 2) bytes)"
    }
}

/// A value of the JSON form, with its fields in the order in which they are encoded.
final class FieldNode {
    enum Shape {
        /// A number, `yes`, `no` or `none`.
        case word(String)
        case text(String)
        /// The children are its elements, without names.
        case list
        /// The children are its fields.
        case object
    }

    fileprivate(set) var shape = Shape.object
    fileprivate(set) var children: [(name: String, node: FieldNode)] = []

    /// Encodes a value.
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
