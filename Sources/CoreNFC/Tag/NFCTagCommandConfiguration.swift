public import Foundation

/// How often a legacy command is tried. The commands that take it fail with error 1 on tags of today's sessions.
open class NFCTagCommandConfiguration: NSObject, NSCopying {
    /// How often the command is tried again: 0…256, by default 0.
    open var maximumRetries: Int = 0
    /// The seconds between two tries, by default 0.
    open var retryInterval: TimeInterval = 0

    /// A configuration without retries.
    public override init() {}

    /// A configuration of these values.
    init(maximumRetries: Int, retryInterval: TimeInterval) {
        self.maximumRetries = maximumRetries
        self.retryInterval = retryInterval
    }

    /// A copy that can be changed on its own.
    open func copy(with zone: NSZone? = nil) -> Any {
        NFCTagCommandConfiguration(maximumRetries: maximumRetries, retryInterval: retryInterval)
    }
}
