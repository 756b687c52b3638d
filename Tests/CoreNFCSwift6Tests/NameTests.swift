import CoreNFC
import Testing

/// Names that code for iPhones uses and Foundation of Linux lacks, or that Swift hides on an iPhone.
@Suite struct NameTests {
    @Test func `a tag is asked for its class`() {
        let card: any NFCISO7816Tag = ModernSmartCard()
        let tag: any __NFCTag = card
        let message: any NFCNDEFTag = card
        #expect(card.isKind(of: ModernSmartCard.self) && card.isKind(of: NSObject.self))
        #expect(tag.isKind(of: ModernSmartCard.self) && !tag.isKind(of: NFCReaderSession.self))
        #expect(message.isMember(of: ModernSmartCard.self) && !message.isMember(of: NSObject.self))
    }

    @Test func `an activity that opens a link is known by its type`() {
        let activity = NSUserActivity(activityType: NSUserActivityTypeBrowsingWeb)
        #expect(activity.activityType == "NSUserActivityTypeBrowsingWeb")
        #expect(activity.isKind(of: NSUserActivity.self))
    }

    @Test func `a class is found by its module and name`() {
        #expect(NSClassFromString("CoreNFC.NFCNDEFReaderSession") == NFCNDEFReaderSession.self)
        #expect(NSClassFromString("CoreNFC.NFCTagReaderSession") == NFCTagReaderSession.self)
    }

    @Test func `a session takes the delegate that Objective-C declares`() throws {
        let delegate = EndListener()
        let session = try #require(
            NFCTagReaderSession(__pollingOption: [.iso14443], delegate: delegate, queue: nil))
        #expect(session.delegate === delegate && !session.isReady)
        #expect(NFCTagReaderSession(__pollingOption: [], delegate: delegate, queue: nil) == nil)
    }
}

/// Two of the three methods have a default: they are optional on an iPhone.
private final class EndListener: NSObject, __NFCTagReaderSessionDelegate {
    func tagReaderSession(_ session: NFCTagReaderSession, didInvalidateWithError error: any Error) {}
}
