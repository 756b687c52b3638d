import CoreNFC
import Testing

/// A client in Swift 6 language mode: overloads, and what may cross from one isolation to another.
@Suite struct Swift6Tests {
    static let select = NFCISO7816APDU(
        instructionClass: 0, instructionCode: 0xA4, p1Parameter: 4, p2Parameter: 0, data: Data([0xA0]),
        expectedResponseLength: 256)

    @Test func `a command whose result has no type gives the tuple`() async throws {
        let card = ModernSmartCard()
        let response = try await card.sendCommand(apdu: Self.select)
        #expect(response.0 == Data([1]))
        #expect(response.1 == 0x90 && response.2 == 0x00)
        _ = try await card.sendCommand(apdu: Self.select)
        let (data, _, _) = try await card.sendCommand(apdu: Self.select)
        #expect(data == Data([1]))
    }

    @Test func `a command whose result is typed gives the structure`() async throws {
        let response: NFCISO7816ResponseAPDU = try await ModernSmartCard().sendCommand(apdu: Self.select)
        #expect(response.payload == Data([1]))
        #expect(response.statusWord1 == 0x90)
        let mifare: NFCISO7816ResponseAPDU = try await CarelessMiFareTag().sendMiFareISO7816Command(Self.select)
        #expect(mifare.statusWord1 == 0x91)
        let tuple = try await CarelessMiFareTag().sendMiFareISO7816Command(Self.select)
        #expect(tuple.1 == 0x91)
    }

    @Test func `tags of all kinds work behind their protocols`() async throws {
        let tags: [any NFCNDEFTag] = [ModernSmartCard(), CarelessMiFareTag(), ModernFeliCaTag(), ModernVicinityTag()]
        for tag in tags {
            #expect(try await tag.queryNDEFStatus() == (.readOnly, 48))
            #expect(try await tag.readNDEF().records.isEmpty)
            await #expect(throws: NFCReaderError(.ndefReaderSessionErrorTagNotWritable)) { try await tag.writeLock() }
        }
        let felica: any NFCFeliCaTag = ModernFeliCaTag()
        #expect(try await felica.readWithoutEncryption(serviceCodeList: [], blockList: [Data([1])]).2 == [Data([1])])
        let vicinity: any NFCISO15693Tag = ModernVicinityTag()
        #expect(try await vicinity.readSingleBlock(requestFlags: .highDataRate, blockNumber: 0) == Data([7]))
        #expect(try await vicinity.systemInfo(requestFlags: .highDataRate).blockSize == 3)
        let card: any NFCISO7816Tag = ModernSmartCard()
        #expect(card.supportsPACE)
    }

    @MainActor
    @Test func `the main actor keeps its tag while it waits`() async throws {
        let tag = ModernSmartCard()
        let status = try await tag.queryNDEFStatus()
        #expect(status.0 == .readOnly)
        #expect(try await tag.sendCommand(apdu: Self.select).1 == 0x90)
    }

    @Test func `values may cross to another task`() async throws {
        let message = NFCNDEFMessage(records: [])
        let count = await Task { message.records.count }.value
        #expect(count == 0)
        requireSendable(NFCReaderError.self)
        requireSendable(NFCReaderError.Code.self)
        requireSendable(NFCNDEFMessage.self)
        requireSendable(NFCNDEFPayload.self)
        requireSendable(NFCISO7816APDU.self)
        requireSendable(NFCISO7816ResponseAPDU.self)
        requireSendable(NFCISO15693RequestFlag.self)
        requireSendable(NFCISO15693ResponseFlag.self)
        requireSendable(NFCISO15693SystemInfo.self)
        requireSendable(NFCFeliCaStatusFlag.self)
        requireSendable(NFCTagReaderSession.PollingOption.self)
        requireSendable(NFCTagReaderSession.self)
        requireSendable(NFCNDEFReaderSession.self)
        requireSendable(NFCTypeNameFormat.self)
        requireSendable(NFCNDEFStatus.self)
        requireSendable(NFCMiFareFamily.self)
        requireSendable(NFCFeliCaEncryptionId.self)
        requireSendable(NFCVASResponse.ErrorCode.self)
    }

    private func requireSendable<Value: Sendable>(_: Value.Type) {}
}

/// A view model as Swift 6 has them: on the main actor, its delegate methods off it.
@MainActor
final class Scanner: NSObject, NFCTagReaderSessionDelegate {
    private(set) var session: NFCTagReaderSession?
    private(set) var error: NFCReaderError?

    func scan() {
        session = NFCTagReaderSession(configuration: .init(pollingOption: .iso14443), delegate: self, queue: .main)
        session?.alertMessage = "Hold the card to the reader."
    }

    nonisolated func tagReaderSessionDidBecomeActive(_ session: NFCTagReaderSession) {}

    nonisolated func tagReaderSession(_ session: NFCTagReaderSession, didInvalidateWithError error: any Error) {
        let error = error as? NFCReaderError
        Task { @MainActor in self.error = error }
    }

    nonisolated func tagReaderSession(_ session: NFCTagReaderSession, didDetect tags: [NFCTag]) {
        guard case .iso7816(let card) = tags.first else { return session.restartPolling() }
        session.connect(to: .iso7816(card)) { error in
            guard error == nil else { return session.invalidate(errorMessage: "The card left.") }
            session.invalidate()
        }
    }
}
