@testable import CoreNFC
import Testing

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

    @Test func `a handler that is let go without a call ends the wait`() async {
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
