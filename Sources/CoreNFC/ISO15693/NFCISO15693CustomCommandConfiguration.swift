public import Foundation

/// A custom command of the legacy ISO 15693 session. With today's sessions it gives error 1.
open class NFCISO15693CustomCommandConfiguration: NFCTagCommandConfiguration {
    /// The manufacturer's code, 0x00…0xFF.
    open var manufacturerCode: Int
    /// The code of the command, 0xA0…0xDF.
    open var customCommandCode: Int
    /// The parameters of the command.
    open var requestParameters: Data

    /// A command without retries.
    public init(manufacturerCode: Int, customCommandCode: Int, requestParameters: Data?) {
        self.manufacturerCode = manufacturerCode
        self.customCommandCode = customCommandCode
        self.requestParameters = requestParameters ?? Data()
        super.init(maximumRetries: 0, retryInterval: 0)
    }

    /// A command that is tried again up to 256 times, with seconds in between.
    public init(
        manufacturerCode: Int, customCommandCode: Int, requestParameters: Data?, maximumRetries: Int,
        retryInterval: TimeInterval
    ) {
        self.manufacturerCode = manufacturerCode
        self.customCommandCode = customCommandCode
        self.requestParameters = requestParameters ?? Data()
        super.init(maximumRetries: maximumRetries, retryInterval: retryInterval)
    }

    /// A copy that can be changed on its own.
    open override func copy(with zone: NSZone? = nil) -> Any {
        NFCISO15693CustomCommandConfiguration(
            manufacturerCode: manufacturerCode, customCommandCode: customCommandCode,
            requestParameters: requestParameters, maximumRetries: maximumRetries, retryInterval: retryInterval)
    }
}
