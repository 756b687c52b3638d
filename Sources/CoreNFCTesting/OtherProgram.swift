import NFCSessions
import NFCTypes
import Synchronization

/// Another program with a session on a reader, so that the sessions of the app do not get the reader.
final class OtherProgram: SessionClient {
    /// Different from those of other clients, which are counted up from 1.
    static let number = ClientID(rawValue: .max - 1)

    let id = OtherProgram.number
    let label = "another program"
    var permissions: Permissions { .everything }
    private let end = Mutex<Invalidation?>(nil)

    func send(_ event: SessionEvent, of session: SessionID) {
        if case .didInvalidate(let reason) = event { end.withLock { $0 = reason } }
    }

    /// Holds a reader until the body returns.
    ///
    /// - Throws: ``TestTagError`` where a session holds the reader already, or it is unplugged; and what the body throws.
    func hold<Value>(
        _ reader: String, of coordinator: SessionCoordinator, _ body: () async throws -> Value
    ) async throws -> Value {
        let session = try await coordinator.open(SessionRequest(kind: .tag, readers: [reader]), for: self)
        await coordinator.begin(session)
        if let reason = end.withLock({ $0 }) {
            throw TestTagError("no other program can hold \(reader): \(reason.detail)")
        }
        let result: Result<Value, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        try? await coordinator.invalidate(session, errorMessage: nil, by: id)
        return try result.get()
    }
}
