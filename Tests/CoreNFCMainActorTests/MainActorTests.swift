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
    @Test func `a delegate on the main actor is notified by a session on the main queue`() throws {
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

/// A test double in an app on the main actor: tags are not bound to it.
nonisolated final class MainActorCard: NSObject, NFCISO7816Tag {
    override init() {}
    required init?(coder: NSCoder) {}
    func encode(with coder: NSCoder) {}
    static var supportsSecureCoding: Bool { true }
    func copy(with zone: NSZone? = nil) -> Any { self }

    var type: __NFCTagType { .iso7816Compatible }
    var session: (any NFCReaderSessionProtocol)? { nil }
    var isAvailable: Bool { true }
    func asNFCISO15693Tag() -> (any NFCISO15693Tag)? { nil }
    func asNFCISO7816Tag() -> (any NFCISO7816Tag)? { self }
    func asNFCFeliCaTag() -> (any NFCFeliCaTag)? { nil }
    func asNFCMiFareTag() -> (any NFCMiFareTag)? { nil }

    func queryNDEFStatus(completionHandler: @escaping @Sendable (NFCNDEFStatus, Int, (any Error)?) -> Void) {
        completionHandler(.notSupported, 0, nil)
    }

    func readNDEF(completionHandler: @escaping @Sendable (NFCNDEFMessage?, (any Error)?) -> Void) {
        completionHandler(nil, nil)
    }

    func writeNDEF(_ ndefMessage: NFCNDEFMessage, completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        completionHandler(nil)
    }

    func writeLock(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        completionHandler(nil)
    }

    var initialSelectedAID: String { "" }
    var identifier: Data { Data() }
    var historicalBytes: Data? { nil }
    var applicationData: Data? { nil }
    var proprietaryApplicationDataCoding: Bool { false }

    func sendCommand(
        apdu: NFCISO7816APDU, completionHandler: @escaping @Sendable (Data, UInt8, UInt8, (any Error)?) -> Void
    ) {
        DispatchQueue.global().async { completionHandler(Data([apdu.instructionCode]), 0x90, 0x00, nil) }
    }
}
