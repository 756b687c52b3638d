import NFCReaders
import NFCTags
import Testing

@testable import NFCSessions

/// What a session does with each event, in tables of event and actions.
@Suite struct `A session machine` {
    struct Story: Sendable, CustomTestStringConvertible {
        let name: String
        var request = SessionRequest()
        let steps: [Step]

        var testDescription: String { name }
    }

    struct Step: Sendable {
        let event: MachineEvent
        let actions: [String]

        init(_ event: MachineEvent, _ actions: String...) {
            self.event = event
            self.actions = actions
        }
    }

    static let desk1 = Fixtures.arrival(Fixtures.desk, 1)
    static let desk2 = Fixtures.arrival(Fixtures.desk, 2)
    static let door1 = Fixtures.arrival(Fixtures.door, 1)
    static let begin = Step(.begin(.clear), "activate", "active")
    static let queued = SessionRequest(whenBusy: .queue)
    static let patient = SessionRequest(waitForReader: true)

    static let beginnings: [Story] = [
        Story(name: "readers are free", steps: [begin]),
        Story(name: "busy", steps: [Step(.begin(.busy("held")), "end", "over 203")]),
        Story(name: "no reader", steps: [Step(.begin(.noReader("none")), "end", "over 1")]),
        Story(name: "failed readers", steps: [Step(.begin(.readersFailed("desk failed")), "end", "over 1")]),
        Story(name: "no service", steps: [Step(.begin(.serviceUnavailable("dead")), "end", "over 6")]),
        Story(
            name: "queued while busy", request: queued,
            steps: [Step(.begin(.busy("one"))), Step(.begin(.busy("another"))), begin]),
        Story(
            name: "queued, then the reader is gone", request: queued,
            steps: [Step(.begin(.busy("one"))), Step(.begin(.noReader("none")), "end", "over 1")]),
        Story(
            name: "queued, then the service is gone", request: queued,
            steps: [Step(.begin(.busy("one"))), Step(.begin(.serviceUnavailable("dead")), "end", "over 6")]),
        Story(
            name: "waits for a reader", request: patient,
            steps: [Step(.begin(.serviceUnavailable("dead"))), Step(.begin(.noReader("none"))), begin]),
        Story(
            name: "waits for a reader that another session holds", request: patient,
            steps: [Step(.begin(.noReader("none"))), Step(.begin(.busy("held")), "end", "over 203")]),
        Story(name: "begins twice", steps: [begin, Step(.begin(.clear)), Step(.begin(.busy("itself")))]),
        Story(
            name: "begins after its end",
            steps: [begin, Step(.invalidate(.userCanceled), "end", "over 200"), Step(.begin(.clear))]),
    ]

    static let ends: [Story] = [
        NFCErrorCode.userCanceled, .sessionTimeout, .sessionTerminatedUnexpectedly,
    ].flatMap { code in
        let end = Step(.invalidate(code), "end", "over \(code.rawValue)")
        return [
            Story(name: "\(code.name) before its begin", steps: [end, Step(.begin(.clear))]),
            Story(
                name: "\(code.name) while waiting", request: queued,
                steps: [Step(.begin(.busy("one"))), end, Step(.begin(.clear))]),
            Story(
                name: "\(code.name) while active", steps: [begin, end, Step(.invalidate(code)), Step(.arrive(desk1))]),
        ]
    }

    static let taps: [Story] = [
        Story(
            name: "tap, read, remove",
            steps: [
                begin, Step(.arrive(desk1), "read desk 1 for 0"),
                Step(.read(desk1, polling: 0, Fixtures.read), "tag-1 read"),
                Step(.leave(Fixtures.desk.id), "tag-1 left"),
            ]),
        Story(
            name: "the same tag stays",
            steps: [
                begin, Step(.arrive(desk1), "read desk 1 for 0"), Step(.arrive(desk1)),
                Step(.read(desk1, polling: 0, Fixtures.read), "tag-1 read"), Step(.arrive(desk1)),
                Step(.read(desk1, polling: 0, Fixtures.read)), Step(.leave(Fixtures.desk.id), "tag-1 left"),
                Step(.leave(Fixtures.desk.id)),
            ]),
        Story(
            name: "tap, remove, tap",
            steps: [
                begin, Step(.arrive(desk1), "read desk 1 for 0"),
                Step(.read(desk1, polling: 0, Fixtures.read), "tag-1 read"),
                Step(.leave(Fixtures.desk.id), "tag-1 left"),
                Step(.arrive(desk2), "read desk 2 for 0"), Step(.read(desk2, polling: 0, Fixtures.read), "tag-2 read"),
            ]),
        Story(
            name: "left while being read",
            steps: [
                begin, Step(.arrive(desk1), "read desk 1 for 0"), Step(.leave(Fixtures.desk.id)),
                Step(.read(desk1, polling: 0, Fixtures.empty), "tag-1 failed 403", "tag-1 left"),
                Step(.leave(Fixtures.desk.id)),
            ]),
        Story(
            name: "left and came back while being read",
            steps: [
                begin, Step(.arrive(desk1), "read desk 1 for 0"), Step(.leave(Fixtures.desk.id)),
                Step(.arrive(desk2), "read desk 2 for 0"),
                Step(.read(desk1, polling: 0, Fixtures.read), "tag-1 read", "tag-1 left"),
                Step(.read(desk2, polling: 0, Fixtures.read), "tag-2 read"),
                Step(.leave(Fixtures.desk.id), "tag-2 left"),
            ]),
        Story(
            name: "two readers",
            steps: [
                begin, Step(.arrive(desk1), "read desk 1 for 0"), Step(.arrive(door1), "read door 1 for 0"),
                Step(.read(door1, polling: 0, Fixtures.read), "tag-1 read"), Step(.leave(Fixtures.desk.id)),
                Step(.leave(Fixtures.door.id), "tag-1 left"),
                Step(.read(desk1, polling: 0, Fixtures.read), "tag-2 read", "tag-2 left"),
            ]),
        Story(
            name: "nothing is detected before the session is active", request: queued,
            steps: [
                Step(.arrive(desk1)), Step(.begin(.busy("one"))), Step(.arrive(desk1)), Step(.leave(Fixtures.desk.id)),
                Step(.restart([desk1])), begin,
            ]),
        Story(
            name: "a reading that was not asked for", steps: [begin, Step(.read(desk1, polling: 0, Fixtures.read))]),
    ]

    static let firstReads: [Story] = [
        Story(
            name: "the first message ends it", request: SessionRequest(invalidateAfterFirstRead: true),
            steps: [
                begin, Step(.arrive(desk1), "read desk 1 for 0"),
                Step(.read(desk1, polling: 0, Fixtures.read), "tag-1 read", "end", "over 204"),
                Step(.leave(Fixtures.desk.id)), Step(.arrive(desk2)),
            ]),
        Story(
            name: "a tag without a message does not end it", request: SessionRequest(invalidateAfterFirstRead: true),
            steps: [
                begin, Step(.arrive(desk1), "read desk 1 for 0"),
                Step(.read(desk1, polling: 0, Fixtures.empty), "tag-1 failed 403"),
                Step(.leave(Fixtures.desk.id), "tag-1 left"), Step(.arrive(desk2), "read desk 2 for 0"),
                Step(.read(desk2, polling: 0, Fixtures.read), "tag-2 read", "end", "over 204"),
            ]),
        Story(
            name: "a tag that has left still ends it", request: SessionRequest(invalidateAfterFirstRead: true),
            steps: [
                begin, Step(.arrive(desk1), "read desk 1 for 0"), Step(.leave(Fixtures.desk.id)),
                Step(.read(desk1, polling: 0, Fixtures.read), "tag-1 read", "end", "over 204"),
            ]),
    ]

    static let restarts: [Story] = [
        Story(
            name: "a tag in the field is detected again",
            steps: [
                begin, Step(.arrive(desk1), "read desk 1 for 0"),
                Step(.read(desk1, polling: 0, Fixtures.read), "tag-1 read"),
                Step(.restart([desk1]), "read desk 1 for 1"),
                Step(.read(desk1, polling: 1, Fixtures.read), "tag-2 read"),
                Step(.leave(Fixtures.desk.id), "tag-2 left"),
            ]),
        Story(
            name: "a reading from before is of no interest",
            steps: [
                begin, Step(.arrive(desk1), "read desk 1 for 0"), Step(.restart([desk1]), "read desk 1 for 1"),
                Step(.read(desk1, polling: 0, Fixtures.read)),
                Step(.read(desk1, polling: 1, Fixtures.read), "tag-1 read"),
            ]),
        Story(
            name: "tags on two readers",
            steps: [begin, Step(.restart([desk1, door1]), "read desk 1 for 1", "read door 1 for 1")]),
        Story(
            name: "a tag that is gone is forgotten without a word",
            steps: [
                begin, Step(.arrive(desk1), "read desk 1 for 0"),
                Step(.read(desk1, polling: 0, Fixtures.read), "tag-1 read"), Step(.restart([])),
                Step(.leave(Fixtures.desk.id)), Step(.arrive(desk2), "read desk 2 for 1"),
            ]),
    ]

    @Test(arguments: beginnings) func `becomes active, waits or ends as it begins`(story: Story) { story.play() }
    @Test(arguments: ends) func `ends once, whatever it was doing`(story: Story) { story.play() }
    @Test(arguments: taps) func `reports each arrival once and its leaving once`(story: Story) { story.play() }
    @Test(arguments: firstReads) func `ends with 204 after the first message, if asked to`(story: Story) {
        story.play()
    }
    @Test(arguments: restarts) func `detects tags again when polling is restarted`(story: Story) { story.play() }

    @Test func `keeps the reason of its end`() {
        var machine = SessionMachine(request: SessionRequest())
        let busy = machine.begin(.busy("held by uid 7"))
        #expect(busy.last == .notify(.didInvalidate(Invalidation(.systemIsBusy, "held by uid 7"))))
    }
}

/// What a session that is given tags does with each event.
@Suite struct `A session machine that is given tags` {
    typealias Story = `A session machine`.Story
    typealias Step = `A session machine`.Step

    static let tags = SessionRequest(kind: .tag)
    static let (desk1, door1) = (Fixtures.arrival(Fixtures.desk, 1), Fixtures.arrival(Fixtures.door, 1))
    static let begin = Step(.begin(.clear), "activate", "active")
    static let look = Step(.look([desk1, door1]), "connect desk 1 for 0", "connect door 1 for 0")
    static let (one, two) = (TagID(rawValue: "tag-1"), TagID(rawValue: "tag-2"))

    static let stories: [Story] = [
        Story(
            name: "tags of one batch are reported together", request: tags,
            steps: [
                begin, look, Step(.find(door1, polling: 0)),
                Step(.find(desk1, polling: 0), "tag-2 found tag-1 found"),
            ]),
        Story(
            name: "tags of two batches are reported separately", request: tags,
            steps: [
                begin, Step(.arrive(desk1), "connect desk 1 for 0"), Step(.arrive(door1), "connect door 1 for 0"),
                Step(.find(door1, polling: 0), "tag-1 found"), Step(.find(desk1, polling: 0), "tag-2 found"),
            ]),
        Story(
            name: "one that fails does not keep the other", request: tags,
            steps: [
                begin, look, Step(.find(door1, polling: 0)),
                Step(.fail(desk1, polling: 0), "desk failed 100", "tag-1 found"),
            ]),
        Story(
            name: "one that is ignored does not keep the other", request: tags,
            steps: [
                begin, look, Step(.ignore(desk1, polling: 0)), Step(.find(door1, polling: 0), "tag-1 found"),
                Step(.leave(Fixtures.desk.id)),
            ]),
        Story(
            name: "one that left before the other was known is reported, then its removal", request: tags,
            steps: [
                begin, look, Step(.find(door1, polling: 0)), Step(.leave(Fixtures.door.id)),
                Step(.find(desk1, polling: 0), "tag-2 found tag-1 found", "release door", "tag-1 left"),
            ]),
        Story(
            name: "one that is ignored comes again", request: tags,
            steps: [
                begin, Step(.arrive(desk1), "connect desk 1 for 0"), Step(.ignore(desk1, polling: 0)),
                Step(.arrive(desk1)), Step(.leave(Fixtures.desk.id)), Step(.arrive(desk1), "connect desk 1 for 0"),
            ]),
        Story(
            name: "what was found for an earlier polling is released", request: tags,
            steps: [
                begin, look, Step(.find(door1, polling: 0)), Step(.restart([]), "release door"),
                Step(.find(desk1, polling: 0), "release desk"),
            ]),
        Story(
            name: "the end releases every tag", request: tags,
            steps: [
                begin, look, Step(.find(door1, polling: 0)),
                Step(.invalidate(.userCanceled), "release door", "end", "over 200"),
                Step(.find(desk1, polling: 0), "release desk"),
            ]),
        Story(
            name: "a wait that is too long ends with what it waited for",
            request: SessionRequest(kind: .tag, whenBusy: .queue, waitForReader: true),
            steps: [
                Step(.begin(.busy("one"))), Step(.begin(.noReader("none"))), Step(.waitedTooLong, "end", "over 1"),
                Step(.waitedTooLong),
            ]),
        Story(name: "one that is active does not wait", steps: [begin, Step(.waitedTooLong)]),
    ]

    @Test(arguments: stories) func `reports tags, failures and removals`(story: Story) { story.play() }

    private static func machine(_ events: MachineEvent...) -> SessionMachine {
        var machine = SessionMachine(request: tags)
        for event in [.begin(.clear)] + events { _ = event.apply(to: &machine) }
        return machine
    }

    @Test func `a card that is the only tag is connected to by its first command`() {
        var machine = Self.machine(.arrive(Self.door1), .find(Self.door1, polling: 0))
        #expect(machine.command(Self.one) == .run(Fixtures.held(Self.door1)))
        #expect(machine.connected == Self.one)
    }

    @Test func `another kind of tag is not, nor a card beside another tag`() {
        var alone = Self.machine(.arrive(Self.desk1), .find(Self.desk1, polling: 0))
        #expect(alone.command(Self.one) == .refuse(.tagNotConnected))
        var beside = Self.machine(
            .arrive(Self.door1), .find(Self.door1, polling: 0), .arrive(Self.desk1), .find(Self.desk1, polling: 0))
        #expect(beside.command(Self.one) == .refuse(.tagNotConnected))
        #expect(beside.connect(Self.two) == nil)
        #expect(beside.command(Self.one) == .refuse(.tagNotConnected))
    }

    @Test func `a restart looks for something else once`() {
        var machine = Self.machine()
        _ = machine.restartPolling(
            present: [], PollingChange(technologies: [.iso15693], selectIdentifiers: [], systemCodes: [0x12FC]))
        #expect(
            machine.options
                == PollingOptions(technologies: [.iso15693], selectIdentifiers: [], systemCodes: [0x12FC]))
        _ = machine.restartPolling(present: [], PollingChange())
        #expect(machine.options == PollingOptions())
    }
}

extension `A session machine`.Story {
    /// Plays the steps and compares the actions of each.
    func play() {
        var machine = SessionMachine(request: request)
        for (number, step) in steps.enumerated() {
            let actions = step.event.apply(to: &machine).map(\.words)
            #expect(actions == step.actions, "step \(number): \(step.event)")
        }
    }
}
