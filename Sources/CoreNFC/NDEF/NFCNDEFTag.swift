public import Foundation

/// A tag that can hold an NDEF message. The tag must be connected before any of this is used.
///
/// Handlers are called on the session's queue, once each.
public protocol NFCNDEFTag: NSCopying, NSSecureCoding, NSObjectProtocol {
    /// Whether the tag is connected and still on the reader.
    var isAvailable: Bool { get }

    /// Queries whether the tag can be read and written, and the size in bytes of the largest message that fits.
    @preconcurrency
    func queryNDEFStatus(completionHandler: @escaping @Sendable (NFCNDEFStatus, Int, (any Error)?) -> Void)

    /// Reads the message. A formatted tag without one gives error 403.
    @preconcurrency
    func readNDEF(completionHandler: @escaping @Sendable (NFCNDEFMessage?, (any Error)?) -> Void)

    /// Writes the message. A read-only tag gives error 400, a message that does not fit 402, a failed write 401.
    @preconcurrency
    func writeNDEF(_ ndefMessage: NFCNDEFMessage, completionHandler: @escaping @Sendable ((any Error)?) -> Void)

    /// Makes the tag read-only permanently.
    @preconcurrency
    func writeLock(completionHandler: @escaping @Sendable ((any Error)?) -> Void)
}

/// Whether the NDEF message of a tag can be read and written.
public enum NFCNDEFStatus: UInt, Sendable {
    /// The tag is not formatted for NDEF.
    case notSupported = 1
    /// The message can be read and written.
    case readWrite = 2
    /// The message can be read only.
    case readOnly = 3
}

extension NFCNDEFTag {
    /// Queries whether the tag can be read and written, and the size in bytes of the largest message that fits.
    public func queryNDEFStatus() async throws -> (NFCNDEFStatus, Int) {
        try await awaiting { finish in queryNDEFStatus { finish(($0, $1), $2) } }
    }

    /// Reads the message. A formatted tag without one gives error 403.
    public func readNDEF() async throws -> NFCNDEFMessage {
        let message: NFCNDEFMessage? = try await awaiting { readNDEF(completionHandler: $0) }
        guard let message else { throw NFCReaderError(.ndefReaderSessionErrorZeroLengthMessage) }
        return message
    }

    /// Writes the message. A read-only tag gives error 400, a message that does not fit 402, a failed write 401.
    public func writeNDEF(_ ndefMessage: NFCNDEFMessage) async throws {
        try await awaiting { finish in writeNDEF(ndefMessage) { finish((), $0) } }
    }

    /// Makes the tag read-only permanently.
    public func writeLock() async throws {
        try await awaiting { finish in writeLock { finish((), $0) } }
    }
}
