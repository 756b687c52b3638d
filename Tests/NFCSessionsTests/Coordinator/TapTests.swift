import NFCReaders
import NFCTags
import Testing
import TestSupport

@testable import NFCSessions

/// What a session receives about tags.
@Suite(.timeLimit(.minutes(20))) struct `Tags in a session` {
    static let url = Fixtures.url

    @Test func `one tap is one detection and one leaving, with the reader and the tag`() async throws {
        try await Desk.open { desk in
            try await desk.begin()
            let arrival = desk.driver.tap(.url)
            #expect(await desk.client.receive() == ["active"])
            guard case .didDetectNDEFs(let tag, let reading) = await desk.client.next() else {
                Issue.record("no detection")
                return
            }
            #expect(tag.reader == Fixtures.desk)
            #expect(tag.identity?.identifier == hex("04A1B2C3D4E5F6"))
            #expect(tag.identity?.technology == .type2)
            #expect(reading.failure == nil)
            #expect(reading.status == .readWrite)
            #expect(reading.capacity == 142)
            desk.driver.report(.tagArrived(arrival))
            desk.driver.lift()
            #expect(await desk.client.receive() == ["tag-1 left"])
            #expect(desk.client.log() == ["active", "tag-1 \(Self.url)", "tag-1 left"])
            #expect(desk.driver.openConnections == 0)
        }
    }

    @Test func `a tag that is in the field as the session begins is detected`() async throws {
        try await Desk.open { desk in
            desk.driver.tap(.url)
            try await desk.begin()
            #expect(await desk.client.receive(2) == ["active", "tag-1 \(Self.url)"])
        }
    }

    @Test func `tap, remove, tap are two detections`() async throws {
        try await Desk.open { desk in
            try await desk.begin()
            desk.driver.tap(.url)
            #expect(await desk.client.receive(2) == ["active", "tag-1 \(Self.url)"])
            desk.driver.lift()
            desk.driver.tap(.url)
            #expect(await desk.client.receive(2) == ["tag-1 left", "tag-2 \(Self.url)"])
        }
    }

    @Test func `a tag that leaves while it is being read is reported, then its leaving`() async throws {
        try await Desk.open { desk in
            try await desk.begin()
            let gate = desk.driver.holdConnections()
            desk.driver.tap(.url)
            await gate.reached()
            desk.driver.lift()
            await desk.settle()
            #expect(desk.client.log() == ["active"])
            gate.open()
            #expect(await desk.client.receive(3) == ["active", "tag-1 \(Self.url)", "tag-1 left"])
        }
    }

    struct Failure: Sendable, CustomTestStringConvertible {
        let name: String
        let card: FakeCard
        let code: NFCErrorCode
        var isIdentified = true

        var testDescription: String { name }
    }

    static let failures: [Failure] = [
        Failure(name: "empty", card: .empty, code: .zeroLengthMessage),
        Failure(name: "unformatted", card: .unformatted, code: .unsupportedFeature),
        Failure(name: "torn", card: .torn, code: .tagResponseError),
        Failure(name: "no valid message", card: .nonsense, code: .tagResponseError),
        Failure(
            name: "gone before connecting", card: .url.refusing(.tagLost), code: .tagConnectionLost,
            isIdentified: false),
        Failure(
            name: "held by another program", card: .url.refusing(.busy), code: .systemIsBusy, isIdentified: false),
        Failure(
            name: "reader does not answer", card: .url.refusing(.timedOut), code: .tagResponseError,
            isIdentified: false),
        Failure(
            name: "reader is gone", card: .url.refusing(.readerFailed), code: .sessionTerminatedUnexpectedly,
            isIdentified: false),
        Failure(
            name: "gone while identified", card: .url.failing(at: 1, with: .tagLost), code: .tagConnectionLost,
            isIdentified: false),
        Failure(name: "gone while read", card: .url.failing(at: 2, with: .tagLost), code: .tagConnectionLost),
        Failure(
            name: "mute while read", card: .url.failing(at: 2, with: .transport(code: 5, message: "?")),
            code: .tagResponseError),
    ]

    @Test(arguments: failures) func `without a message are reported with the reason`(row: Failure) async throws {
        try await Desk.open { desk in
            try await desk.begin(SessionRequest(invalidateAfterFirstRead: true))
            desk.driver.tap(row.card)
            #expect(await desk.client.receive() == ["active"])
            guard case .didDetectNDEFs(let tag, let reading) = await desk.client.next() else {
                Issue.record("no detection")
                return
            }
            #expect(reading.messages.isEmpty)
            #expect(reading.failure?.code == row.code)
            #expect((tag.identity != nil) == row.isIdentified)
            #expect(desk.driver.openConnections == 0)
            desk.driver.lift()
            #expect(await desk.client.receive() == ["tag-1 left"])
        }
    }

    @Test func `end a session that wants one message only`() async throws {
        try await Desk.open { desk in
            try await desk.begin(SessionRequest(invalidateAfterFirstRead: true))
            desk.driver.tap(.url)
            #expect(await desk.client.receive(3) == ["active", "tag-1 \(Self.url)", "over 204"])
        }
    }

    @Test func `are read again when polling is restarted`() async throws {
        try await Desk.open { desk in
            let session = try await desk.begin()
            desk.driver.tap(.url)
            #expect(await desk.client.receive(2) == ["active", "tag-1 \(Self.url)"])
            desk.clock.advance(by: DetectionPace.interval)
            try await desk.coordinator.restartPolling(session, by: desk.client.id)
            #expect(await desk.client.receive() == ["tag-2 \(Self.url)"])
            desk.driver.lift()
            #expect(await desk.client.receive() == ["tag-2 left"])
        }
    }

    @Test func `are read one after the other, and what was read for an earlier polling is dropped`() async throws {
        try await Desk.open { desk in
            let session = try await desk.begin()
            let gate = desk.driver.holdConnections()
            desk.driver.tap(.url)
            await gate.reached()
            for _ in 1...3 {
                desk.clock.advance(by: DetectionPace.interval)
                try await desk.coordinator.restartPolling(session, by: desk.client.id)
            }
            // Room for a reading that would not wait for the one at the gate.
            for _ in 0..<100 { await Task.yield() }
            gate.open()
            #expect(await desk.client.receive(2) == ["active", "tag-1 \(Self.url)"])
            desk.driver.lift()
            #expect(await desk.client.receive() == ["tag-1 left"])
            #expect(desk.driver.mostConnections == 1)
        }
    }

    @Test func `are not read for a session that is over, but for the next one`() async throws {
        try await Desk.open { desk in
            let session = try await desk.begin()
            let gate = desk.driver.holdConnections()
            desk.driver.tap(.url)
            await gate.reached()
            try await desk.coordinator.invalidate(session, errorMessage: nil, by: desk.client.id)
            try await desk.begin(by: desk.other)
            gate.open()
            #expect(await desk.other.receive(2) == ["active", "tag-1 \(Self.url)"])
            #expect(desk.client.log() == ["active", "over 200"])
            #expect(desk.driver.mostConnections == 1)
        }
    }

    @Test func `on a reader unplugged while reading do not outlive it`() async throws {
        try await Desk.open { desk in
            try await desk.begin()
            let gate = desk.driver.holdConnections()
            desk.driver.tap(.url)
            await gate.reached()
            desk.driver.report(.detached(Fixtures.desk.id))
            #expect(await desk.client.receive(2) == ["active", "over 202"])
            gate.open()
            desk.driver.report(.attached(Fixtures.desk))
            desk.driver.tap(.empty)
            try await desk.begin(by: desk.other)
            #expect(await desk.other.receive(2) == ["active", "tag-1 failed 403"])
            #expect(desk.client.log() == ["active", "over 202"])
        }
    }

    @Test func `that are mute or on one of several readers that failed change nothing for a session`() async throws {
        try await Desk.open([Fixtures.desk, Fixtures.door]) { desk in
            try await desk.begin()
            desk.driver.report(.tagMute(Fixtures.desk.id), .failed(Fixtures.door.id, reason: "stuck"))
            desk.driver.tap(.url, on: Fixtures.door)
            desk.driver.tap(.url)
            #expect(await desk.client.receive(2) == ["active", "tag-1 \(Self.url)"])
            desk.driver.report(.recovered(Fixtures.door.id))
            #expect(await desk.client.receive() == ["tag-2 \(Self.url)"])
        }
    }
}

/// What nfcd determines about a reader and a tag before it hands the tag out.
@Suite(.timeLimit(.minutes(20))) struct `A reader with an unknown profile` {
    static let unknown = ReaderDescription(
        id: Fixtures.desk.id, name: Fixtures.desk.name, isProfileKnown: false)

    @Test(arguments: [SessionDetection.messages, .tags])
    func `is probed with the first Type 2 tag, once`(detection: SessionDetection) async throws {
        try await Desk.open([Self.unknown]) { desk in
            try await desk.begin(SessionRequest(detection: detection))
            desk.driver.tap(.url)
            #expect(await desk.client.receive(2).count == 2)
            desk.driver.lift()
            #expect(await desk.client.receive() == ["tag-1 left"])
            desk.driver.tap(.url)
            #expect(await desk.client.receive().count == 1)
            #expect(desk.driver.cached == ["desk generic"])
            #expect(await desk.coordinator.readers().first?.entry.description.isProfileKnown == true)
        }
    }

    @Test func `is not probed where its profile is known`() async throws {
        try await Desk.open { desk in
            try await desk.begin()
            desk.driver.tap(.url)
            #expect(await desk.client.receive(2) == ["active", "tag-1 \(Fixtures.url)"])
            #expect(desk.driver.cached == [])
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
            #expect(await desk.client.receive(2) == ["active", "tag-1 failed 100"])
            #expect(desk.driver.cached == [])
            desk.driver.lift()
            #expect(await desk.client.receive() == ["tag-1 left"])
            desk.driver.tap(.url)
            #expect(await desk.client.receive() == ["tag-2 \(Fixtures.url)"])
            #expect(desk.driver.cached == ["desk generic"])
        }
    }

    @Test func `stays unknown when the tag does not survive the reset`() async throws {
        var card = FakeCard.url
        card.reconnecting = .tagLost
        try await Desk.open([Self.unknown]) { [card] desk in
            try await desk.begin()
            desk.driver.tap(card)
            #expect(await desk.client.receive(2) == ["active", "tag-1 failed 100"])
            #expect(desk.driver.cached == [])
            #expect(desk.driver.openConnections == 0)
        }
    }
}

/// Light and sound at the reader, after the client was notified.
@Suite(.timeLimit(.minutes(20))) struct `A reader that gives feedback` {
    static let desk = ReaderDescription(
        id: Fixtures.desk.id, name: Fixtures.desk.name, profile: .acr1252u, givesFeedback: true)

    /// The next command to the reader itself.
    static func next(_ desk: Desk) async -> [UInt8]? {
        for await command in desk.driver.escapes { return command }
        return nil
    }

    static func command(_ kind: ReaderFeedback.Kind) -> [UInt8]? { ReaderProfile.acr1252u.feedback(kind)?.command }

    @Test(arguments: [(FakeCard.url, ReaderFeedback.Kind.success), (.empty, .failure)])
    func `shows how a reading ended`(card: FakeCard, kind: ReaderFeedback.Kind) async throws {
        try await Desk.open([Self.desk]) { desk in
            try await desk.begin()
            desk.driver.tap(card)
            #expect(await desk.client.receive(2).count == 2)
            #expect(await Self.next(desk) == Self.command(kind))
        }
    }

    @Test func `shows how a write ended when the tag is released`() async throws {
        try await Desk.open([Self.desk]) { desk in
            let session = try await desk.begin(SessionRequest(detection: .tags))
            desk.driver.tap(.url)
            #expect(await desk.client.receive(2).count == 2)
            let tag = TagID(rawValue: "tag-1")
            try await desk.coordinator.connect(tag, of: session, by: desk.client.id)
            let held = try await desk.coordinator.connectedTag(tag, of: session, by: desk.client.id)
            // The fake card takes no write.
            await #expect(throws: CommandFailure.self) {
                try await held.takePlace().run { tag throws(TagError) in
                    try await tag.writeNDEF([], verifying: false)
                }
            }
            try await desk.coordinator.invalidate(session, errorMessage: nil, by: desk.client.id)
            #expect(await Self.next(desk) == Self.command(.failure))
        }
    }
}
