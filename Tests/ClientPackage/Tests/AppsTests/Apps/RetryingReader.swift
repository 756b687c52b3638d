@preconcurrency import CoreNFC

/// Reads the first blocks of a vicinity tag, and tries again when the connection is lost: 100.
nonisolated final class RetryingReader: NSObject, NFCTagReaderSessionDelegate, @unchecked Sendable {
    private let queue = DispatchQueue(label: "retry")
    private let flags: [NFCISO15693RequestFlag]
    private var session: NFCTagReaderSession?
    private var failures: [Int] = []
    private var finish: CheckedContinuation<(blocks: [Data], failures: [Int]), Error>?

    /// - Parameter flags: those of each attempt.
    init(flags: [NFCISO15693RequestFlag]) {
        self.flags = flags
    }

    /// Waits for a tag.
    ///
    /// - Returns: the blocks, and the codes of the attempts that failed before.
    func read() async throws -> (blocks: [Data], failures: [Int]) {
        try await withCheckedThrowingContinuation { continuation in
            queue.async {
                self.finish = continuation
                self.session = NFCTagReaderSession(pollingOption: .iso15693, delegate: self, queue: self.queue)
                self.session?.begin()
            }
        }
    }

    func tagReaderSessionDidBecomeActive(_ session: NFCTagReaderSession) {}

    func tagReaderSession(_ session: NFCTagReaderSession, didInvalidateWithError error: Error) {
        finish?.resume(throwing: error)
        finish = nil
    }

    func tagReaderSession(_ session: NFCTagReaderSession, didDetect tags: [NFCTag]) {
        guard let found = tags.first, case .iso15693(let tag) = found else { return session.restartPolling() }
        session.connect(to: found) { error in
            if let error { return self.failed(error) }
            let flags = self.flags[self.failures.count]
            tag.readMultipleBlocks(requestFlags: flags, blockRange: NSRange(location: 0, length: 4)) {
                (blocks: [Data], error: Error?) in
                if let error { return self.failed(error) }
                self.finish?.resume(returning: (blocks, self.failures))
                self.finish = nil
                session.invalidate()
            }
        }
    }

    private func failed(_ error: Error) {
        guard let error = error as? NFCReaderError, error.code == .readerTransceiveErrorTagConnectionLost,
            failures.count + 1 < flags.count
        else {
            finish?.resume(throwing: error)
            finish = nil
            return session?.invalidate() ?? ()
        }
        failures.append(error.errorCode)
        session?.alertMessage = "Attempt \(failures.count + 1)"
        session?.restartPolling()
    }
}
