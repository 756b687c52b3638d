import NFCReaders
import NFCTags
import Testing

@testable import NFCSessions

/// What nfcd finds out about a reader and a tag before it hands the tag out.
@Suite(.timeLimit(.minutes(5))) struct `A reader nobody knows` {
    static let unknown = ReaderDescription(
        id: Fixtures.desk.id, name: Fixtures.desk.name, isProfileKnown: false)

    @Test(arguments: [SessionRequest.Detection.messages, .tags])
    func `is probed with the first Type 2 tag, once`(detection: SessionRequest.Detection) async throws {
        try await Desk.open([Self.unknown]) { desk in
            try await desk.begin(SessionRequest(detection: detection))
            desk.driver.tap(.url)
            #expect(await desk.client.hear(2).count == 2)
            desk.driver.lift()
            #expect(await desk.client.hear() == ["tag-1 left"])
            desk.driver.tap(.url)
            #expect(await desk.client.hear().count == 1)
            #expect(desk.driver.learned == ["desk generic"])
            #expect(await desk.coordinator.readers().first?.entry.description.isProfileKnown == true)
        }
    }

    @Test func `is not probed where its profile is known`() async throws {
        try await Desk.open { desk in
            try await desk.begin()
            desk.driver.tap(.url)
            #expect(await desk.client.hear(2) == ["active", "tag-1 \(Fixtures.url)"])
            #expect(desk.driver.learned == [])
        }
    }

    /// The commands: identifier, firmware name, transparent session begun and ended, GET_VERSION; then, after a reset, the
    /// identifier.
    @Test(arguments: 1...6)
    func `is asked again next time when the tag leaves meanwhile`(exchange: Int) async throws {
        try await Desk.open([Self.unknown]) { desk in
            try await desk.begin()
            var leaving = FakeCard.url
            for number in exchange...20 { leaving.failures[number] = .tagLost }
            desk.driver.tap(leaving)
            #expect(await desk.client.hear(2) == ["active", "tag-1 failed 100"])
            #expect(desk.driver.learned == [])
            desk.driver.lift()
            #expect(await desk.client.hear() == ["tag-1 left"])
            desk.driver.tap(.url)
            #expect(await desk.client.hear() == ["tag-2 \(Fixtures.url)"])
            #expect(desk.driver.learned == ["desk generic"])
        }
    }

    @Test func `stays unknown when the tag does not survive the reset`() async throws {
        var card = FakeCard.url
        card.reconnecting = .tagLost
        try await Desk.open([Self.unknown]) { [card] desk in
            try await desk.begin()
            desk.driver.tap(card)
            #expect(await desk.client.hear(2) == ["active", "tag-1 failed 100"])
            #expect(desk.driver.learned == [])
            #expect(desk.driver.openConnections == 0)
        }
    }
}
