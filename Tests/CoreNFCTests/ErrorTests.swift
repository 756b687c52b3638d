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
            204, "First NDEF tag read"),
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
            401, "Stack Error"),
        CodeRow(
            .ndefReaderSessionErrorTagSizeTooSmall,
            NFCReaderError.ndefReaderSessionErrorTagSizeTooSmall,
            402, "NDEF tag is too small"),
        CodeRow(
            .ndefReaderSessionErrorZeroLengthMessage,
            NFCReaderError.ndefReaderSessionErrorZeroLengthMessage,
            403, "NDEF tag does not contain any NDEF message"),
    ]

    /// Codes of SDK 27 whose numbers are not published; the numbers are placeholders.
    static let payment = [
        CodeRow(
            .paymentTagReaderSessionErrorLocationAuthorizationDenied,
            NFCReaderError.paymentTagReaderSessionErrorLocationAuthorizationDenied,
            -1, "Location authorization denied"),
        CodeRow(
            .paymentTagReaderSessionErrorLocationServiceRestricted,
            NFCReaderError.paymentTagReaderSessionErrorLocationServiceRestricted,
            -2, "Location service restricted"),
        CodeRow(
            .paymentTagReaderSessionErrorOnDeviceLocationUnavailable,
            NFCReaderError.paymentTagReaderSessionErrorOnDeviceLocationUnavailable,
            -3, "Location unavailable"),
    ]
}

@Suite struct ErrorCodeTests {
    @Test(arguments: CodeRow.all + CodeRow.payment)
    func `every code has its number, by its case and by the property`(row: CodeRow) {
        #expect(row.code.rawValue == row.number)
        #expect(row.property == row.code)
        #expect(NFCReaderError.Code(rawValue: row.number) == row.code)
    }

    @Test func `there are 27 codes and no others`() {
        let known = (-1000...1000).filter { NFCReaderError.Code(rawValue: $0) != nil }
        #expect(known == (CodeRow.all + CodeRow.payment).map(\.number).sorted())
    }

    @Test(arguments: CodeRow.payment)
    func `a code without a published number makes an error and is found in it`(row: CodeRow) {
        let error: any Error = NFCReaderError(row.code)
        #expect((error as? NFCReaderError)?.code == row.code)
        #expect(error.localizedDescription == row.text)
    }

    @Test func `names of the domain and of the keys`() {
        #expect(NFCErrorDomain == "NFCError")
        #expect(NFCReaderError.errorDomain == NFCErrorDomain)
        #expect(NFCISO15693TagResponseErrorKey == "ISO15693TagResponseErrorCode")
        #expect(NFCTagResponseUnexpectedLengthErrorKey == "TagResponseInvalidLength")
        #expect(NSUserActivityTypeBrowsingWeb == "NSUserActivityTypeBrowsingWeb")
    }

    @Test(
        arguments: [
            ([:], "Tag response error / no response"), (["ISO15693TagResponseErrorCode": 0x0F], "Tag response error"),
            (["TagResponseInvalidLength": 1], "Tag response error"), (["Other": 1], "Tag response error / no response"),
        ] as [([String: Int], String)])
    func `102 has another text where the tag has answered`(userInfo: [String: Int], text: String) {
        let error: any Error = NFCReaderError(.readerTransceiveErrorTagResponseError, userInfo: userInfo)
        #expect(error.localizedDescription == text)
        #expect(
            NFCReaderError(.readerErrorRadioDisabled, userInfo: userInfo).localizedDescription
                == "NFC radio is disabled")
    }
}

/// What clients do with errors, as it works on Linux.
@Suite struct ErrorBridgingTests {
    static let error = NFCReaderError(
        .readerTransceiveErrorTagResponseError, userInfo: [NFCISO15693TagResponseErrorKey: 0x0F])
    static let foreign = NSError(domain: "Elsewhere", code: 102)

    @Test func `an error that is passed on is still one of ours`() {
        let passed: any Error = Self.error
        #expect((passed as? NFCReaderError)?.code == .readerTransceiveErrorTagResponseError)
        #expect((passed as? NFCReaderError)?.errorCode == 102)
    }

    @Test func `a thrown error is caught by the name of its code`() {
        #expect(caught(Self.error) == "name")
        #expect(caught(NFCReaderError(.readerErrorRadioDisabled)) == "where")
        #expect(caught(NFCReaderError(.readerErrorInvalidParameter)) == "ours")
        #expect(caught(Self.foreign) == "other")
    }

    private func caught(_ error: any Error) -> String {
        do {
            throw error
        } catch NFCReaderError.readerTransceiveErrorTagResponseError {
            return "name"
        } catch let error as NFCReaderError where error.code == .readerErrorRadioDisabled {
            return "where"
        } catch is NFCReaderError {
            return "ours"
        } catch {
            return "other"
        }
    }

    @Test func `if case finds the code`() {
        let passed: any Error = Self.error
        guard case NFCReaderError.readerTransceiveErrorTagResponseError = passed else {
            Issue.record("not found")
            return
        }
    }

    @Test func `NSError shows domain, number and the byte of the tag`() {
        let bridged = Self.error as NSError
        #expect(bridged.domain == "NFCError")
        #expect(bridged.code == 102)
        #expect(bridged.userInfo[NFCISO15693TagResponseErrorKey] as? Int == 0x0F)
        #expect(bridged.userInfo[NFCISO15693TagResponseErrorKey] as? NSNumber == 15)
        #expect(Self.error.errorUserInfo[NFCISO15693TagResponseErrorKey] as? Int == 0x0F)
    }

    @Test func `a client wraps an NSError by itself`() {
        let wrapped = NFCReaderError(_nsError: NSError(domain: NFCErrorDomain, code: 203))
        #expect(wrapped.code == .readerSessionInvalidationErrorSystemIsBusy)
    }

    @Test(arguments: CodeRow.all)
    func `an error that a client makes has the description of its code`(row: CodeRow) {
        #expect(NFCReaderError(row.code).localizedDescription == row.text)
        #expect((NFCReaderError(row.code) as any Error).localizedDescription == row.text)
    }

    @Test func `a description of the client's own stays`() {
        let error = NFCReaderError(.readerErrorIneligible, userInfo: [NSLocalizedDescriptionKey: "not here"])
        #expect(error.localizedDescription == "not here")
    }

    @Test func `errors are equal by domain, number and userInfo`() {
        #expect(NFCReaderError(.readerErrorRadioDisabled) == NFCReaderError(.readerErrorRadioDisabled))
        #expect(NFCReaderError(.readerErrorRadioDisabled) != NFCReaderError(.readerErrorIneligible))
        #expect(Set([NFCReaderError(.readerErrorIneligible), NFCReaderError(.readerErrorIneligible)]).count == 1)
        #expect(NFCReaderError(.readerErrorIneligible).hashValue == NFCReaderError(.readerErrorIneligible).hashValue)
    }
}
