// The fields of the JSON form of records: bytes as hexadecimal digits, and errors that name the field.

extension KeyedDecodingContainer {
    /// The error for a field whose value cannot be taken.
    func rejection(forKey key: Key, _ reason: String) -> DecodingError {
        .dataCorruptedError(forKey: key, in: self, debugDescription: reason)
    }

    /// What `make` gives; where it refuses what the field `key` says, an error that names the field and holds the refusal.
    func accepting<Value>(_ key: Key, _ make: () throws(NDEFPayloadError) -> Value) throws -> Value {
        do throws(NDEFPayloadError) {
            return try make()
        } catch {
            throw DecodingError.dataCorrupted(
                .init(codingPath: codingPath + [key], debugDescription: error.message, underlyingError: error))
        }
    }
}

// Bytes in the JSON form: upper-case hexadecimal digits, read in either case.

extension KeyedEncodingContainer {
    mutating func encode(hexadecimal bytes: [UInt8], forKey key: Key) throws {
        try encode(bytes.hexadecimal, forKey: key)
    }

    /// Writes the field only if there are bytes.
    mutating func encodeIfNotEmpty(hexadecimal bytes: [UInt8], forKey key: Key) throws {
        if !bytes.isEmpty { try encode(bytes.hexadecimal, forKey: key) }
    }
}

extension KeyedDecodingContainer {
    func decodeHexadecimal(forKey key: Key) throws -> [UInt8] {
        try bytes(of: decode(String.self, forKey: key), forKey: key)
    }

    /// The bytes, or nil where the field is missing or null.
    func decodeHexadecimalIfPresent(forKey key: Key) throws -> [UInt8]? {
        guard let digits = try decodeIfPresent(String.self, forKey: key) else { return nil }
        return try bytes(of: digits, forKey: key)
    }

    private func bytes(of digits: String, forKey key: Key) throws -> [UInt8] {
        guard let bytes = [UInt8](hexadecimal: digits) else {
            throw rejection(forKey: key, "not an even number of hexadecimal digits")
        }
        return bytes
    }
}

// Whole numbers in the JSON form. For one that does not fit its type, Foundation throws a separate error that does not
// name the field.

extension KeyedDecodingContainer {
    func decodeInteger<Value: FixedWidthInteger & Decodable>(_: Value.Type, forKey key: Key) throws -> Value {
        do {
            return try decode(Value.self, forKey: key)
        } catch let error as DecodingError {
            throw error
        } catch {
            throw rejection(forKey: key, "not a whole number from \(Value.min) to \(Value.max)")
        }
    }

    /// The number, or nil where the field is missing or null.
    func decodeIntegerIfPresent<Value: FixedWidthInteger & Decodable>(
        _ type: Value.Type, forKey key: Key
    ) throws -> Value? {
        guard contains(key), try !decodeNil(forKey: key) else { return nil }
        return try decodeInteger(type, forKey: key)
    }
}

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

// Bytes that are mostly text: the text under one key, or hexadecimal digits under another where they are not UTF-8.

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
