/// A command that makes a reader show or sound a result. A value: the caller sends it.
public struct ReaderFeedback: Sendable, Hashable {
    /// The result to show.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The operation succeeded.
        case success
        /// The operation failed.
        case failure
    }

    /// How the command reaches the reader.
    public enum Route: String, Sendable, Hashable, CaseIterable {
        /// As a pseudo-APDU to the connected tag (SCardTransmit).
        case transmit
        /// As an escape command (SCardControl), which the driver must allow.
        case escape
    }

    /// How the command reaches the reader.
    public let route: Route
    /// The bytes to send. The answer contains the state of the lights and no status word.
    public let command: [UInt8]
}
