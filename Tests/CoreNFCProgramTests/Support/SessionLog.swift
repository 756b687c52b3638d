import CoreNFC
import Synchronization

@testable import corenfc_programs

/// A delegate of every kind of session that does nothing but note what it is told.
final class SessionLog: NSObject, @unchecked Sendable {
    let happenings = Happenings()
    private let state = Mutex<(error: NFCReaderError?, tags: [NFCTag], messageTags: [any NFCNDEFTag])>((nil, [], []))

    /// Why the session ended.
    var error: NFCReaderError? { state.withLock { $0.error } }
    /// The tags of the latest detection of a session for tags.
    var tags: [NFCTag] { state.withLock { $0.tags } }
    /// The tags of the latest detection of a session for messages.
    var messageTags: [any NFCNDEFTag] { state.withLock { $0.messageTags } }

    private func end(_ error: any Error) {
        let known = error as? NFCReaderError
        state.withLock { $0.error = known }
        happenings.note("over: \(known?.code.rawValue ?? -1)")
    }
}

extension SessionLog: NFCTagReaderSessionDelegate {
    func tagReaderSessionDidBecomeActive(_ session: NFCTagReaderSession) { happenings.note("active") }
    func tagReaderSession(_ session: NFCTagReaderSession, didInvalidateWithError error: any Error) { end(error) }

    func tagReaderSession(_ session: NFCTagReaderSession, didDetect tags: [NFCTag]) {
        state.withLock { $0.tags = tags }
        happenings.note("tags: \(tags.count)")
    }
}

extension SessionLog: NFCNDEFReaderSessionDelegate {
    func readerSessionDidBecomeActive(_ session: NFCNDEFReaderSession) { happenings.note("active") }
    func readerSession(_ session: NFCNDEFReaderSession, didInvalidateWithError error: any Error) { end(error) }

    func readerSession(_ session: NFCNDEFReaderSession, didDetectNDEFs messages: [NFCNDEFMessage]) {
        happenings.note("messages: \(messages.count)")
    }

    func readerSession(_ session: NFCNDEFReaderSession, didDetect tags: [any NFCNDEFTag]) {
        state.withLock { $0.messageTags = tags }
        happenings.note("tags: \(tags.count)")
    }
}

extension SessionLog: NFCVASReaderSessionDelegate {
    func readerSession(_ session: NFCVASReaderSession, didInvalidateWithError error: any Error) { end(error) }
    func readerSession(_ session: NFCVASReaderSession, didReceive responses: [NFCVASResponse]) {
        happenings.note("passes: \(responses.count)")
    }
}
