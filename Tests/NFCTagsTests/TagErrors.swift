import NFCTags

/// The error a call ends with.
func tagError(_ body: () async throws -> Void) async -> TagError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? TagError
    }
}
