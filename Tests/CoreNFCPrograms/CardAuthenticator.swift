import CoreNFC

/// An authenticator that asks a card for an answer to a challenge: commands one after another on its own queue, each with
/// a time-out, and polling restarted where the wrong card is held to the reader.
final class CardAuthenticator: NSObject, NFCTagReaderSessionDelegate, @unchecked Sendable {
    enum Failure: Error { case timeout, notPresent, status(UInt16) }

    let happenings = Happenings()
    private let application: Data
    private let callbacks = DispatchQueue(label: "authenticator.callbacks")
    private let commands = DispatchQueue(label: "authenticator.commands")
    private var session: NFCTagReaderSession?

    init(application: Data) {
        self.application = application
    }

    func start() {
        session = NFCTagReaderSession(pollingOption: [.iso14443], delegate: self, queue: callbacks)
        session?.alertMessage = "Hold your key near the reader."
        session?.begin()
    }

    func tagReaderSessionDidBecomeActive(_ session: NFCTagReaderSession) {
        happenings.note("ready")
    }

    func tagReaderSession(_ session: NFCTagReaderSession, didInvalidateWithError error: any Error) {
        guard let error = error as? NFCReaderError else { return }
        switch error.code {
        case .readerSessionInvalidationErrorUserCanceled: happenings.note("closed")
        case .readerSessionInvalidationErrorSessionTimeout: happenings.note("too late")
        case .readerSessionInvalidationErrorSystemIsBusy: happenings.note("busy")
        case .readerSessionInvalidationErrorSessionTerminatedUnexpectedly: happenings.note("terminated")
        case .readerErrorUnsupportedFeature: happenings.note("no NFC here")
        default: happenings.note("error \(error.errorCode)")
        }
        self.session = nil
    }

    func tagReaderSession(_ session: NFCTagReaderSession, didDetect tags: [NFCTag]) {
        guard let tag = tags.first, case .iso7816(let card) = tag else {
            happenings.note("not a key")
            session.alertMessage = "This is not a key. Try another."
            return session.restartPolling(after: tags.first)
        }
        session.connect(to: tag) { error in
            if error != nil { return session.restartPolling() }
            self.commands.async { self.authenticate(with: card, in: session, tag) }
        }
    }

    /// On the command queue: waits for each answer, which comes on the callback queue.
    private func authenticate(with card: any NFCISO7816Tag, in session: NFCTagReaderSession, _ tag: NFCTag) {
        do {
            let select = NFCISO7816APDU(
                instructionClass: 0, instructionCode: 0xA4, p1Parameter: 4, p2Parameter: 0, data: application,
                expectedResponseLength: 256)
            _ = try send(select, to: card)
            let challenge = NFCISO7816APDU(
                instructionClass: 0, instructionCode: 0xA4, p1Parameter: 0, p2Parameter: 0x0C,
                data: Data([0xE1, 0x03]), expectedResponseLength: -1)
            _ = try send(challenge, to: card)
            let answer = NFCISO7816APDU(
                instructionClass: 0, instructionCode: 0xB0, p1Parameter: 0, p2Parameter: 0, data: Data(),
                expectedResponseLength: 15)
            happenings.note("answered with \(try send(answer, to: card).count) bytes")
            session.invalidate()
        } catch Failure.status(let status) {
            happenings.note("wrong key: \(String(status, radix: 16))")
            session.restartPolling(after: tag)
        } catch {
            happenings.note("failed: \(error)")
            session.invalidate(errorMessage: "The key could not be read.")
        }
    }

    private func send(_ apdu: NFCISO7816APDU, to card: any NFCISO7816Tag) throws -> Data {
        let done = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var outcome: Result<Data, any Error> = .failure(Failure.timeout)
        card.sendCommand(apdu: apdu) { (data: Data, sw1: UInt8, sw2: UInt8, error: (any Error)?) in
            if let error {
                outcome = .failure(error)
            } else if sw1 == 0x90, sw2 == 0 {
                outcome = .success(data)
            } else {
                outcome = .failure(Failure.status(UInt16(sw1) << 8 | UInt16(sw2)))
            }
            done.signal()
        }
        guard done.wait(timeout: .now() + .seconds(5)) == .success else { throw Failure.timeout }
        return try outcome.get()
    }
}

extension NFCTagReaderSession {
    /// Polls again, once the wrong tag is gone: it would be found again at once.
    fileprivate func restartPolling(after tag: NFCTag?) {
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(100)) { self.restartPolling() }
    }
}
