@preconcurrency import CoreNFC

/// A reader that knows what went wrong by the texts and the entries of errors, as it found them in the logs of a phone.
nonisolated final class TextComparingReader: NSObject, NFCTagReaderSessionDelegate, @unchecked Sendable {
    enum Finding: Equatable, Sendable {
        case records(Int)
        case empty
        case refused(Int)
        case lost
        case cancelled
        case timedOut
        case other(String)
    }

    private let queue = DispatchQueue(label: "texts")
    private var session: NFCTagReaderSession?
    private var finish: CheckedContinuation<Finding, Never>?

    /// Waits for a tag: reads the message of a MIFARE tag, and a block of a vicinity tag.
    func scan() async -> Finding {
        await withCheckedContinuation { continuation in
            queue.async {
                self.finish = continuation
                self.session = NFCTagReaderSession(
                    pollingOption: [.iso14443, .iso15693], delegate: self, queue: self.queue)
                self.session?.begin()
            }
        }
    }

    func tagReaderSessionDidBecomeActive(_ session: NFCTagReaderSession) {}

    func tagReaderSession(_ session: NFCTagReaderSession, didInvalidateWithError error: Error) {
        end(Self.finding(error))
    }

    func tagReaderSession(_ session: NFCTagReaderSession, didDetect tags: [NFCTag]) {
        guard let found = tags.first else { return session.restartPolling() }
        session.connect(to: found) { error in
            if let error { return self.end(Self.finding(error)) }
            switch found {
            case .miFare(let tag):
                tag.readNDEF { message, error in
                    self.end(error.map(Self.finding) ?? .records(message?.records.count ?? 0))
                }
            case .iso15693(let tag):
                tag.readSingleBlock(requestFlags: .highDataRate, blockNumber: 0xFA) { (block: Data, error: Error?) in
                    self.end(error.map(Self.finding) ?? .records(block.count))
                }
            default: self.end(.other("kind"))
            }
        }
    }

    private func end(_ finding: Finding) {
        finish?.resume(returning: finding)
        finish = nil
        session?.invalidate()
    }

    /// What the text of an error means.
    static func finding(_ error: Error) -> Finding {
        let details = (error as NSError).userInfo
        switch error.localizedDescription {
        case "NDEF tag does not contain any NDEF message": return .empty
        case "Tag response error": return .refused(details["ISO15693TagResponseErrorCode"] as? Int ?? -1)
        case "Tag connection lost": return .lost
        case "Session invalidated by user": return .cancelled
        case "Session timeout": return .timedOut
        case let text: return .other(text)
        }
    }
}
