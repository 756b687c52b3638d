public import Foundation

/// An error of a reader session, or of a command to a tag, in the domain ``NFCErrorDomain``.
///
/// `localizedDescription` is the text that an iPhone shows, where that text is known. What nfcd said about the cause is in
/// `userInfo` under `NSLocalizedFailureReasonErrorKey`.
///
/// On Linux an `NSError` never turns into this type by a cast. CoreNFC therefore hands out the structure everywhere.
public struct NFCReaderError: _BridgedStoredNSError {
    /// The error as Foundation's class.
    public let _nsError: NSError

    /// Wraps an error of the domain ``NFCErrorDomain``.
    ///
    /// - Important: ``code`` traps where the error's number is none of ``Code``.
    public init(_nsError: NSError) {
        self._nsError = _nsError
    }

    /// ``NFCErrorDomain``.
    public static var errorDomain: String { NFCErrorDomain }

    /// ``NFCErrorDomain``, for Foundation.
    public static var _nsErrorDomain: String { NFCErrorDomain }

    /// What went wrong. On an iPhone no value is ever unknown; here an unlisted number gives nil.
    public enum Code: Int, _ErrorCodeProtocol, Sendable {
        /// The error that has these codes.
        public typealias _ErrorType = NFCReaderError

        /// There is no reader that can do this, or reading is not available.
        case readerErrorUnsupportedFeature = 1
        /// The configuration does not allow this: a format, an AID or a system code is not listed.
        case readerErrorSecurityViolation = 2
        /// An argument is malformed.
        case readerErrorInvalidParameter = 3
        /// An argument has a wrong size.
        case readerErrorInvalidParameterLength = 4
        /// An argument is outside its range.
        case readerErrorParameterOutOfBound = 5
        /// NFC is switched off.
        case readerErrorRadioDisabled = 6
        /// The user or the region is not eligible.
        case readerErrorIneligible = 7
        /// The terms of access were not accepted.
        case readerErrorAccessNotAccepted = 8
        /// The tag has left the reader.
        case readerTransceiveErrorTagConnectionLost = 100
        /// The command failed as often as it may be tried.
        case readerTransceiveErrorRetryExceeded = 101
        /// The tag gave no reply, a bad one, or an ISO 15693 error.
        case readerTransceiveErrorTagResponseError = 102
        /// The session of the tag is over.
        case readerTransceiveErrorSessionInvalidated = 103
        /// The tag is not connected, or was found before polling was restarted.
        case readerTransceiveErrorTagNotConnected = 104
        /// The command is longer than the tag or the reader can take.
        case readerTransceiveErrorPacketTooLong = 105
        /// The user, or the program by `invalidate()`, ended the session.
        case readerSessionInvalidationErrorUserCanceled = 200
        /// The time limit of the session is over.
        case readerSessionInvalidationErrorSessionTimeout = 201
        /// The session was lost, for example with the connection to nfcd.
        case readerSessionInvalidationErrorSessionTerminatedUnexpectedly = 202
        /// Another session is using the reader.
        case readerSessionInvalidationErrorSystemIsBusy = 203
        /// The session was to end after the first message, and has read it.
        case readerSessionInvalidationErrorFirstNDEFTagRead = 204
        /// A command configuration is outside its limits.
        case tagCommandConfigurationErrorInvalidParameters = 300
        /// The tag is read-only.
        case ndefReaderSessionErrorTagNotWritable = 400
        /// The message could not be written.
        case ndefReaderSessionErrorTagUpdateFailure = 401
        /// The message does not fit on the tag.
        case ndefReaderSessionErrorTagSizeTooSmall = 402
        /// The tag is formatted, but has no message.
        case ndefReaderSessionErrorZeroLengthMessage = 403
    }
}
