import NFCProtocol
import Testing

@testable import CoreNFC

@Suite struct DaemonErrorTests {
    @Test(arguments: CodeRow.all)
    func `an error of the daemon has the description of its code, and the cause as its reason`(row: CodeRow) {
        let error = NFCReaderError(code: row.number, message: "short", detail: "the cause")
        #expect(error.code == row.code)
        #expect(error.localizedDescription == row.text)
        #expect((error as any Error).localizedDescription == row.text)
        #expect((error as NSError).localizedFailureReason == "the cause")
        let beneath = error.errorUserInfo[NSUnderlyingErrorKey] as? NSError
        #expect(beneath?.domain == "nfcd" && beneath?.code == row.number)
        #expect(beneath?.localizedDescription == "the cause")
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

    @Test func `an error that is printed shows its text, then the cause, then its number`() {
        let error = NFCReaderError(code: 203, message: "short", detail: "held by uid 7")
        let words = "System resource unavailable: held by uid 7 (NFCError 203)"
        #expect("\(error)" == words)
        #expect("\(error as any Error)" == words)
        #expect(String(reflecting: error) == words)
        #expect("\(NFCReaderError(.readerErrorRadioDisabled))" == "NFC radio is disabled (NFCError 6)")
        let foreign = NFCReaderError(.readerErrorRadioDisabled, userInfo: [NSLocalizedDescriptionKey: "switched off"])
        #expect("\(foreign)" == "switched off (NFCError 6)")
    }

    @Test(arguments: [
        (-32601, NFCReaderError.Code.readerErrorUnsupportedFeature), (-32602, .readerErrorInvalidParameter),
        (-32603, .readerSessionInvalidationErrorSessionTerminatedUnexpectedly),
        (999, .readerSessionInvalidationErrorSessionTerminatedUnexpectedly),
        (Int.min, .readerSessionInvalidationErrorSessionTerminatedUnexpectedly),
    ])
    func `a number that is not a code becomes one, and is kept beneath`(number: Int, code: NFCReaderError.Code) throws {
        let error = NFCReaderError(code: number, message: "words", detail: "more")
        #expect(error.code == code)
        let beneath = try #require(error.errorUserInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(beneath.domain == "nfcd")
        #expect(beneath.code == number)
        #expect(beneath.localizedDescription == "words: more")
    }

    @Test(
        arguments: [
            (102, nil, nil, 100), (102, "6401", "6401", 100), (102, "6401", nil, 100),
            (102, "C00301640190 00", "6401", 100),
            (102, "6A81", "6A81", 102), (102, "0100", nil, 102), (102, "", nil, 102), (104, nil, nil, nil),
            (1, nil, nil, nil),
        ] as [(Int, String?, String?, Int?)])
    func `an ISO 15693 tag without an answer is 100, any answer is 102`(
        code: Int, response: String?, status: String?, result: Int?
    ) {
        let refusal = RPCError(
            code: code, message: "short",
            data: RPCError.Details(
                detail: "the cause", response: response.flatMap { HexBytes($0.filter { $0 != " " }) },
                statusWord: status.flatMap { HexBytes($0) }))
        let silence = TagSilence(refusal)
        #expect((silence != nil) == (result == 100))
        guard let silence else { return }
        let error = NFCReaderError(command: silence)
        #expect(error.errorCode == 100 && error.localizedDescription == "Tag connection lost")
        #expect((error as NSError).localizedFailureReason == "the cause")
    }

    @Test func `entries of the userInfo are kept`() {
        let userInfo = [NFCISO15693TagResponseErrorKey: 0x10]
        let error = NFCReaderError(.readerTransceiveErrorTagResponseError, reason: "x", userInfo: userInfo)
        #expect(error.errorUserInfo[NFCISO15693TagResponseErrorKey] as? Int == 0x10)
    }
}

@Suite struct CompletionTests {
    @Test func `a value and an error are handed on`() async throws {
        #expect(try await awaiting { $0(7, nil) } == 7)
        await #expect(throws: NFCReaderError(.readerErrorRadioDisabled)) {
            try await awaiting { $0(7, NFCReaderError(.readerErrorRadioDisabled)) }
        }
    }

    @Test func `a second call of the handler is ignored`() async throws {
        let value = try await awaiting { handler in
            handler(1, nil)
            handler(2, nil)
            handler(3, NFCReaderError(.readerErrorRadioDisabled))
        }
        #expect(value == 1)
    }

    @Test func `a handler that is released without a call ends the wait`() async {
        await #expect(throws: NFCReaderError(.readerTransceiveErrorSessionInvalidated)) {
            try await awaiting { (_: @escaping @Sendable (Int, (any Error)?) -> Void) in }
        }
    }

    @Test func `a handler may be called from another queue`() async throws {
        let value = try await awaiting { handler in
            DispatchQueue(label: "tag").async { handler("later", nil) }
        }
        #expect(value == "later")
    }
}
