extension NFCReaderError.Code {
    /// The text that an iPhone shows where one was observed, else wording of our own. Some programs compare it.
    var localizedText: String {
        switch self {
        case .readerErrorUnsupportedFeature: "Feature not supported"
        case .readerErrorSecurityViolation: "Missing required entitlement"
        case .readerErrorInvalidParameter: "Invalid parameter"
        case .readerErrorInvalidParameterLength: "Invalid parameter length"
        case .readerErrorParameterOutOfBound: "Parameter out of bound"
        case .readerErrorRadioDisabled: "NFC radio is disabled"
        case .readerErrorIneligible: "Not eligible"
        case .readerErrorAccessNotAccepted: "Access not accepted"
        case .readerTransceiveErrorTagConnectionLost: "Tag connection lost"
        case .readerTransceiveErrorRetryExceeded: "Retry limit exceeded"
        case .readerTransceiveErrorTagResponseError: "Tag response error / no response"
        case .readerTransceiveErrorSessionInvalidated: "Session invalidated"
        case .readerTransceiveErrorTagNotConnected: "Tag is not connected"
        case .readerTransceiveErrorPacketTooLong: "Packet too long"
        case .readerSessionInvalidationErrorUserCanceled: "Session invalidated by user"
        case .readerSessionInvalidationErrorSessionTimeout: "Session timeout"
        case .readerSessionInvalidationErrorSessionTerminatedUnexpectedly: "Session invalidated unexpectedly"
        case .readerSessionInvalidationErrorSystemIsBusy: "System resource unavailable"
        case .readerSessionInvalidationErrorFirstNDEFTagRead: "Session ended after first NDEF read"
        case .tagCommandConfigurationErrorInvalidParameters: "Invalid command configuration"
        case .ndefReaderSessionErrorTagNotWritable: "NDEF tag is not writable"
        case .ndefReaderSessionErrorTagUpdateFailure: "NDEF write failed"
        case .ndefReaderSessionErrorTagSizeTooSmall: "NDEF tag is too small"
        case .ndefReaderSessionErrorZeroLengthMessage: "NDEF tag contains no message"
        }
    }
}
