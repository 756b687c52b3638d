import NFCProtocol

/// A session for the passes of Apple Wallet. Beginning it ends it with code 1: nfcd does not speak that protocol.
open class NFCVASReaderSession: NFCReaderSession, @unchecked Sendable {
    private weak var passDelegate: (any NFCVASReaderSessionDelegate)?

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

    override func makeRequest() throws -> SessionRequest {
        throw NFCReaderError(.readerErrorUnsupportedFeature, reason: "nfcd does not read passes of Apple Wallet")
    }

    override func ended(_ error: NFCReaderError) {
        passDelegate?.readerSession(self, didInvalidateWithError: error)
    }
}

/// A session for payment cards. Beginning it ends it with code 1: nfcd processes no payments.
open class NFCPaymentTagReaderSession: NFCTagReaderSession, @unchecked Sendable {
    /// A session that has not begun.
    public init(delegate: any NFCTagReaderSessionDelegate, queue: DispatchQueue?) {
        super.init(configuration: Configuration(pollingOption: .iso14443), delegate: delegate, queue: queue)
    }

    override func makeRequest() throws -> SessionRequest {
        throw NFCReaderError(.readerErrorUnsupportedFeature, reason: "nfcd processes no payments")
    }
}

/// The session for ISO/IEC 15693 tags of the first iPhones with NFC. Beginning it ends it with code 1; use
/// ``NFCTagReaderSession``.
open class __NFCISO15693ReaderSession: NFCReaderSession, @unchecked Sendable {
    private weak var readerDelegate: (any __NFCReaderSessionDelegate)?

    /// A session that has not begun.
    public init(delegate: any __NFCReaderSessionDelegate, queue: DispatchQueue?) {
        readerDelegate = delegate
        super.init(delegate: delegate, queue: queue)
    }

    /// Without effect.
    open func restartPolling() {}

    override func makeRequest() throws -> SessionRequest {
        throw NFCReaderError(
            .readerErrorUnsupportedFeature, reason: "use NFCTagReaderSession with pollingOption .iso15693")
    }

    override func ended(_ error: NFCReaderError) {
        readerDelegate?.readerSession(self, didInvalidateWithError: error)
    }
}
