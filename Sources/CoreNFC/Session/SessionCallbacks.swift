import NFCProtocol

/// What a session asks nfcd for.
typealias SessionRequest = SessionBegin.Parameters

/// The engine's listener: the session itself, under names that a client's subclass does not see.
final class SessionCallbacks: SessionListener {
    private let session: NFCReaderSession

    init(_ session: NFCReaderSession) {
        self.session = session
    }

    var isHeard: Bool { session.delegate != nil }
    func sessionBecameActive() { session.becameActive() }
    func sessionDetected(_ tags: [LiveTag]) { session.detected(tags) }
    func sessionEnded(_ error: NFCReaderError) { session.ended(error) }
}
