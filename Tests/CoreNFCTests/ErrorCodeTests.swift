import CoreNFC
import Testing

/// One code: its case, the static property of the same name, its number and its description.
struct CodeRow: Sendable {
    let code: NFCReaderError.Code
    let property: NFCReaderError.Code
    let number: Int
    let text: String

    init(_ code: NFCReaderError.Code, _ property: NFCReaderError.Code, _ number: Int, _ text: String) {
        (self.code, self.property, self.number, self.text) = (code, property, number, text)
    }

    static let all = [
        CodeRow(
            .readerErrorUnsupportedFeature,
            NFCReaderError.readerErrorUnsupportedFeature,
            1, "Feature not supported"),
        CodeRow(
            .readerErrorSecurityViolation,
            NFCReaderError.readerErrorSecurityViolation,
            2, "Missing required entitlement"),
        CodeRow(
            .readerErrorInvalidParameter,
            NFCReaderError.readerErrorInvalidParameter,
            3, "Invalid parameter"),
        CodeRow(
            .readerErrorInvalidParameterLength,
            NFCReaderError.readerErrorInvalidParameterLength,
            4, "Invalid parameter length"),
        CodeRow(
            .readerErrorParameterOutOfBound,
            NFCReaderError.readerErrorParameterOutOfBound,
            5, "Parameter out of bound"),
        CodeRow(
            .readerErrorRadioDisabled,
            NFCReaderError.readerErrorRadioDisabled,
            6, "NFC radio is disabled"),
        CodeRow(
            .readerErrorIneligible,
            NFCReaderError.readerErrorIneligible,
            7, "Not eligible"),
        CodeRow(
            .readerErrorAccessNotAccepted,
            NFCReaderError.readerErrorAccessNotAccepted,
            8, "Access not accepted"),
        CodeRow(
            .readerTransceiveErrorTagConnectionLost,
            NFCReaderError.readerTransceiveErrorTagConnectionLost,
            100, "Tag connection lost"),
        CodeRow(
            .readerTransceiveErrorRetryExceeded,
            NFCReaderError.readerTransceiveErrorRetryExceeded,
            101, "Retry limit exceeded"),
        CodeRow(
            .readerTransceiveErrorTagResponseError,
            NFCReaderError.readerTransceiveErrorTagResponseError,
            102, "Tag response error / no response"),
        CodeRow(
            .readerTransceiveErrorSessionInvalidated,
            NFCReaderError.readerTransceiveErrorSessionInvalidated,
            103, "Session invalidated"),
        CodeRow(
            .readerTransceiveErrorTagNotConnected,
            NFCReaderError.readerTransceiveErrorTagNotConnected,
            104, "Tag is not connected"),
        CodeRow(
            .readerTransceiveErrorPacketTooLong,
            NFCReaderError.readerTransceiveErrorPacketTooLong,
            105, "Packet too long"),
        CodeRow(
            .readerSessionInvalidationErrorUserCanceled,
            NFCReaderError.readerSessionInvalidationErrorUserCanceled,
            200, "Session invalidated by user"),
        CodeRow(
            .readerSessionInvalidationErrorSessionTimeout,
            NFCReaderError.readerSessionInvalidationErrorSessionTimeout,
            201, "Session timeout"),
        CodeRow(
            .readerSessionInvalidationErrorSessionTerminatedUnexpectedly,
            NFCReaderError.readerSessionInvalidationErrorSessionTerminatedUnexpectedly,
            202, "Session invalidated unexpectedly"),
        CodeRow(
            .readerSessionInvalidationErrorSystemIsBusy,
            NFCReaderError.readerSessionInvalidationErrorSystemIsBusy,
            203, "System resource unavailable"),
        CodeRow(
            .readerSessionInvalidationErrorFirstNDEFTagRead,
            NFCReaderError.readerSessionInvalidationErrorFirstNDEFTagRead,
            204, "Session ended after first NDEF read"),
        CodeRow(
            .tagCommandConfigurationErrorInvalidParameters,
            NFCReaderError.tagCommandConfigurationErrorInvalidParameters,
            300, "Invalid command configuration"),
        CodeRow(
            .ndefReaderSessionErrorTagNotWritable,
            NFCReaderError.ndefReaderSessionErrorTagNotWritable,
            400, "NDEF tag is not writable"),
        CodeRow(
            .ndefReaderSessionErrorTagUpdateFailure,
            NFCReaderError.ndefReaderSessionErrorTagUpdateFailure,
            401, "NDEF write failed"),
        CodeRow(
            .ndefReaderSessionErrorTagSizeTooSmall,
            NFCReaderError.ndefReaderSessionErrorTagSizeTooSmall,
            402, "NDEF tag is too small"),
        CodeRow(
            .ndefReaderSessionErrorZeroLengthMessage,
            NFCReaderError.ndefReaderSessionErrorZeroLengthMessage,
            403, "NDEF tag contains no message"),
    ]
}

@Suite struct ErrorCodeTests {
    @Test(arguments: CodeRow.all)
    func `every code has its number, by its case and by the property`(row: CodeRow) {
        #expect(row.code.rawValue == row.number)
        #expect(row.property == row.code)
        #expect(NFCReaderError.Code(rawValue: row.number) == row.code)
    }

    @Test func `there are 24 codes and no others`() {
        let known = (-1000...1000).filter { NFCReaderError.Code(rawValue: $0) != nil }
        #expect(known == CodeRow.all.map(\.number))
    }

    @Test func `names of the domain and of the keys`() {
        #expect(NFCErrorDomain == "NFCError")
        #expect(NFCReaderError.errorDomain == NFCErrorDomain)
        #expect(Set([NFCISO15693TagResponseErrorKey, NFCTagResponseUnexpectedLengthErrorKey]).count == 2)
    }
}
