import CoreNFCTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(20)))
struct TextComparingReaderTests {
    @Test func `a tag without a message is known by its text`() async throws {
        try await withVirtualTag(.ntag213()) { _ in
            let finding = await TextComparingReader().scan()
            #expect(finding == .empty)
        }
    }

    @Test func `a block that the tag refuses shows the tag's own error`() async throws {
        try await withVirtualTag(.slix()) { _ in
            let finding = await TextComparingReader().scan()
            #expect(finding == .refused(0x0F) || finding == .refused(0x10))
        }
    }

    @Test func `the ends of a session are known by their texts`() async throws {
        try await withVirtualReaders { _ in
            let first = Task { await TextComparingReader().scan() }
            try await SystemSheet.appears()
            try await SystemSheet.cancel()
            #expect(await first.value == .cancelled)
            let second = Task { await TextComparingReader().scan() }
            try await SystemSheet.appears()
            try await SystemSheet.timeOut()
            #expect(await second.value == .timedOut)
        }
    }
}
