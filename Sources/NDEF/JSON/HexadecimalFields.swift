// Bytes in the JSON form: upper-case hexadecimal digits, read in either case.

extension KeyedEncodingContainer {
    mutating func encode(hexadecimal bytes: [UInt8], forKey key: Key) throws {
        try encode(bytes.hexadecimal, forKey: key)
    }

    /// Writes the field only where there are bytes.
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
