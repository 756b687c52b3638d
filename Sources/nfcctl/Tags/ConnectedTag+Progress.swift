import NFCClient
import NFCProtocol

extension ConnectedTag {
    /// Calls a method that takes a while, and shows how far it has come to whoever watches.
    func call<M: Method>(
        _ method: M.Type, _ parameters: M.Parameters, showing words: String
    ) async throws -> M.Result where M.Parameters: ProgressParameters {
        guard Terminal.watchesStatus else { return try await client.call(method, parameters) }
        defer { Terminal.endStatus() }
        return try await client.call(method, parameters) { done, total in
            Terminal.status("\(words): \(done) of \(total)")
        }
    }
}
