import NFCReaders
import NFCTags
import Synchronization
import Testing

@testable import NFCSessions

@Suite(.timeLimit(.minutes(5))) struct `A command's time limit` {
    /// Answers every command with 9000, unless it was limited: then its time is over. Keeps what was asked of it.
    private final class SlowConnection: CardConnection {
        let answerToReset: [UInt8] = []
        let limits = Mutex<[Duration]>([])

        func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] { [0x90, 0x00] }
        func reconnect() async throws(CardChannelError) {}
        func close() async {}

        func limited(to limit: Duration) -> any CardConnection {
            limits.withLock { $0.append(limit) }
            return Late()
        }
    }

    private struct Late: CardConnection {
        let answerToReset: [UInt8] = []
        func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] { throw .timedOut }
        func reconnect() async throws(CardChannelError) { throw .timedOut }
        func limited(to limit: Duration) -> any CardConnection { self }
        func close() async {}
    }

    private func tag(_ connection: SlowConnection) -> HeldTag {
        HeldTag(
            TagContact(
                identity: TagIdentity(technology: .iso14443Part4(.a), identifier: [], atr: []), connection: connection,
                profile: .generic))
    }

    @Test func `reaches the connection, ends the command with 102 and everything behind it with 100`() async throws {
        let connection = SlowConnection()
        let tag = tag(connection)
        _ = try await tag.sendCommand([0, 0xA4, 0, 0])
        let (late, waiting) = (tag.takePlace(within: .milliseconds(2_500)), tag.takePlace())
        await #expect(throws: CommandFailure.failed(TagError(.tagResponseError, "timed out after 2.5 s"))) {
            try await late.run { tag throws(TagError) in try await tag.sendCommand([0, 0xA4, 0, 0]).data }
        }
        #expect(connection.limits.withLock { $0 } == [.milliseconds(2_500)])
        await #expect(throws: CommandFailure.self) { try await waiting.run { _ throws(TagError) in } }
        #expect(await failure { _ = try await tag.sendCommand([0]) }?.code == .tagConnectionLost)
    }
}
