import Foundation

extension NFCReaderError.Code {
    /// The description of an error with this code and these entries. Programs compare such texts.
    ///
    /// Observed: 102 has another text where the tag answered with an error byte (Stack Overflow question 78128475).
    /// Assumed: the same is true of an answer with a wrong length.
    func localizedText(with userInfo: [String: Any]) -> String {
        let hasAnswer = [NFCISO15693TagResponseErrorKey, NFCTagResponseUnexpectedLengthErrorKey].contains {
            userInfo[$0] != nil
        }
        return self == .readerTransceiveErrorTagResponseError && hasAnswer ? "Tag response error" : localizedText
    }

    /// The description of an error with this code alone: as logs and programs for iPhones have it, or assumed.
    var localizedText: String { observedText ?? assumedText }

    /// The text of an iPhone; nil where none is known. The comments say where it was seen.
    var observedText: String? {
        switch self {
        // community-cordova-plugin-nfc, issue 2
        case .readerErrorSecurityViolation: "Missing required entitlement"
        // Apple developer forums, thread 775235
        case .readerTransceiveErrorTagConnectionLost: "Tag connection lost"
        // dmrtd, issue 14: a card that did not answer an APDU
        case .readerTransceiveErrorTagResponseError: "Tag response error / no response"
        // NFCPassportReader, issue 241, which does not name the code
        case .readerTransceiveErrorSessionInvalidated: "Session invalidated"
        // capawesome-team/capacitor-nfc, issue 43, which does not name the code
        case .readerTransceiveErrorTagNotConnected: "Tag is not connected"
        // NFCPassportReader, issue 19
        case .readerSessionInvalidationErrorUserCanceled: "Session invalidated by user"
        // apps for identity documents that compare the description
        case .readerSessionInvalidationErrorSessionTimeout: "Session timeout"
        // apps for identity documents that compare the description
        case .readerSessionInvalidationErrorSessionTerminatedUnexpectedly: "Session invalidated unexpectedly"
        // NFCPassportReader, issue 114
        case .readerSessionInvalidationErrorSystemIsBusy: "System resource unavailable"
        // apps that compare the description to ignore this end
        case .readerSessionInvalidationErrorFirstNDEFTagRead: "First NDEF tag read"
        // Stack Overflow, question 78128475; okadan/nfc-manager, issue 2
        case .ndefReaderSessionErrorTagUpdateFailure: "Stack Error"
        // phonegap-nfc, issue 416; flutter-nfc-manager, issue 259
        case .ndefReaderSessionErrorZeroLengthMessage: "NDEF tag does not contain any NDEF message"
        default: nil
        }
    }

    /// Our wording where no text of an iPhone is known.
    private var assumedText: String {
        switch self {
        case .readerErrorUnsupportedFeature: "Feature not supported"
        case .readerErrorInvalidParameter: "Invalid parameter"
        case .readerErrorInvalidParameterLength: "Invalid parameter length"
        case .readerErrorParameterOutOfBound: "Parameter out of bound"
        case .readerErrorRadioDisabled: "NFC radio is disabled"
        case .readerErrorIneligible: "Not eligible"
        case .readerErrorAccessNotAccepted: "Access not accepted"
        case .readerTransceiveErrorRetryExceeded: "Retry limit exceeded"
        case .readerTransceiveErrorPacketTooLong: "Packet too long"
        case .tagCommandConfigurationErrorInvalidParameters: "Invalid command configuration"
        case .ndefReaderSessionErrorTagNotWritable: "NDEF tag is not writable"
        case .ndefReaderSessionErrorTagSizeTooSmall: "NDEF tag is too small"
        case .paymentTagReaderSessionErrorLocationAuthorizationDenied: "Location authorization denied"
        case .paymentTagReaderSessionErrorLocationServiceRestricted: "Location service restricted"
        case .paymentTagReaderSessionErrorOnDeviceLocationUnavailable: "Location unavailable"
        default: "Error \(rawValue)"
        }
    }
}
