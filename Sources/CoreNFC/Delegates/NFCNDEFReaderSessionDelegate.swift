public import Foundation

/// What an ``NFCNDEFReaderSession`` tells.
///
/// A delegate that implements `readerSession(_:didDetect:)` gets tags, and `readerSession(_:didDetectNDEFs:)` is never
/// called. Any other delegate gets messages. The method must stand in the class that declares the conformance: where a
/// subclass adds it, Swift does not find it.
public protocol NFCNDEFReaderSessionDelegate: NSObjectProtocol {
    /// The session is over; nothing follows.
    func readerSession(_ session: NFCNDEFReaderSession, didInvalidateWithError error: any Error)
    /// Messages were read.
    func readerSession(_ session: NFCNDEFReaderSession, didDetectNDEFs messages: [NFCNDEFMessage])
    /// Tags were found. Need not be implemented.
    func readerSession(_ session: NFCNDEFReaderSession, didDetect tags: [any NFCNDEFTag])
    /// The reader has begun to poll. Need not be implemented.
    func readerSessionDidBecomeActive(_ session: NFCNDEFReaderSession)
}

extension NFCNDEFReaderSessionDelegate {
    /// Tells the session that the delegate does not implement this method, and wants messages.
    public func readerSession(_ session: NFCNDEFReaderSession, didDetect tags: [any NFCNDEFTag]) {
        session.delegateHasNoTagCallback()
    }

    /// Does nothing.
    public func readerSessionDidBecomeActive(_ session: NFCNDEFReaderSession) {}
}
