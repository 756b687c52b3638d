public import Foundation

/// What an ``NFCVASReaderSession`` tells.
public protocol NFCVASReaderSessionDelegate: NSObjectProtocol {
    /// The reader has begun to poll. Need not be implemented.
    func readerSessionDidBecomeActive(_ session: NFCVASReaderSession)
    /// The session is over; nothing follows.
    func readerSession(_ session: NFCVASReaderSession, didInvalidateWithError error: any Error)
    /// A device answered, in the order of the configurations.
    func readerSession(_ session: NFCVASReaderSession, didReceive responses: [NFCVASResponse])
}

extension NFCVASReaderSessionDelegate {
    /// Does nothing.
    public func readerSessionDidBecomeActive(_ session: NFCVASReaderSession) {}
}
