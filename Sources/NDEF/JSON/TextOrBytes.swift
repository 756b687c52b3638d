// Bytes that are mostly text: the text under one key, or hexadecimal digits under another where they are no UTF-8.

extension KeyedEncodingContainer {
    mutating func encode(_ bytes: [UInt8], textForKey textKey: Key, orBytesForKey bytesKey: Key) throws {
        if let text = String(utf8: bytes[...]) {
            try encode(text, forKey: textKey)
        } else {
            try encode(hexadecimal: bytes, forKey: bytesKey)
        }
    }
}

extension KeyedDecodingContainer {
    /// The bytes under either key; nil where both are missing or null, an error where both are there.
    func decodeBytesIfPresent(textForKey textKey: Key, orBytesForKey bytesKey: Key) throws -> [UInt8]? {
        let text = try decodeIfPresent(String.self, forKey: textKey)
        let bytes = try decodeHexadecimalIfPresent(forKey: bytesKey)
        if text != nil, bytes != nil { throw rejection(forKey: bytesKey, "it is given as text as well") }
        return bytes ?? text.map { Array($0.utf8) }
    }

    /// The value; `usual` where the key is missing, and nil where it is null.
    func decode<Value: Decodable>(forKey key: Key, orUsual usual: Value?) throws -> Value? {
        contains(key) ? try decodeIfPresent(Value.self, forKey: key) : usual
    }
}
