import CoreNFC

/// Reads the link of the first tag, as the file of an iPhone app does.
public final class LinkReader: NSObject, NFCNDEFReaderSessionDelegate {
    private var session: NFCNDEFReaderSession?
    private let completion: (Result<URL?, Error>) -> Void

    /// A reader that hands over what it finds.
    public init(completion: @escaping (Result<URL?, Error>) -> Void) {
        self.completion = completion
    }

    /// Looks for a tag.
    public func scan() {
        session = NFCNDEFReaderSession(delegate: self, queue: nil, invalidateAfterFirstRead: true)
        session?.alertMessage = "Hold the tag to the reader."
        session?.begin()
    }

    /// A tag was read.
    public func readerSession(_ session: NFCNDEFReaderSession, didDetectNDEFs messages: [NFCNDEFMessage]) {
        completion(.success(messages.first?.records.first?.wellKnownTypeURIPayload()))
    }

    /// The session is over.
    public func readerSession(_ session: NFCNDEFReaderSession, didInvalidateWithError error: Error) {
        if let error = error as? NFCReaderError, error.code == .readerSessionInvalidationErrorFirstNDEFTagRead {
            return
        }
        completion(.failure(error))
    }
}
