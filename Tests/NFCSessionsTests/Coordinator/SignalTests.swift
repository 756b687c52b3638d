import NFCReaders
import NFCTags
import Testing

@testable import NFCSessions

/// Light and sound at the reader, after the client has heard.
@Suite(.timeLimit(.minutes(5))) struct `A reader that gives feedback` {
    static let desk = ReaderDescription(
        id: Fixtures.desk.id, name: Fixtures.desk.name, profile: .acr125x, givesFeedback: true)

    /// The next command to the reader itself.
    static func next(_ desk: Desk) async -> [UInt8]? {
        for await command in desk.driver.escapes { return command }
        return nil
    }

    static func command(_ kind: ReaderFeedback.Kind) -> [UInt8]? { ReaderProfile.acr125x.feedback(kind)?.command }

    @Test(arguments: [(FakeCard.url, ReaderFeedback.Kind.success), (.empty, .failure)])
    func `tells how a reading ended`(card: FakeCard, kind: ReaderFeedback.Kind) async throws {
        try await Desk.open([Self.desk]) { desk in
            try await desk.begin()
            desk.driver.tap(card)
            #expect(await desk.client.hear(2).count == 2)
            #expect(await Self.next(desk) == Self.command(kind))
        }
    }

    @Test func `tells how a write ended when the tag is let go of`() async throws {
        try await Desk.open([Self.desk]) { desk in
            let session = try await desk.begin(SessionRequest(detection: .tags))
            desk.driver.tap(.url)
            #expect(await desk.client.hear(2).count == 2)
            let tag = TagID(rawValue: "tag-1")
            try await desk.coordinator.connect(tag, of: session, by: desk.client.id)
            let held = try await desk.coordinator.connectedTag(tag, of: session, by: desk.client.id)
            // The fake card takes no write.
            await #expect(throws: TagError.self) { try await held.writeNDEF([], verifying: false) }
            try await desk.coordinator.invalidate(session, errorMessage: nil, by: desk.client.id)
            #expect(await Self.next(desk) == Self.command(.failure))
        }
    }
}
