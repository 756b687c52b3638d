import CoreNFC

/// An app that puts its message on a tag: one tag only, looked at before it is written. With two at once it asks for one to
/// go, and looks again after half a second.
final class MessageWriter: NSObject, NFCNDEFReaderSessionDelegate, @unchecked Sendable {
    let happenings = Happenings()
    private let message: NFCNDEFMessage
    private var session: NFCNDEFReaderSession?

    init(_ message: NFCNDEFMessage) {
        self.message = message
    }

    func beginWrite() {
        session = NFCNDEFReaderSession(delegate: self, queue: nil, invalidateAfterFirstRead: false)
        session?.alertMessage = "Which tag shall have it?"
        session?.begin()
    }

    func readerSessionDidBecomeActive(_ session: NFCNDEFReaderSession) {}

    func readerSession(_ session: NFCNDEFReaderSession, didDetectNDEFs messages: [NFCNDEFMessage]) {
        happenings.note("messages without being asked")
    }

    func readerSession(_ session: NFCNDEFReaderSession, didDetect tags: [any NFCNDEFTag]) {
        guard let tag = tags.first, tags.count == 1 else { return lookAgain(session, tags.count) }
        session.connect(to: tag) { error in
            if let error { return self.giveUp(session, "no contact: \(error.localizedDescription)") }
            tag.queryNDEFStatus { self.look(at: tag, session, $0, $1, $2) }
        }
    }

    func readerSession(_ session: NFCNDEFReaderSession, didInvalidateWithError error: any Error) {
        let code = (error as? NFCReaderError)?.code
        happenings.note(code == .readerSessionInvalidationErrorUserCanceled ? "over" : "ended: \(error)")
        self.session = nil
    }

    private func lookAgain(_ session: NFCNDEFReaderSession, _ count: Int) {
        happenings.note("\(count) tags")
        session.alertMessage = "Only one of these \(count), please."
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(500)) { session.restartPolling() }
    }

    private func look(
        at tag: any NFCNDEFTag, _ session: NFCNDEFReaderSession, _ status: NFCNDEFStatus, _ capacity: Int,
        _ error: (any Error)?
    ) {
        if let error { return giveUp(session, "no status: \(error.localizedDescription)") }
        switch (status, message.length) {
        case (.readWrite, ...capacity): write(to: tag, session)
        case (.readWrite, let length): giveUp(session, "\(length) bytes do not go into \(capacity)")
        case (.readOnly, _): giveUp(session, "locked")
        default: giveUp(session, "no place for messages")
        }
    }

    private func write(to tag: any NFCNDEFTag, _ session: NFCNDEFReaderSession) {
        tag.writeNDEF(message) { error in
            if let error { return self.giveUp(session, "not written: \(error.localizedDescription)") }
            self.happenings.note("written")
            session.alertMessage = "It is on the tag."
            session.invalidate()
        }
    }

    private func giveUp(_ session: NFCNDEFReaderSession, _ reason: String) {
        happenings.note(reason)
        session.invalidate(errorMessage: reason)
    }
}
