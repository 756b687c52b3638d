import NFCReaders
import NFCTags
import TestSupport
import Testing

@testable import NFCSessions

/// A tag that makes its reading last, such as one that answers a byte at a time.
@Suite(.timeLimit(.minutes(20))) struct `A reading that does not end` {
    @Test(arguments: [SessionKind.ndef, .tag]) func `ends with its session`(kind: SessionKind) async throws {
        try await Desk.open { desk in
            let session = try await desk.begin(SessionRequest(kind: kind))
            let interest = await desk.coordinator.interest(of: session)
            #expect(!interest.isOver)
            try await desk.coordinator.invalidate(session, errorMessage: nil, by: desk.client.id)
            #expect(interest.isOver)
            // A reading that begins now is not wanted at all.
            #expect(await desk.coordinator.interest(of: session).isOver)
        }
    }

    @Test func `sends nothing more once its command is stopped`() async throws {
        let connection = CommandConnection(FakeConnection(.url) {})
        try await connection.begin(within: nil)
        connection.stop(after: .seconds(60))
        #expect(try await connection.transmit(hex("FFB0000410")).count == 18)
        connection.stop(after: .zero)
        await #expect(throws: CardChannelError.tagLost) { try await connection.transmit(hex("FFB0000410")) }
        // A later stop allows no more than an earlier one.
        connection.stop(after: .seconds(60))
        await #expect(throws: CardChannelError.tagLost) { try await connection.transmit(hex("FFB0000410")) }
    }
}
