import CoreNFC
import Testing

/// The members of the sessions, before they begin: nothing here needs a reader.
@Suite struct SessionTests {
    final class Delegate: NSObject, NFCNDEFReaderSessionDelegate, NFCTagReaderSessionDelegate,
        NFCVASReaderSessionDelegate, __NFCReaderSessionDelegate
    {
        func readerSession(_ session: NFCNDEFReaderSession, didInvalidateWithError error: any Error) {}
        func readerSession(_ session: NFCNDEFReaderSession, didDetectNDEFs messages: [NFCNDEFMessage]) {}
        func tagReaderSessionDidBecomeActive(_ session: NFCTagReaderSession) {}
        func tagReaderSession(_ session: NFCTagReaderSession, didInvalidateWithError error: any Error) {}
        func tagReaderSession(_ session: NFCTagReaderSession, didDetect tags: [NFCTag]) {}
        func readerSession(_ session: NFCVASReaderSession, didInvalidateWithError error: any Error) {}
        func readerSession(_ session: NFCVASReaderSession, didReceive responses: [NFCVASResponse]) {}
        func readerSessionDidBecomeActive(_ session: NFCReaderSession) {}
        func readerSession(_ session: NFCReaderSession, didInvalidateWithError error: any Error) {}
    }

    /// The delegate of Objective-C, without its optional methods.
    final class FormerDelegate: NSObject, __NFCTagReaderSessionDelegate {
        func tagReaderSession(_ session: NFCTagReaderSession, didInvalidateWithError error: any Error) {}
    }

    let delegate = Delegate()
    let queue = DispatchQueue(label: "mine")

    var tagSession: NFCTagReaderSession {
        NFCTagReaderSession(configuration: .init(pollingOption: .iso14443), delegate: delegate, queue: queue)
    }

    /// One of every kind.
    var sessions: [NFCReaderSession] {
        [
            NFCNDEFReaderSession(delegate: delegate, queue: queue, invalidateAfterFirstRead: true), tagSession,
            NFCVASReaderSession(vasCommandConfigurations: [], delegate: delegate, queue: queue),
            NFCPaymentTagReaderSession(delegate: delegate, queue: queue),
            __NFCISO15693ReaderSession(delegate: delegate, queue: queue),
        ]
    }

    @Test func `a session that has not begun is not ready, and keeps its text and its queue`() {
        for session in sessions {
            session.alertMessage = "Grüße"
            #expect(!session.isReady)
            #expect(session.alertMessage == "Grüße")
            #expect(session.sessionQueue === queue)
        }
    }

    @Test func `a session knows its delegate, and does not keep it`() {
        let session = tagSession
        #expect(session.delegate === delegate)
        weak var gone: Delegate?
        let other = {
            let short = Delegate()
            gone = short
            return NFCNDEFReaderSession(delegate: short, queue: nil, invalidateAfterFirstRead: false)
        }()
        #expect(gone == nil)
        #expect(other.delegate == nil)
    }

    @Test func `every session is one by the protocol, too`() {
        let protocols: [any NFCReaderSessionProtocol] = sessions
        #expect(protocols.count == 5)
        #expect(protocols.allSatisfy { !$0.isReady })
    }

    @Test func `without a queue a session has its own`() {
        let session = NFCNDEFReaderSession(delegate: delegate, queue: nil, invalidateAfterFirstRead: false)
        #expect(session.sessionQueue.label != DispatchQueue.main.label)
    }

    @Test func `a tag session has no connected tag, and can be restarted in all forms`() {
        let session = tagSession
        #expect(session.connectedTag == nil)
        #expect(session.__connectedTag == nil)
        session.restartPolling()
        session.restartPolling(configuration: .init(pollingOption: .iso18092, feliCaSystemCodes: ["12FC"]))
        let former = NFCTagReaderSessionConfiguration(
            pollingOption: [.iso14443, .pace], iso7816SelectIdentifiers: ["A000000247"], felicaSystemCodes: ["12FC"])
        session.restartPolling(with: former)
        #expect(former.polling.rawValue == 9)
        #expect(former.iso7816SelectIdentifiers == ["A000000247"] && former.felicaSystemCodes == ["12FC"])
        #expect(!session.isReady)
    }

    @Test func `a configuration keeps what it is given`() {
        var configuration = NFCTagReaderSession.Configuration(
            pollingOption: .iso14443, iso7816SelectIdentifiers: ["A000000247"], feliCaSystemCodes: ["12FC"])
        configuration.pollingOption.insert(.iso15693)
        #expect(configuration.pollingOption == [.iso14443, .iso15693])
        #expect(configuration.iso7816SelectIdentifiers == ["A000000247"])
        #expect(configuration.feliCaSystemCodes == ["12FC"])
    }

    @Test func `the delegate of Objective-C has defaults for what is optional`() {
        let former: any __NFCTagReaderSessionDelegate = FormerDelegate()
        former.tagReaderSessionDidBecomeActive(tagSession)
        former.tagReaderSession(tagSession, didDetect: [])
        delegate.readerSession(sessions[4], didDetect: [any __NFCTag]())
    }
}
