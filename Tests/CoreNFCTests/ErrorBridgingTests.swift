import CoreNFC
import Testing

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
