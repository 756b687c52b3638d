import CoreNFC

/// An app whose callbacks change what is on the screen: they have to come on the main thread.
final class MainThreadProbe: NSObject, NFCNDEFReaderSessionDelegate, @unchecked Sendable {
    let happenings = Happenings()
    private var session: NFCNDEFReaderSession?

    func start() {
        session = NFCNDEFReaderSession(delegate: self, queue: .main, invalidateAfterFirstRead: false)
        session?.begin()
    }

    func readerSession(_ session: NFCNDEFReaderSession, didDetectNDEFs messages: [NFCNDEFMessage]) {}

    func readerSession(_ session: NFCNDEFReaderSession, didInvalidateWithError error: any Error) {
        happenings.note(Thread.isMainThread ? "on the main thread" : "on another thread")
        happenings.note("done")
    }
}
