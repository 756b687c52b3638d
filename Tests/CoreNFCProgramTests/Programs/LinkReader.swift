import CoreNFC

/// Reads the link of the first tag.
final class LinkReader: NSObject, NFCNDEFReaderSessionDelegate {
    private var session: NFCNDEFReaderSession?
    private var waiting: CheckedContinuation<URL?, Error>?

    func link() async throws -> URL? {
        try await withCheckedThrowingContinuation { continuation in
            waiting = continuation
            session = NFCNDEFReaderSession(delegate: self, queue: nil, invalidateAfterFirstRead: true)
            session?.alertMessage = "Hold the tag to the reader."
            session?.begin()
        }
    }

    func readerSession(_ session: NFCNDEFReaderSession, didDetectNDEFs messages: [NFCNDEFMessage]) {
        let links = messages.flatMap(\.records).compactMap { $0.wellKnownTypeURIPayload() }
        finish(.success(links.first))
    }

    func readerSession(_ session: NFCNDEFReaderSession, didInvalidateWithError error: Error) {
        finish(.failure(error))
        self.session = nil
    }

    /// The first outcome counts: a session that has read a message still reports its end.
    private func finish(_ outcome: Result<URL?, Error>) {
        waiting?.resume(with: outcome)
        waiting = nil
    }
}
