public import Foundation

/// What a device answered to one ``NFCVASCommandConfiguration``.
open class NFCVASResponse: NSObject, NSCopying {
    /// The status word of the answer. On an iPhone no value is ever unknown; here an unlisted number gives nil.
    public enum ErrorCode: Int, Sendable {
        /// The pass was given.
        case success = 0x9000
        /// There is no such pass.
        case dataNotFound = 0x6A83
        /// The pass is not active.
        case dataNotActivated = 0x6287
        /// P1 or P2 is wrong.
        case wrongParameters = 0x6B00
        /// Lc is wrong.
        case wrongLCField = 0x6700
        /// The user has to do something first.
        case userIntervention = 0x6984
        /// The data field is wrong.
        case incorrectData = 0x6A80
        /// The version of the application is not supported.
        case unsupportedApplicationVersion = 0x6340
    }

    /// The status word.
    open var status: NFCVASResponse.ErrorCode { storedStatus }
    /// The data of the pass.
    open var vasData: Data { storedData }
    /// The token of the device.
    open var mobileToken: Data { storedToken }

    private let storedStatus: ErrorCode
    private let storedData: Data
    private let storedToken: Data

    /// A response of these parts.
    init(status: ErrorCode, vasData: Data, mobileToken: Data) {
        storedStatus = status
        storedData = vasData
        storedToken = mobileToken
    }

    /// The same response: nothing of it can change.
    open func copy(with zone: NSZone? = nil) -> Any { self }
}
