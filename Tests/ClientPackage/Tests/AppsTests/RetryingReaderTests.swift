import CoreNFCTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(20)))
struct RetryingReaderTests {
    /// A tag that is not selected does not answer what is meant for the selected one.
    private let selected: NFCISO15693RequestFlag = [.highDataRate, .select]

    @Test func `a tag that is silent at first is found again and read`() async throws {
        try await withVirtualTag(.slix()) { _ in
            let read = try await RetryingReader(flags: [selected, selected, .highDataRate]).read()
            #expect(read.failures == [100, 100])
            #expect(read.blocks.count == 4)
        }
    }

    @Test func `a tag that is torn away is read when it comes back`() async throws {
        try await withVirtualReaders { readers in
            let reading = Task { try await RetryingReader(flags: [.highDataRate, .highDataRate]).read() }
            try await SystemSheet.appears()
            try readers[0].present(.slix().tornAway(atExchange: 4))
            try await SystemSheet.waitUntil { $0 == "Attempt 2" }
            readers[0].remove()
            try readers[0].present(.slix())
            let read = try await reading.value
            #expect(read.failures == [100] && read.blocks.count == 4)
        }
    }

    @Test func `a tag that stays silent is 100 after the last attempt`() async throws {
        try await withVirtualTag(.slix()) { _ in
            let error = await #expect(throws: NFCReaderError.self) {
                _ = try await RetryingReader(flags: [selected, selected]).read()
            }
            #expect(error?.code == .readerTransceiveErrorTagConnectionLost)
        }
    }
}
