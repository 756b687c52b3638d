// `catch NFCReaderError.readerErrorRadioDisabled` and `error.code == NFCReaderError.readerErrorRadioDisabled` need one
// property per code.
extension NFCReaderError {
    /// 1: There is no reader that can do this, or reading is not available.
    public static var readerErrorUnsupportedFeature: Code { .readerErrorUnsupportedFeature }
    /// 2: The configuration does not allow this: a format, an AID or a system code is not listed.
    public static var readerErrorSecurityViolation: Code { .readerErrorSecurityViolation }
    /// 3: An argument is malformed.
    public static var readerErrorInvalidParameter: Code { .readerErrorInvalidParameter }
    /// 4: An argument has a wrong size.
    public static var readerErrorInvalidParameterLength: Code { .readerErrorInvalidParameterLength }
    /// 5: An argument is outside its range.
    public static var readerErrorParameterOutOfBound: Code { .readerErrorParameterOutOfBound }
    /// 6: NFC is switched off.
    public static var readerErrorRadioDisabled: Code { .readerErrorRadioDisabled }
    /// 7: The user or the region is not eligible.
    public static var readerErrorIneligible: Code { .readerErrorIneligible }
    /// 8: The terms of access were not accepted.
    public static var readerErrorAccessNotAccepted: Code { .readerErrorAccessNotAccepted }
    /// 100: The tag has left the reader.
    public static var readerTransceiveErrorTagConnectionLost: Code { .readerTransceiveErrorTagConnectionLost }
    /// 101: The command failed as often as it may be tried.
    public static var readerTransceiveErrorRetryExceeded: Code { .readerTransceiveErrorRetryExceeded }
    /// 102: The tag gave no reply, a bad one, or an ISO 15693 error.
    public static var readerTransceiveErrorTagResponseError: Code { .readerTransceiveErrorTagResponseError }
    /// 103: The session of the tag is over.
    public static var readerTransceiveErrorSessionInvalidated: Code { .readerTransceiveErrorSessionInvalidated }
    /// 104: The tag is not connected, or was found before polling was restarted.
    public static var readerTransceiveErrorTagNotConnected: Code { .readerTransceiveErrorTagNotConnected }
    /// 105: The command is longer than the tag or the reader can take.
    public static var readerTransceiveErrorPacketTooLong: Code { .readerTransceiveErrorPacketTooLong }
    /// 200: The user, or the program by `invalidate()`, ended the session.
    public static var readerSessionInvalidationErrorUserCanceled: Code { .readerSessionInvalidationErrorUserCanceled }
    /// 201: The time limit of the session is over.
    public static var readerSessionInvalidationErrorSessionTimeout: Code {
        .readerSessionInvalidationErrorSessionTimeout
    }
    /// 202: The session was lost, for example with the connection to nfcd.
    public static var readerSessionInvalidationErrorSessionTerminatedUnexpectedly: Code {
        .readerSessionInvalidationErrorSessionTerminatedUnexpectedly
    }
    /// 203: Another session is using the reader.
    public static var readerSessionInvalidationErrorSystemIsBusy: Code { .readerSessionInvalidationErrorSystemIsBusy }
    /// 204: The session was to end after the first message, and has read it.
    public static var readerSessionInvalidationErrorFirstNDEFTagRead: Code {
        .readerSessionInvalidationErrorFirstNDEFTagRead
    }
    /// 300: A command configuration is outside its limits.
    public static var tagCommandConfigurationErrorInvalidParameters: Code {
        .tagCommandConfigurationErrorInvalidParameters
    }
    /// 400: The tag is read-only.
    public static var ndefReaderSessionErrorTagNotWritable: Code { .ndefReaderSessionErrorTagNotWritable }
    /// 401: The message could not be written.
    public static var ndefReaderSessionErrorTagUpdateFailure: Code { .ndefReaderSessionErrorTagUpdateFailure }
    /// 402: The message does not fit on the tag.
    public static var ndefReaderSessionErrorTagSizeTooSmall: Code { .ndefReaderSessionErrorTagSizeTooSmall }
    /// 403: The tag is formatted, but has no message.
    public static var ndefReaderSessionErrorZeroLengthMessage: Code { .ndefReaderSessionErrorZeroLengthMessage }
}
