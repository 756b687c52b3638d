import CoreNFC

/// A tag with the session that found it.
nonisolated struct FoundTag: @unchecked Sendable {
    let tag: NFCTag
    let session: NFCTagReaderSession
    /// The session's delegate, which the session holds weakly.
    let finder: TagFinder
}

/// Looks for a tag, for apps that are written with async functions.
nonisolated final class TagFinder: NSObject, NFCTagReaderSessionDelegate, @unchecked Sendable {
    private let lock = NSLock()
    private var waiting: CheckedContinuation<FoundTag, any Error>?
    private var session: NFCTagReaderSession?

    /// Returns the first tag, connected.
    func find(_ configuration: NFCTagReaderSession.Configuration) async throws -> FoundTag {
        let found = try await withCheckedThrowingContinuation { continuation in
            lock.withLock {
                waiting = continuation
                session = NFCTagReaderSession(configuration: configuration, delegate: self, queue: nil)
                session?.begin()
            }
        }
        try await found.session.connect(to: found.tag)
        return found
    }

    func tagReaderSessionDidBecomeActive(_ session: NFCTagReaderSession) {}

    func tagReaderSession(_ session: NFCTagReaderSession, didInvalidateWithError error: any Error) {
        finish(.failure(error))
    }

    func tagReaderSession(_ session: NFCTagReaderSession, didDetect tags: [NFCTag]) {
        guard let tag = tags.first else { return session.restartPolling() }
        finish(.success(FoundTag(tag: tag, session: session, finder: self)))
    }

    private func finish(_ result: Result<FoundTag, any Error>) {
        let continuation = lock.withLock {
            defer { waiting = nil }
            return waiting
        }
        continuation?.resume(with: result)
    }
}
