public import Foundation

/// A response APDU: response data and the status word SW1-SW2 (ISO/IEC 7816-4).
public struct NFCISO7816ResponseAPDU: Sendable {
    /// SW1.
    public var statusWord1: UInt8
    /// SW2.
    public var statusWord2: UInt8
    /// The response data; empty or nil where there is none.
    public var payload: Data?

    /// A response of these parts. The label `paylaod` is spelt as in Apple's SDK.
    public init(statusWord1: UInt8, statusWord2: UInt8, paylaod: Data?) {
        self.init(statusWord1: statusWord1, statusWord2: statusWord2, payload: paylaod)
    }

    /// A response of these parts. Apple's SDK lacks this spelling.
    public init(statusWord1: UInt8, statusWord2: UInt8, payload: Data?) {
        self.statusWord1 = statusWord1
        self.statusWord2 = statusWord2
        self.payload = payload
    }
}
