public import Foundation
import NFCClient
import NFCProtocol

/// An error of a reader session, or of a command to a tag, in the domain ``NFCErrorDomain``.
///
/// `localizedDescription` is the text that an iPhone shows, where that text is known. The cause as nfcd reports it is in
/// `userInfo` under `NSLocalizedFailureReasonErrorKey`, and is the description of the error under `NSUnderlyingErrorKey`. An error that
/// is printed shows text and cause.
///
/// On Linux an `NSError` never turns into this type by a cast. CoreNFC therefore hands out the structure everywhere.
public struct NFCReaderError: _BridgedStoredNSError {
    /// The error as Foundation's class.
    public let _nsError: NSError

    /// Wraps an error of the domain ``NFCErrorDomain``.
    ///
    /// - Important: ``code`` traps where ``Code`` does not have the error's number.
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

        /// No reader can do this, or reading is not available.
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

        // SDK 27 has these three. Their numbers are in no documentation that can be read here, so they have placeholders below 0, which
        // no number of Apple's can equal. Nothing here has these errors: a session for payments ends with 1.

        /// The user did not allow the program to use the location, which a session for payments needs.
        ///
        /// The number is a placeholder: Apple's is not published. Compare the case, and do not store the number.
        case paymentTagReaderSessionErrorLocationAuthorizationDenied = -1
        /// The use of the location is restricted, and a session for payments needs it.
        ///
        /// The number is a placeholder: Apple's is not published. Compare the case, and do not store the number.
        case paymentTagReaderSessionErrorLocationServiceRestricted = -2
        /// The device could not determine its location, which a session for payments needs.
        ///
        /// The number is a placeholder: Apple's is not published. Compare the case, and do not store the number.
        case paymentTagReaderSessionErrorOnDeviceLocationUnavailable = -3
    }
}

/// The domain of every ``NFCReaderError``.
///
/// Observed: in every log of an error (`Error Domain=NFCError Code=…`), such as those of phonegap-nfc issue 416.
public let NFCErrorDomain: String = "NFCError"

/// Key in an error's `userInfo`: the error byte of an ISO 15693 reply (ISO/IEC 15693-3, error code), as an `Int`.
///
/// Observed: `UserInfo={…, ISO15693TagResponseErrorCode=15}` in Stack Overflow question 78128475. Apps index with this text.
public let NFCISO15693TagResponseErrorKey: String = "ISO15693TagResponseErrorCode"

/// Key in an error's `userInfo`: its presence means that the tag's reply had a wrong length. The value is true.
///
/// Observed: the library TRETNFCKit repeats the constant with this text beside the one above.
public let NFCTagResponseUnexpectedLengthErrorKey: String = "TagResponseInvalidLength"

extension NFCReaderError {
    /// An error with the description of its code, unless `userInfo` brings another.
    ///
    /// - Parameters:
    ///   - code: the code.
    ///   - userInfo: more about the error, such as ``NFCISO15693TagResponseErrorKey``.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        let text = code.localizedText(with: userInfo)
        let entries = userInfo.merging([NSLocalizedDescriptionKey: text]) { given, _ in given }
        self.init(_nsError: NSError(domain: NFCErrorDomain, code: code.rawValue, userInfo: entries))
    }

    /// An error with the description of its code, and what is known about the cause.
    ///
    /// - Parameters:
    ///   - code: the code.
    ///   - reason: the cause in words; it becomes `NSLocalizedFailureReasonErrorKey`, and the description of the underlying error.
    ///   - userInfo: more entries.
    init(_ code: Code, reason: String?, userInfo: [String: Any] = [:]) {
        var entries = userInfo
        if let reason {
            entries[NSLocalizedFailureReasonErrorKey] = reason
            if entries[NSUnderlyingErrorKey] == nil {
                entries[NSUnderlyingErrorKey] = Self.daemonError(code.rawValue, reason)
            }
        }
        self.init(code, userInfo: entries)
    }

    /// The error that the daemon's error stands for.
    ///
    /// A number that ``Code`` does not have would trap in `code`. JSON-RPC's own become the nearest code, any other number
    /// becomes 202; the daemon's error is kept under `NSUnderlyingErrorKey`.
    ///
    /// - Parameters:
    ///   - code: CoreNFC's or JSON-RPC's number.
    ///   - message: the daemon's words.
    ///   - detail: the cause in words, where the daemon reported it.
    ///   - userInfo: more entries.
    init(code: Int, message: String, detail: String? = nil, userInfo: [String: Any] = [:]) {
        if code > 0, let known = Code(rawValue: code) {
            self.init(known, reason: detail ?? message, userInfo: userInfo)
            return
        }
        var entries = userInfo
        entries[NSUnderlyingErrorKey] = Self.daemonError(code, detail.map { "\(message): \($0)" } ?? message)
        self.init(Self.nearest(toJSONRPC: code), reason: message, userInfo: entries)
    }

    /// The domain of errors that are the daemon's and not CoreNFC's. The name is ours; nothing is compared with it.
    static let daemonDomain = "nfcd"

    private static func daemonError(_ code: Int, _ words: String) -> NSError {
        NSError(domain: daemonDomain, code: code, userInfo: [NSLocalizedDescriptionKey: words])
    }

    private static func nearest(toJSONRPC code: Int) -> Code {
        switch code {
        case -32601: .readerErrorUnsupportedFeature
        case -32602: .readerErrorInvalidParameter
        default: .readerSessionInvalidationErrorSessionTerminatedUnexpectedly
        }
    }
}

// Errors between this module and nfcd, as the program gets them.

extension NFCReaderError {
    /// Why a command failed.
    init(command error: any Error) {
        switch error {
        case let error as NFCReaderError: self = error
        case let silence as TagSilence: self.init(silence)
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
    init(_ end: SessionEnd) {
        self.init(code: end.code.rawValue, message: end.message, detail: end.detail)
    }

    /// A tag of ISO/IEC 15693 that did not answer.
    init(_ silence: TagSilence) {
        self.init(
            .readerTransceiveErrorTagConnectionLost, reason: silence.refusal.data?.detail ?? silence.refusal.message)
    }

    /// What nfcd refused.
    private init(_ refusal: RPCError) {
        self.init(code: refusal.code, message: refusal.message, detail: refusal.data?.detail)
    }

    /// The cause in words; empty if there is none.
    var reason: String { errorUserInfo[NSLocalizedFailureReasonErrorKey] as? String ?? "" }
}

extension NFCReaderError: CustomStringConvertible, CustomDebugStringConvertible {
    /// The text that an iPhone shows, then the cause, then the number: `Session timeout: … (NFCError 201)`.
    public var description: String {
        "\(localizedDescription)\(reason.isEmpty ? "" : ": \(reason)") (\(_nsError.domain) \(_nsError.code))"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }
}

// Foundation's own hashing of bridged errors traps on Linux.
extension NFCReaderError {
    /// Hashes domain and number; equal errors have both in common.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(_nsError.domain)
        hasher.combine(_nsError.code)
    }

    /// The hash of domain and number.
    public var hashValue: Int {
        var hasher = Hasher()
        hash(into: &hasher)
        return hasher.finalize()
    }
}

// `catch NFCReaderError.readerErrorRadioDisabled` and `error.code == NFCReaderError.readerErrorRadioDisabled` need one
// property per code.
extension NFCReaderError {
    /// 1: No reader can do this, or reading is not available.
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
    /// The user did not allow the program to use the location. Its number is not published.
    public static var paymentTagReaderSessionErrorLocationAuthorizationDenied: Code {
        .paymentTagReaderSessionErrorLocationAuthorizationDenied
    }
    /// The use of the location is restricted. Its number is not published.
    public static var paymentTagReaderSessionErrorLocationServiceRestricted: Code {
        .paymentTagReaderSessionErrorLocationServiceRestricted
    }
    /// The device could not determine its location. Its number is not published.
    public static var paymentTagReaderSessionErrorOnDeviceLocationUnavailable: Code {
        .paymentTagReaderSessionErrorOnDeviceLocationUnavailable
    }
}
