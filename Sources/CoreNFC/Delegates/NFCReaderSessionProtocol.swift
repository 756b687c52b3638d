public import Foundation

/// What all sessions have in common.
public protocol NFCReaderSessionProtocol: NSObjectProtocol {
    /// Whether the reader is polling.
    var isReady: Bool { get }
    /// The text that whoever shows the session shows. It may be changed at any time.
    var alertMessage: String { get set }
    /// Starts the session and returns at once. Failures arrive as its invalidation.
    func begin()
    /// Ends the session.
    func invalidate()
    /// Ends the session and shows a text as the reason.
    func invalidate(errorMessage: String)
}
