import NFCClient
import NFCProtocol

// What went wrong between this module and nfcd, as the program is told.

extension NFCReaderError {
    /// Why a command failed.
    init(command error: any Error) {
        switch error {
        case let error as NFCReaderError: self = error
        case NFCClientError.refused(let refusal): self.init(refusal)
        case NFCClientError.protocolViolation(let what):
            self.init(.readerTransceiveErrorTagResponseError, reason: what)
        default: self.init(.readerTransceiveErrorSessionInvalidated, reason: "\(error)")
        }
    }

    /// Why a session did not begin.
    init(start error: any Error) {
        switch error {
        case let error as NFCReaderError: self = error
        case NFCClientError.refused(let refusal): self.init(refusal)
        case NFCClientError.noDaemon, NFCClientError.connectionFailed:
            self.init(
                .readerErrorUnsupportedFeature, reason: "\(error); start nfcd, or let NFCD_SOCKET name its socket")
        case NFCClientError.notPermitted:
            self.init(.readerErrorSecurityViolation, reason: "\(error); it belongs to the group nfc")
        default:
            self.init(.readerSessionInvalidationErrorSessionTerminatedUnexpectedly, reason: "\(error)")
        }
    }

    /// How a session ended.
    init(_ end: SessionDidInvalidate) {
        self.init(code: end.code, message: end.message, detail: end.detail)
    }

    /// What nfcd refused.
    private init(_ refusal: RPCError) {
        self.init(code: refusal.code, message: refusal.message, detail: refusal.data?.detail)
    }

    /// The cause in words; empty where there is none.
    var reason: String { errorUserInfo[NSLocalizedFailureReasonErrorKey] as? String ?? "" }
}
