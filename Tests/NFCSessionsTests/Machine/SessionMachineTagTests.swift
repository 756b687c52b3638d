import NFCReaders
import NFCTags
import Testing

@testable import NFCSessions

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
            name: "tags of one look are told of together", request: tags,
            steps: [
                begin, look, Step(.find(door1, polling: 0)),
                Step(.find(desk1, polling: 0), "tag-2 found tag-1 found"),
            ]),
        Story(
            name: "tags of two looks are told of each for itself", request: tags,
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
            name: "one that left before the other was known is told of, then its leaving", request: tags,
            steps: [
                begin, look, Step(.find(door1, polling: 0)), Step(.leave(Fixtures.door.id)),
                Step(.find(desk1, polling: 0), "tag-2 found tag-1 found", "let go of door", "tag-1 left"),
            ]),
        Story(
            name: "one that is ignored comes again", request: tags,
            steps: [
                begin, Step(.arrive(desk1), "connect desk 1 for 0"), Step(.ignore(desk1, polling: 0)),
                Step(.arrive(desk1)), Step(.leave(Fixtures.desk.id)), Step(.arrive(desk1), "connect desk 1 for 0"),
            ]),
        Story(
            name: "what was found for an earlier polling is let go of", request: tags,
            steps: [
                begin, look, Step(.find(door1, polling: 0)), Step(.restart([]), "let go of door"),
                Step(.find(desk1, polling: 0), "let go of desk"),
            ]),
        Story(
            name: "the end lets go of everything", request: tags,
            steps: [
                begin, look, Step(.find(door1, polling: 0)),
                Step(.invalidate(.userCanceled), "let go of door", "end", "over 200"),
                Step(.find(desk1, polling: 0), "let go of desk"),
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

    @Test(arguments: stories) func `tells of tags, failures and leavings`(story: Story) { story.play() }

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
