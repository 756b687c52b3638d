import CoreNFC
import Testing

/// `connect` in all its forms, on sessions that have not begun: none of them has a tag.
@Suite struct ConnectTests {
    final class Delegate: NSObject, NFCTagReaderSessionDelegate, NFCNDEFReaderSessionDelegate {
        func tagReaderSessionDidBecomeActive(_ session: NFCTagReaderSession) {}
        func tagReaderSession(_ session: NFCTagReaderSession, didInvalidateWithError error: any Error) {}
        func tagReaderSession(_ session: NFCTagReaderSession, didDetect tags: [NFCTag]) {}
        func readerSession(_ session: NFCNDEFReaderSession, didInvalidateWithError error: any Error) {}
        func readerSession(_ session: NFCNDEFReaderSession, didDetectNDEFs messages: [NFCNDEFMessage]) {}
    }

    let delegate = Delegate()
    let card = ModernSmartCard()

    var tags: NFCTagReaderSession {
        NFCTagReaderSession(configuration: .init(pollingOption: .iso14443), delegate: delegate)
    }
    var messages: NFCNDEFReaderSession {
        NFCNDEFReaderSession(delegate: delegate, queue: nil, invalidateAfterFirstRead: false)
    }

    @Test func `asynchronous forms`() async {
        await expectNotConnected { try await tags.connect(to: .iso7816(card)) }
        await expectNotConnected { try await tags.__connect(to: card) }
        await expectNotConnected { try await messages.connect(to: card) }
    }

    @Test func `completion handlers`() async {
        await expectNotConnected { try await completion { tags.connect(to: .iso7816(card), completionHandler: $0) } }
        await expectNotConnected { try await completion { tags.__connect(to: card, completionHandler: $0) } }
        await expectNotConnected { try await completion { messages.connect(to: card, completionHandler: $0) } }
    }

    @Test func `connect kept as a function, without naming its type`() async {
        await expectNotConnected {
            try await completion { handler in
                let connect = tags.connect
                connect(.iso7816(card), handler)
            }
        }
    }

    private func completion(_ start: (@escaping @Sendable ((any Error)?) -> Void) -> Void) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            start { error in continuation.resume(with: error.map { .failure($0) } ?? .success(())) }
        }
    }

    private func expectNotConnected(_ connect: () async throws -> Void) async {
        do {
            try await connect()
            Issue.record("it connected")
        } catch {
            #expect((error as? NFCReaderError)?.code == .readerTransceiveErrorTagNotConnected)
        }
    }
}
