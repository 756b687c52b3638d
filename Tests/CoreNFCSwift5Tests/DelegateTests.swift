import CoreNFC
import Testing

/// Clients as they were written for Swift 5: what they implement, override and refer to.
@Suite struct DelegateTests {
    /// A delegate with nothing but what has always been required.
    final class Reader: NSObject, NFCNDEFReaderSessionDelegate {
        func readerSession(_ session: NFCNDEFReaderSession, didInvalidateWithError error: Error) {}
        func readerSession(_ session: NFCNDEFReaderSession, didDetectNDEFs messages: [NFCNDEFMessage]) {}
    }

    /// A delegate that wants tags.
    final class Writer: NSObject, NFCTagReaderSessionDelegate {
        func tagReaderSessionDidBecomeActive(_ session: NFCTagReaderSession) {}
        func tagReaderSession(_ session: NFCTagReaderSession, didInvalidateWithError error: Error) {}
        func tagReaderSession(_ session: NFCTagReaderSession, didDetect tags: [NFCTag]) {}
    }

    final class Passes: NSObject, NFCVASReaderSessionDelegate {
        func readerSession(_ session: NFCVASReaderSession, didInvalidateWithError error: Error) {}
        func readerSession(_ session: NFCVASReaderSession, didReceive responses: [NFCVASResponse]) {}
    }

    /// A session that only counts, as tests of clients have them. It adds no initializer.
    final class CountingSession: NFCTagReaderSession, @unchecked Sendable {
        var begun = 0
        var messages: [String] = []
        override class var readingAvailable: Bool { true }
        override var alertMessage: String {
            get { messages.last ?? "" }
            set { messages.append(newValue) }
        }
        override var connectedTag: NFCTag? { .miFare(OldMiFareTag()) }
        override func begin() { begun += 1 }
        override func invalidate() { messages.append("over") }
        override func invalidate(errorMessage: String) { messages.append(errorMessage) }
        override func restartPolling() { messages.append("again") }
        override func connect(to tag: NFCTag, completionHandler: @escaping (Error?) -> Void) { completionHandler(nil) }
    }

    @Test func `a subclass of a session inherits the initializer with its default queue`() throws {
        let writer = Writer()
        let session = try #require(CountingSession(pollingOption: [.iso14443], delegate: writer))
        session.alertMessage = "hold still"
        session.begin()
        session.restartPolling()
        session.invalidate(errorMessage: "wrong tag")
        session.invalidate()
        #expect(session.begun == 1)
        #expect(session.messages == ["hold still", "again", "wrong tag", "over"])
        #expect(session.alertMessage == "over")
        #expect(CountingSession.readingAvailable)
        #expect(session.connectedTag?.isAvailable == true)
    }

    @Test func `connect can be kept as a function without naming its type`() throws {
        let writer = Writer()
        let session = try #require(CountingSession(pollingOption: .iso15693, delegate: writer, queue: nil))
        let connect: (NFCTag, @escaping (Error?) -> Void) -> Void = session.connect
        let calls = Calls()
        connect(.miFare(OldMiFareTag())) { _ in calls.count += 1 }
        #expect(calls.count == 1)
    }

    @Test func `delegates need not have the optional methods`() {
        let reader = Reader()
        let session = NFCNDEFReaderSession(delegate: reader, queue: nil, invalidateAfterFirstRead: false)
        reader.readerSessionDidBecomeActive(session)
        let passes = Passes()
        let configuration = NFCVASCommandConfiguration(vasMode: .VASModeNormal, passTypeIdentifier: "p", url: nil)
        let passSession = NFCVASReaderSession(
            vasCommandConfigurations: [configuration], delegate: passes, queue: .main)
        passes.readerSessionDidBecomeActive(passSession)
        #expect(!session.isReady && !passSession.isReady)
        #expect(passSession.sessionQueue.label == DispatchQueue.main.label)
    }

    @Test func `a configuration takes its lists as defaults`() {
        let configuration = NFCTagReaderSession.Configuration(pollingOption: [.iso14443, .iso18092])
        #expect(configuration.pollingOption.rawValue == 5)
        #expect(configuration.iso7816SelectIdentifiers.isEmpty && configuration.feliCaSystemCodes.isEmpty)
    }

    /// Not Sendable: a caller of Swift 5 changes it in a handler.
    final class Calls { var count = 0 }

    @Test func `a handler may change what is not Sendable`() {
        let calls = Calls()
        OldSmartCard().sendCommand(apdu: apdu) { _, sw1, sw2, error in
            calls.count += Int(sw1) << 8 | Int(sw2)
        }
        #expect(calls.count == 0x6A82)
    }
}
