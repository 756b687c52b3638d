/// What a change of several settings has done so far. An error in the middle names it, so that it is known what the tag has now.
struct DoneSettings: Sendable {
    private var done: [String] = []

    /// Changes one more setting.
    ///
    /// - Parameters:
    ///   - setting: what is changed, in words.
    ///   - change: changes it, and makes sure of it.
    /// - Throws: ``TagError`` of the change, with what was done before it.
    mutating func add<Value: Sendable>(
        _ setting: String, _ change: () async throws(TagError) -> Value
    ) async throws(TagError) -> Value {
        let value = try await seeing(change)
        done.append(setting)
        return value
    }

    /// Runs a step that changes nothing, after the changes.
    ///
    /// - Throws: ``TagError`` of the step, with what was done before it.
    func seeing<Value: Sendable>(_ step: () async throws(TagError) -> Value) async throws(TagError) -> Value {
        do throws(TagError) {
            return try await step()
        } catch {
            guard !done.isEmpty else { throw error }
            // Codes other than 401 and 100 promise that nothing was changed.
            let isKept = error.code == .tagConnectionLost || error.code == .tagUpdateFailure
            throw TagError(
                isKept ? error.code : .tagUpdateFailure,
                "\(error.detail); done before: \(done.joined(separator: ", "))",
                response: error.response, statusWord: error.statusWord)
        }
    }
}
