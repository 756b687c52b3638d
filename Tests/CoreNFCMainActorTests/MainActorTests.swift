import CoreNFC
import Testing

/// The reader of a new app, where everything is on the main actor unless it says otherwise.
final class CardReader: NSObject, NFCTagReaderSessionDelegate {
    private var session: NFCTagReaderSession?
    private(set) var isActive = false
    private(set) var error: NFCReaderError?
    private(set) var response: NFCISO7816ResponseAPDU?

    func begin() -> NFCTagReaderSession? {
        session = NFCTagReaderSession(pollingOption: [.iso14443, .iso15693], delegate: self, queue: .main)
        session?.alertMessage = "Hold the card to the reader."
        return session
    }

    func tagReaderSessionDidBecomeActive(_ session: NFCTagReaderSession) {
        isActive = true
    }

    func tagReaderSession(_ session: NFCTagReaderSession, didInvalidateWithError error: any Error) {
        self.error = error as? NFCReaderError
        self.session = nil
    }

    func tagReaderSession(_ session: NFCTagReaderSession, didDetect tags: [NFCTag]) {
        guard let tag = tags.first, case .iso7816(let card) = tag else { return session.restartPolling() }
        Task {
            do {
                try await session.connect(to: tag)
                response = try await read(card)
                session.alertMessage = "Done."
                session.invalidate()
            } catch {
                session.invalidate(errorMessage: error.localizedDescription)
            }
        }
    }

    func read(_ card: any NFCISO7816Tag) async throws -> NFCISO7816ResponseAPDU {
        let command = NFCISO7816APDU(
            instructionClass: 0, instructionCode: 0xB0, p1Parameter: 0, p2Parameter: 0, data: Data(),
            expectedResponseLength: 16)
        return try await card.sendCommand(apdu: command)
    }
}

@Suite struct MainActorTests {
    @Test func `a delegate on the main actor is told by a session on the main queue`() throws {
        let reader = CardReader()
        let session = try #require(reader.begin())
        reader.tagReaderSessionDidBecomeActive(session)
        reader.tagReaderSession(session, didDetect: [])
        reader.tagReaderSession(session, didInvalidateWithError: NFCReaderError(.readerErrorRadioDisabled))
        #expect(reader.isActive)
        #expect(reader.error?.code == .readerErrorRadioDisabled)
    }

    @Test func `a tag is used from the main actor`() async throws {
        let response = try await CardReader().read(MainActorCard())
        #expect(response.payload == Data([0xB0]))
    }
}
