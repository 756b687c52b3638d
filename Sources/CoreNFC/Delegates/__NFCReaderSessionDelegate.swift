public import Foundation

/// The delegate of the legacy ISO 15693 session.
public protocol __NFCReaderSessionDelegate: NSObjectProtocol {
    /// The reader has begun to poll.
    func readerSessionDidBecomeActive(_ session: NFCReaderSession)
    /// The session is over; nothing follows.
    func readerSession(_ session: NFCReaderSession, didInvalidateWithError error: any Error)
    /// Tags were found. Need not be implemented.
    func readerSession(_ session: NFCReaderSession, didDetect tags: [any __NFCTag])
}

extension __NFCReaderSessionDelegate {
    /// Does nothing.
    public func readerSession(_ session: NFCReaderSession, didDetect tags: [any __NFCTag]) {}
}
