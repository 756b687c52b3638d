import CoreNFC

/// An app that writes a message to one tag, in the manner of Apple's sample for writing tags: one tag only, retry after
/// half a second, status first.
final class MessageWriter: NSObject, NFCNDEFReaderSessionDelegate, @unchecked Sendable {
    let happenings = Happenings()
    private let message: NFCNDEFMessage
    private var session: NFCNDEFReaderSession?

    init(_ message: NFCNDEFMessage) {
        self.message = message
    }

    func beginWrite() {
        session = NFCNDEFReaderSession(delegate: self, queue: nil, invalidateAfterFirstRead: false)
        session?.alertMessage = "Hold your iPhone near a writable NFC tag to update."
        session?.begin()
    }

    func readerSessionDidBecomeActive(_ session: NFCNDEFReaderSession) {}

    func readerSession(_ session: NFCNDEFReaderSession, didDetectNDEFs messages: [NFCNDEFMessage]) {
        happenings.note("messages without being asked")
    }

    func readerSession(_ session: NFCNDEFReaderSession, didDetect tags: [any NFCNDEFTag]) {
        guard tags.count == 1 else {
            happenings.note("more than one tag")
            session.alertMessage = "More than 1 tag is detected. Please remove all tags and try again."
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(500)) {
                session.restartPolling()
            }
            return
        }
        let tag = tags[0]
        session.connect(to: tag) { error in
            if error != nil { return self.finish(session, "Unable to connect to tag.") }
            tag.queryNDEFStatus { status, capacity, error in
                guard error == nil else { return self.finish(session, "Unable to query NDEF status of tag") }
                switch status {
                case .notSupported: self.finish(session, "Tag is not NDEF formatted.")
                case .readOnly: self.finish(session, "Tag is read only.")
                case .readWrite: self.write(to: tag, session, capacity)
                @unknown default: self.finish(session, "Unknown NDEF tag status.")
                }
            }
        }
    }

    func readerSession(_ session: NFCNDEFReaderSession, didInvalidateWithError error: any Error) {
        let code = (error as? NFCReaderError)?.code
        happenings.note(code == .readerSessionInvalidationErrorUserCanceled ? "over" : "ended: \(error)")
        self.session = nil
    }

    private func write(to tag: any NFCNDEFTag, _ session: NFCNDEFReaderSession, _ capacity: Int) {
        guard message.length <= capacity else {
            return finish(session, "Tag capacity is too small. Minimum size requirement is \(message.length) bytes.")
        }
        tag.writeNDEF(message) { error in
            if let error {
                self.finish(session, "Update tag failed: \(error.localizedDescription)")
            } else {
                session.alertMessage = "Update success!"
                self.happenings.note(session.alertMessage)
                session.invalidate()
            }
        }
    }

    private func finish(_ session: NFCNDEFReaderSession, _ reason: String) {
        happenings.note(reason)
        session.invalidate(errorMessage: reason)
    }
}
