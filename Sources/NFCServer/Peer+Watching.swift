import NDEF
import NFCProtocol
import NFCReaders
import NFCSessions
import NFCTags

// What a client hears outside its sessions.

extension Peer: BackgroundClient {
    func tell(_ tap: BackgroundTap, of subscription: SubscriptionID) {
        notify(BackgroundDidReadTag(tap, subscription))
    }
}

extension Peer: EventClient {
    func tell(_ event: CoordinatorEvent) {
        switch event {
        case .readerAttached(let reader): notify(ReaderAttached(reader))
        case .readerDetached(let reader): notify(ReaderDetached(reader: reader.rawValue))
        case .readerFailed(let reader, let reason): notify(ReaderFailed(reader: reader.rawValue, failure: reason))
        case .readerRecovered(let reader): notify(ReaderRecovered(reader: reader.rawValue))
        case .tagArrived(let reader): notify(ReaderTagArrived(reader: reader.rawValue))
        case .tagLeft(let reader): notify(ReaderTagLeft(reader: reader.rawValue))
        case .sessionBegan(let session): notify(SessionBegan(session))
        case .sessionEnded(let session, let reason):
            notify(SessionEnded(session: session.rawValue, code: reason.code.rawValue, name: reason.code.name))
        }
    }
}
