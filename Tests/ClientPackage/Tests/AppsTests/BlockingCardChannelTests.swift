import CoreNFCTesting
import Foundation
import Testing

@Suite struct BlockingCardChannelTests {
    @Test func `a channel over a semaphore gets every answer`() async throws {
        let card = try TestTag.card(
            aid: "A0000002471001", script: ["00B0000004": "01020304 9000", "0084000008": "1122334455667788 9000"])
        try await withVirtualTag(card) { _ in
            let answers = try await blocking {
                let channel = BlockingCardChannel()
                defer { channel.close() }
                let application = try channel.open("A0000002471001")
                return [
                    Array(application.utf8), try channel.transmit([0x00, 0xB0, 0x00, 0x00, 0x04]),
                    try channel.transmit([0x00, 0x84, 0x00, 0x00, 0x08]),
                ]
            }
            #expect(answers[0] == Array("A0000002471001".utf8))
            #expect(answers[1] == [1, 2, 3, 4, 0x90, 0])
            #expect(answers[2].suffix(2) == [0x90, 0])
        }
    }

    @Test func `a session that ends wakes the thread that waits for a card`() async throws {
        try await withVirtualReaders { _ in
            let opening = Task { try await blocking { try BlockingCardChannel().open("A0000002471001") } }
            try await SystemSheet.appears()
            try await SystemSheet.cancel()
            await #expect(throws: NFCReaderError.self) { try await opening.value }
        }
    }
}

/// Runs a function that blocks on a thread where it may.
func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
    }
}
