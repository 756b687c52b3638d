public import Foundation

/// A read of the legacy ISO 15693 session. With today's sessions it gives error 1.
open class NFCISO15693ReadMultipleBlocksConfiguration: NFCTagCommandConfiguration {
    /// The blocks: a start of 0…0xFF and a length above 0.
    open var range: NSRange
    /// The blocks in one command.
    open var chunkSize: Int

    /// A read without retries.
    public init(range: NSRange, chunkSize: Int) {
        self.range = range
        self.chunkSize = chunkSize
        super.init(maximumRetries: 0, retryInterval: 0)
    }

    /// A read that is tried again up to 256 times, with seconds in between.
    public init(range: NSRange, chunkSize: Int, maximumRetries: Int, retryInterval: TimeInterval) {
        self.range = range
        self.chunkSize = chunkSize
        super.init(maximumRetries: maximumRetries, retryInterval: retryInterval)
    }

    /// A copy that can be changed on its own.
    open override func copy(with zone: NSZone? = nil) -> Any {
        NFCISO15693ReadMultipleBlocksConfiguration(
            range: range, chunkSize: chunkSize, maximumRetries: maximumRetries, retryInterval: retryInterval)
    }
}
