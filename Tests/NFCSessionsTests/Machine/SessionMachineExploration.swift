import NFCReaders
import NFCTags
import Testing

@testable import NFCSessions

/// Every sequence of events up to a length, whether it makes sense or not.
@Suite struct `Every sequence of events` {
    /// A machine and what it has told so far; equal ones have the same future.
    private struct Node: Hashable {
        var machine: SessionMachine
        var ledger = MachineLedger()
    }

    static let depth = 7

    /// What can happen; readings for sessions that are given messages, findings for those that are given tags.
    static func alphabet(_ detection: SessionRequest.Detection) -> [MachineEvent] {
        let tags = [
            Fixtures.arrival(Fixtures.desk, 1), Fixtures.arrival(Fixtures.desk, 2), Fixtures.arrival(Fixtures.door, 1),
        ]
        let standings: [SessionMachine.Standing] = [.clear, .busy(""), .noReader(""), .serviceUnavailable("")]
        let endings = tags.flatMap { tag in [0, 1].flatMap { polling in Self.answers(detection, tag, polling) } }
        let commands = ["tag-1", "tag-2"].map { TagID(rawValue: $0) }
        return standings.map { .begin($0) } + [.waitedTooLong, .look([tags[0], tags[2]])] + tags.map { .arrive($0) }
            + endings + (detection == .tags ? commands.flatMap { [.connect($0), .command($0)] } : []) + [
                .leave(Fixtures.desk.id), .leave(Fixtures.door.id), .restart([]),
                .restart([tags[0], tags[2]], PollingChange(technologies: [.iso14443])), .invalidate(.userCanceled),
            ]
    }

    /// What can come of looking at a tag.
    private static func answers(
        _ detection: SessionRequest.Detection, _ tag: TagArrival, _ polling: Int
    ) -> [MachineEvent] {
        switch detection {
        case .messages:
            [Fixtures.read, Fixtures.empty].map { .read(tag, polling: polling, $0) }
                + [.ignore(tag, polling: polling)]
        case .tags: [.find(tag, polling: polling), .ignore(tag, polling: polling), .fail(tag, polling: polling)]
        }
    }

    static let requests: [SessionRequest] = [
        SessionRequest(), SessionRequest(invalidateAfterFirstRead: true), SessionRequest(whenBusy: .queue),
        SessionRequest(waitForReader: true),
        SessionRequest(invalidateAfterFirstRead: true, whenBusy: .queue, waitForReader: true),
        SessionRequest(detection: .tags), SessionRequest(kind: .tag, whenBusy: .queue, waitForReader: true),
    ]

    @Test(arguments: requests) func `keeps the rules of a session`(request: SessionRequest) {
        let alphabet = Self.alphabet(request.detection)
        var seen: Set<Node> = []
        var frontier: Set<Node> = [Node(machine: SessionMachine(request: request))]
        for _ in 0..<Self.depth {
            seen.formUnion(frontier)
            frontier = Set(frontier.flatMap { node in alphabet.map { step(node, $0) } }).subtracting(seen)
            if let faulty = frontier.first(where: { !$0.ledger.faults.isEmpty }) {
                Issue.record("\(faulty.ledger.faults)")
                return
            }
        }
        let states = seen.union(frontier)
        print("explored \(states.count) states, \(alphabet.count) events, \(Self.depth) deep")
        #expect(states.contains { $0.machine.isInvalidated })
        #expect(states.contains { $0.machine.isActive })
    }

    private func step(_ node: Node, _ event: MachineEvent) -> Node {
        var next = node
        let actions = event.apply(to: &next.machine)
        next.ledger.enter(event, actions, next.machine)
        return next
    }
}
