import CoreNFC
import Synchronization

/// A turnstile: one session that reads tag after tag. It restarts polling as soon as it has read one.
final class ContinuousReader: NSObject, NFCTagReaderSessionDelegate, @unchecked Sendable {
    let happenings = Happenings()
    private let found = Mutex<[NFCTag]>([])
    private var session: NFCTagReaderSession?

    /// Every tag that was delivered.
    var tags: [NFCTag] { found.withLock { $0 } }

    func start() {
        session = NFCTagReaderSession(pollingOption: [.iso14443, .iso15693], delegate: self)
        session?.begin()
    }

    func stop() {
        session?.invalidate()
    }

    func tagReaderSessionDidBecomeActive(_ session: NFCTagReaderSession) {
        happenings.note("ready")
    }

    func tagReaderSession(_ session: NFCTagReaderSession, didDetect tags: [NFCTag]) {
        found.withLock { $0 += tags }
        guard let tag = tags.first, case .miFare(let card) = tag else { return session.restartPolling() }
        session.connect(to: tag) { error in
            guard error == nil else { return session.restartPolling() }
            card.readNDEF { message, _ in
                let link = message?.records.first?.wellKnownTypeURIPayload()
                self.happenings.note(link?.absoluteString ?? "no link")
                session.restartPolling()
            }
        }
    }

    func tagReaderSession(_ session: NFCTagReaderSession, didInvalidateWithError error: any Error) {
        happenings.note("over: \((error as? NFCReaderError)?.errorCode ?? -1)")
    }
}
