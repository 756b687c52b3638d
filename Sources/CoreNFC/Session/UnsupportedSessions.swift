public import Foundation
import NFCProtocol

/// A session for the passes of Apple Wallet. Beginning it ends it with code 1: nfcd does not speak that protocol.
open class NFCVASReaderSession: NFCReaderSession, @unchecked Sendable {
    private weak var passDelegate: (any NFCVASReaderSessionDelegate)?

    /// False: such a session always ends with code 1.
    open override class var readingAvailable: Bool { false }

    /// A session that has not begun.
    ///
    /// - Parameters:
    ///   - commandConfigurations: which passes to ask for.
    ///   - delegate: held weakly.
    ///   - queue: where callbacks run; nil for a private serial queue.
    public init(
        vasCommandConfigurations commandConfigurations: [NFCVASCommandConfiguration],
        delegate: any NFCVASReaderSessionDelegate, queue: DispatchQueue?
    ) {
        passDelegate = delegate
        super.init(delegate: delegate, queue: queue)
    }

    override func makeRequest() throws -> SessionParameters {
        throw NFCReaderError(.readerErrorUnsupportedFeature, reason: "nfcd does not read passes of Apple Wallet")
    }

    override func isDelegate(_ object: Any) -> Bool { object is any NFCVASReaderSessionDelegate }

    override func ended(_ error: NFCReaderError) {
        passDelegate?.readerSession(self, didInvalidateWithError: error)
    }
}

/// A session for payment cards. Beginning it ends it with code 1: nfcd processes no payments.
open class NFCPaymentTagReaderSession: NFCTagReaderSession, @unchecked Sendable {
    /// False: such a session always ends with code 1.
    open override class var readingAvailable: Bool { false }

    /// A session that has not begun.
    public init(delegate: any NFCTagReaderSessionDelegate, queue: DispatchQueue? = nil) {
        super.init(configuration: Configuration(pollingOption: .iso14443), delegate: delegate, queue: queue)
    }

    override func makeRequest() throws -> SessionParameters {
        throw NFCReaderError(.readerErrorUnsupportedFeature, reason: "nfcd processes no payments")
    }
}

/// The session for ISO/IEC 15693 tags of the first iPhones with NFC. Beginning it ends it with code 1; use
/// ``NFCTagReaderSession``.
open class __NFCISO15693ReaderSession: NFCReaderSession, @unchecked Sendable {
    private weak var readerDelegate: (any __NFCReaderSessionDelegate)?

    /// False: such a session always ends with code 1.
    open override class var readingAvailable: Bool { false }

    /// A session that has not begun.
    public init(delegate: any __NFCReaderSessionDelegate, queue: DispatchQueue?) {
        readerDelegate = delegate
        super.init(delegate: delegate, queue: queue)
    }

    /// Without effect.
    open func restartPolling() {}

    override func makeRequest() throws -> SessionParameters {
        throw NFCReaderError(
            .readerErrorUnsupportedFeature, reason: "use NFCTagReaderSession with pollingOption .iso15693")
    }

    override func isDelegate(_ object: Any) -> Bool { object is any __NFCReaderSessionDelegate }

    override func ended(_ error: NFCReaderError) {
        readerDelegate?.readerSession(self, didInvalidateWithError: error)
    }
}

/// The callbacks of an ``NFCVASReaderSession``.
public protocol NFCVASReaderSessionDelegate: NSObjectProtocol {
    /// The reader has begun to poll. Need not be implemented.
    func readerSessionDidBecomeActive(_ session: NFCVASReaderSession)
    /// The session is over; nothing follows.
    func readerSession(_ session: NFCVASReaderSession, didInvalidateWithError error: any Error)
    /// A device answered, in the order of the configurations.
    func readerSession(_ session: NFCVASReaderSession, didReceive responses: [NFCVASResponse])
}

extension NFCVASReaderSessionDelegate {
    /// Does nothing.
    public func readerSessionDidBecomeActive(_ session: NFCVASReaderSession) {}
}

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

/// What a device answered to one ``NFCVASCommandConfiguration``.
open class NFCVASResponse: NSObject, NSCopying {
    /// The status word of the answer. On an iPhone no value is ever unknown; here an unlisted number gives nil.
    public enum ErrorCode: Int, Sendable {
        /// The pass was given.
        case success = 0x9000
        /// The pass does not exist.
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
        storedData = vasData.fromZero
        storedToken = mobileToken.fromZero
    }

    /// The same response: none of it can change.
    open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// The delegate of the legacy ISO 15693 session.
public protocol __NFCReaderSessionDelegate: NSObjectProtocol {
    /// The reader has begun to poll.
    func readerSessionDidBecomeActive(_ session: NFCReaderSession)
    /// The session is over; nothing follows.
    func readerSession(_ session: NFCReaderSession, didInvalidateWithError error: any Error)
    /// Tags were found. Need not be implemented.
    func readerSession(_ session: NFCReaderSession, didDetect tags: [any __NFCTag])
}

extension __NFCReaderSessionDelegate {
    /// Does nothing.
    public func readerSession(_ session: NFCReaderSession, didDetect tags: [any __NFCTag]) {}
}
