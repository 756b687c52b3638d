extension KeyedEncodingContainer {
    /// Writes a list only where it has elements.
    mutating func encodeIfNotEmpty<Element: Encodable>(_ list: [Element], forKey key: Key) throws {
        if !list.isEmpty { try encode(list, forKey: key) }
    }

    /// Writes a text only where it has characters.
    mutating func encodeIfNotEmpty(_ text: String, forKey key: Key) throws {
        if !text.isEmpty { try encode(text, forKey: key) }
    }
}
