@testable import CoreNFC
import Testing

@Suite struct DaemonErrorTests {
    @Test(arguments: CodeRow.all)
    func `an error of the daemon has the description of its code, and the cause as its reason`(row: CodeRow) {
        let error = NFCReaderError(code: row.number, message: "short", detail: "the cause")
        #expect(error.code == row.code)
        #expect(error.localizedDescription == row.text)
        #expect((error as any Error).localizedDescription == row.text)
        #expect((error as NSError).localizedFailureReason == "the cause")
    }

    @Test func `without a detail the message is the reason`() {
        let error = NFCReaderError(code: 203, message: "reader 1 is in use")
        #expect((error as NSError).localizedFailureReason == "reader 1 is in use")
    }

    @Test func `a code alone has a description and no reason`() {
        let error = NFCReaderError(.readerErrorRadioDisabled, reason: nil)
        #expect(error.localizedDescription == "NFC radio is disabled")
        #expect((error as NSError).localizedFailureReason == nil)
    }

    @Test(arguments: [
        (-32601, NFCReaderError.Code.readerErrorUnsupportedFeature), (-32602, .readerErrorInvalidParameter),
        (-32603, .readerSessionInvalidationErrorSessionTerminatedUnexpectedly),
        (999, .readerSessionInvalidationErrorSessionTerminatedUnexpectedly),
        (Int.min, .readerSessionInvalidationErrorSessionTerminatedUnexpectedly),
    ])
    func `a number that is no code becomes one, and is kept beneath`(number: Int, code: NFCReaderError.Code) throws {
        let error = NFCReaderError(code: number, message: "words", detail: "more")
        #expect(error.code == code)
        let beneath = try #require(error.errorUserInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(beneath.domain == "nfcd")
        #expect(beneath.code == number)
        #expect(beneath.localizedDescription == "words: more")
    }

    @Test func `entries of the userInfo are kept`() {
        let userInfo = [NFCISO15693TagResponseErrorKey: 0x10]
        let error = NFCReaderError(.readerTransceiveErrorTagResponseError, reason: "x", userInfo: userInfo)
        #expect(error.errorUserInfo[NFCISO15693TagResponseErrorKey] as? Int == 0x10)
    }
}
