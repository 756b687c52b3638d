// Whole numbers in the JSON form. For one that does not fit its type, Foundation throws an error of its own that does not
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
