import NFCTags

/// The error that a call ends with.
func failure(_ body: () async throws -> Void) async -> TagError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? TagError
    }
}
