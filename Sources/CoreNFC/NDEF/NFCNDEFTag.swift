public import Foundation

/// A tag that can hold an NDEF message. The tag must be connected before any of this is used.
///
/// Handlers are called on the session's queue, once each.
public protocol NFCNDEFTag: NSCopying, NSSecureCoding, NSObjectProtocol {
    /// Whether the tag is connected and still on the reader.
    var isAvailable: Bool { get }

    /// Asks what can be done with the message, and for the size in bytes of the largest one that fits.
    @preconcurrency
    func queryNDEFStatus(completionHandler: @escaping @Sendable (NFCNDEFStatus, Int, (any Error)?) -> Void)

    /// Reads the message. A formatted tag without one gives error 403.
    @preconcurrency
    func readNDEF(completionHandler: @escaping @Sendable (NFCNDEFMessage?, (any Error)?) -> Void)

    /// Writes the message. A read-only tag gives error 400, a message that does not fit 402, a failed write 401.
    @preconcurrency
    func writeNDEF(_ ndefMessage: NFCNDEFMessage, completionHandler: @escaping @Sendable ((any Error)?) -> Void)

    /// Makes the tag read-only for ever.
    @preconcurrency
    func writeLock(completionHandler: @escaping @Sendable ((any Error)?) -> Void)
}
