public import Foundation

/// What an ``NFCTagReaderSession`` tells.
public protocol NFCTagReaderSessionDelegate: NSObjectProtocol {
    /// The reader has begun to poll.
    func tagReaderSessionDidBecomeActive(_ session: NFCTagReaderSession)
    /// The session is over; nothing follows.
    func tagReaderSession(_ session: NFCTagReaderSession, didInvalidateWithError error: any Error)
    /// Tags were found.
    func tagReaderSession(_ session: NFCTagReaderSession, didDetect tags: [NFCTag])
}

/// The delegate as Objective-C declares it. Swift code uses ``NFCTagReaderSessionDelegate``.
public protocol __NFCTagReaderSessionDelegate: NSObjectProtocol {
    /// The session is over; nothing follows.
    func tagReaderSession(_ session: NFCTagReaderSession, didInvalidateWithError error: any Error)
    /// The reader has begun to poll. Need not be implemented.
    func tagReaderSessionDidBecomeActive(_ session: NFCTagReaderSession)
    /// Tags were found. Need not be implemented.
    func tagReaderSession(_ session: NFCTagReaderSession, didDetect tags: [any __NFCTag])
}

extension __NFCTagReaderSessionDelegate {
    /// Does nothing.
    public func tagReaderSessionDidBecomeActive(_ session: NFCTagReaderSession) {}
    /// Does nothing.
    public func tagReaderSession(_ session: NFCTagReaderSession, didDetect tags: [any __NFCTag]) {}
}
