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
