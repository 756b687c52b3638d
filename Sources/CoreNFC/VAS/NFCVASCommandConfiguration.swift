public import Foundation

/// One pass that an ``NFCVASReaderSession`` asks for.
open class NFCVASCommandConfiguration: NSObject, NSCopying {
    /// How a pass is asked for.
    public enum Mode: Int, Sendable {
        /// Only the merchant's URL is sent. Reserved.
        case urlOnly = 0
        /// The pass is asked for.
        case normal = 1
    }

    /// How the pass is asked for.
    open var mode: NFCVASCommandConfiguration.Mode
    /// The identifier of the pass type, such as `pass.example.loyalty`.
    open var passTypeIdentifier: String
    /// The merchant's URL, at most 64 characters; nil for none.
    open var url: URL?

    /// A configuration of these values.
    public init(vasMode mode: NFCVASCommandConfiguration.Mode, passTypeIdentifier: String, url: URL?) {
        self.mode = mode
        self.passTypeIdentifier = passTypeIdentifier
        self.url = url
    }

    /// A copy that can be changed on its own.
    open func copy(with zone: NSZone? = nil) -> Any {
        NFCVASCommandConfiguration(vasMode: mode, passTypeIdentifier: passTypeIdentifier, url: url)
    }
}
