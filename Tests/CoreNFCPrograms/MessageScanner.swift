import CoreNFC

/// The scanner of a first iPhone app: it begins a session, shows the messages of a tag and is done.
final class MessageScanner: NSObject, NFCNDEFReaderSessionDelegate, @unchecked Sendable {
    let happenings = Happenings()
    private var session: NFCNDEFReaderSession?
    private let endsAfterFirst: Bool

    init(endsAfterFirst: Bool) {
        self.endsAfterFirst = endsAfterFirst
    }

    func scan() {
        guard NFCNDEFReaderSession.readingAvailable else {
            happenings.note("there is no reader")
            return
        }
        session = NFCNDEFReaderSession(delegate: self, queue: nil, invalidateAfterFirstRead: endsAfterFirst)
        session?.alertMessage = "Hold a tag to the reader."
        session?.begin()
    }

    func stop() {
        session?.invalidate()
    }

    func readerSessionDidBecomeActive(_ session: NFCNDEFReaderSession) {
        happenings.note("active")
    }

    func readerSession(_ session: NFCNDEFReaderSession, didDetectNDEFs messages: [NFCNDEFMessage]) {
        for record in messages.flatMap(\.records) {
            happenings.note(Self.text(of: record))
        }
    }

    func readerSession(_ session: NFCNDEFReaderSession, didInvalidateWithError error: any Error) {
        guard let readerError = error as? NFCReaderError else { return happenings.note("a strange error") }
        switch readerError.code {
        case .readerSessionInvalidationErrorFirstNDEFTagRead: happenings.note("done")
        case .readerSessionInvalidationErrorUserCanceled: happenings.note("canceled")
        default: happenings.note("\(readerError.code.rawValue): \(error.localizedDescription)")
        }
        self.session = nil
    }

    /// A record in words, by its type name format.
    static func text(of record: NFCNDEFPayload) -> String {
        switch record.typeNameFormat {
        case .nfcWellKnown:
            if let url = record.wellKnownTypeURIPayload() { return url.absoluteString }
            let (text, locale) = record.wellKnownTypeTextPayload()
            return "\(text ?? "?") (\(locale?.identifier ?? "?"))"
        case .absoluteURI: return String(decoding: record.type, as: UTF8.self)
        case .media, .nfcExternal:
            return "\(String(decoding: record.type, as: UTF8.self)): \(String(decoding: record.payload, as: UTF8.self))"
        case .empty: return "empty"
        case .unknown, .unchanged: return "unknown"
        @unknown default: return "invalid"
        }
    }
}
