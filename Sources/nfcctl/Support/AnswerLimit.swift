import NFCClient
import NFCProtocol
import Synchronization

extension NFCClient {
    /// How long nfcd or nfcd-relay may take for an answer that no tag is needed for.
    static let answerLimit = Duration.seconds(10)

    /// Connects to a daemon for as long as `body` runs. Its answers have a limit, and an interrupted program waits for none.
    ///
    /// - Throws: `NFCClientError` if there is no connection, or no answer in time; otherwise what `body` throws.
    static func answering<Value>(
        at path: String, _ body: (NFCClient) async throws -> Value
    ) async throws -> Value {
        try await answering(at: path).closing(after: body)
    }

    /// Connects to a daemon whose answers have a limit. The connection lasts until `close()`.
    ///
    /// - Throws: `NFCClientError`.
    static func answering(at path: String) async throws -> NFCClient {
        let client = try await connect(to: path, answersWithin: answerLimit)
        LastResort.watch(client)
        return client
    }
}

/// Asks nfcd from time to time whether it still answers, while a command waits for a tag or for what is done with one.
final class AnswerCheck: Sendable {
    private let failure = Mutex<NFCClientError?>(nil)
    private let task = Mutex<Task<Void, Never>?>(nil)

    init(of client: NFCClient) {
        let check = Task { [self] in
            while (try? await Task.sleep(for: NFCClient.answerLimit)) != nil {
                do {
                    _ = try await client.call(ServerInfo.self)
                } catch let error as NFCClientError {
                    // It has closed the connection, so that what waits ends.
                    if case .connectionFailed = error { failure.withLock { $0 = error } }
                    return
                } catch {
                    return
                }
            }
        }
        task.withLock { $0 = check }
    }

    /// Ends the questions.
    ///
    /// - Throws: why the daemon is taken for one that hangs.
    func end() throws {
        task.withLock { $0 }?.cancel()
        if let failure = failure.withLock(\.self) { throw failure }
    }
}
